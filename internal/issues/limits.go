package issues

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"board/internal/fault"
	"board/internal/text"
)

const (
	maxLinkBytes = 2048
	maxTypeRunes = 64
)

// prose cleans a text that may have several lines and checks its size in bytes.
func prose(name, s string, max int) (string, error) {
	s = text.Clean(s)
	if len(s) > max {
		return "", fault.New(fault.Limit, "shorten it; nothing was stored", "the %s has %d bytes, and %d are the most", name, len(s), max)
	}
	return s, nil
}

// phrase cleans a short text and checks its length in characters. Space around it is dropped.
func phrase(name, s string, max int) (string, error) {
	s = strings.TrimSpace(text.Clean(s))
	if n := utf8.RuneCountInString(s); n > max {
		return "", fault.New(fault.Limit, "shorten it; nothing was stored", "the %s has %d characters, and %d are the most", name, n, max)
	}
	return s, nil
}

// oneLine turns line breaks and tabs into spaces: a title is shown on one line everywhere.
func oneLine(s string) string {
	return strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ").Replace(s)
}

// required is phrase for a text that must be there.
func required(name, s string, max int) (string, error) {
	s, err := phrase(name, s, max)
	if err == nil && s == "" {
		err = fault.New(fault.Invalid, "say it", "the %s is empty", name)
	}
	return s, err
}

// cleanTitle is the title as stored: one line, of which something can be seen wherever it is shown.
func cleanTitle(s string) (string, error) {
	s, err := required("title", oneLine(s), MaxTitleRunes)
	if err == nil && strings.Trim(text.Line(s, MaxTitleRunes), joiners) == "" {
		err = fault.New(fault.Invalid, "say it", "the title is empty")
	}
	return s, err
}

// joiners are shown as they are, because emoji and Persian need them; alone they show nothing.
const joiners = "\u200c\u200d "

func cleanAll(name string, in []string, most, runes int) ([]string, error) {
	var out []string
	for _, s := range in {
		s, err := required(name, s, runes)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out, few(name, len(out), most)
}

func few(name string, n, most int) error {
	if n > most {
		return fault.New(fault.Limit, "use fewer; nothing was stored", "%d times %s, and %d are the most", n, name, most)
	}
	return nil
}

// cleanLabels refuses commas: they stand between labels wherever these are one field.
func cleanLabels(in []string) ([]string, error) {
	if i := slices.IndexFunc(in, func(l string) bool { return strings.Contains(l, ",") }); i >= 0 {
		return nil, fault.New(fault.Invalid, "give each label by itself", "the label %q has a comma in it", quote(in[i]))
	}
	return cleanAll("label", in, MaxLabels, MaxLabelRunes)
}

func cleanCriteria(in []string) ([]string, error) {
	return cleanAll("criterion", in, MaxCriteria, MaxCriterionRunes)
}

// cleanLinks accepts web addresses without credentials: a link is shown to everybody and kept in history.
func cleanLinks(in []string) ([]string, error) {
	var out []string
	for _, s := range in {
		s = strings.TrimSpace(text.Clean(s))
		u, err := url.Parse(s)
		switch {
		case len(s) > maxLinkBytes:
			return nil, fault.New(fault.Limit, "shorten it; nothing was stored", "a link has %d bytes, and %d are the most", len(s), maxLinkBytes)
		case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.ContainsAny(s, " \n\t"):
			return nil, fault.New(fault.Invalid, "give it as https://host/path", "a link is not an http or https address")
		case u.User != nil:
			return nil, fault.New(fault.Invalid, "leave the name and password out", "a link carries credentials")
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out, few("link", len(out), MaxLinks)
}

func checkPriority(p int) error {
	if p < 0 || p > 4 {
		return fault.New(fault.Invalid, "p0 is the most urgent, p4 the least, p2 the default", "there is no priority %d", p)
	}
	return nil
}

func checkDue(s string) error {
	if s == "" {
		return nil
	}
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return fault.New(fault.Invalid, "give it as YYYY-MM-DD", "%q is no date", quote(s))
	}
	return nil
}

// list is a list of strings as a column.
func list(s []string) string {
	if len(s) == 0 {
		return "[]"
	}
	b, err := json.Marshal(s)
	if err != nil { // strings always marshal
		return "[]"
	}
	return string(b)
}

func unlist(s string) []string {
	out := []string{}
	if err := json.Unmarshal([]byte(s), &out); err != nil {
		return []string{}
	}
	return out
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
