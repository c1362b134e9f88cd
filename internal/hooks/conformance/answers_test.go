package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"
)

var (
	firstLine = regexp.MustCompile(`^board: run run_[0-9a-f]{32} revision [0-9]+ issue (none|[A-Z][A-Z0-9]*-[0-9]+)$`)
	handles   = regexp.MustCompile(`run_[0-9a-f]{32}`)
	probes    = regexp.MustCompile(`probe=[0-9a-f-]{36}`)
)

// neutral is what a host is answered when there is nothing to say.
func neutral(host string) string {
	return map[string]string{"gemini": "{}", "opencode": "{}", "cursor": "{}\n"}[host]
}

// printed says what an answer is, in the words of the tables: "-" for the neutral one, "context" or "probe". Anything
// that the host would refuse or that the specification does not allow is an error: more than one object, a field that the
// event does not have, another event's name, a first line that does not name the run, text over its limit.
func printed(host, event, stdout string) (string, error) {
	if stdout == neutral(host) {
		return "-", nil
	}
	dec := json.NewDecoder(strings.NewReader(stdout))
	dec.DisallowUnknownFields()
	var answer struct {
		Specific *struct {
			Event   string `json:"hookEventName"`
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
		Decision string `json:"decision"`
		Reason   string `json:"reason"`
		Context  string `json:"context"`
		FollowUp string `json:"followup_message"`
	}
	if err := dec.Decode(&answer); err != nil {
		return "", fmt.Errorf("no answer of a hook: %w", err)
	}
	if rest, _ := bytes.CutPrefix([]byte(stdout[dec.InputOffset():]), []byte("\n")); len(rest) > 0 {
		return "", fmt.Errorf("text after the object: %q", rest)
	}
	where := host + " " + event
	one, text := answer, ""
	switch where {
	case "codex Stop": // it refuses hookSpecificOutput there
		text, one.Decision, one.Reason = answer.Reason, "", ""
	case "gemini AfterAgent":
		text, one.Decision, one.Reason = answer.Reason, "", ""
	case "cursor stop":
		text, one.FollowUp = answer.FollowUp, ""
	case "opencode prompt", "opencode subagent_start", "opencode compaction":
		text, one.Context = answer.Context, ""
	default:
		if answer.Specific == nil || answer.Specific.Event != event || host == "cursor" || host == "opencode" {
			return "", fmt.Errorf("no answer to %s: %s", where, stdout)
		}
		text, one.Specific = answer.Specific.Context, nil
	}
	decision := map[string]string{"codex Stop": "block", "gemini AfterAgent": "deny"}[where]
	switch {
	case text == "" || answer.Decision != decision || one != zero(one):
		return "", fmt.Errorf("no answer to %s: %s", where, stdout)
	case event == "Stop" || event == "AfterAgent" || event == "stop":
		return "probe", checkProbe(host, text)
	}
	return "context", checkText(text, 2000)
}

func zero[T any](T) (z T) { return z }

var markerLine = regexp.MustCompile(`^BOARD_STOP_V1 probe=[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// checkProbe wants the marker where the reminder comes back as a prompt, then what every reminder has.
func checkProbe(host, text string) error {
	if host == "gemini" || host == "cursor" {
		first, rest, _ := strings.Cut(text, "\n")
		if !markerLine.MatchString(first) {
			return fmt.Errorf("the marker is %q", first)
		}
		text = rest
	}
	return checkText(text, 400)
}

// checkText wants the fixed first line and at most limit characters after it; 2,000 in all, as bytes and as UTF-16.
func checkText(text string, limit int) error {
	first, rest, _ := strings.Cut(text, "\n")
	switch {
	case !firstLine.MatchString(first):
		return fmt.Errorf("the first line is %q", first)
	case len([]rune(rest)) > limit:
		return fmt.Errorf("%d characters after the first line, want at most %d", len([]rune(rest)), limit)
	case len(text) > 2000 || len(utf16.Encode([]rune(text))) > 2000:
		return fmt.Errorf("%d bytes, want at most 2,000", len(text))
	case strings.TrimSpace(text) != text:
		return fmt.Errorf("space around the text: %q", text)
	}
	return nil
}

// normal replaces what differs from run to run: the secret handles and probes, by the order of their appearance.
func normal(text string) string {
	for _, what := range []struct {
		re   *regexp.Regexp
		name string
	}{{handles, "run_#"}, {probes, "probe=#"}} {
		seen := map[string]string{}
		text = what.re.ReplaceAllStringFunc(text, func(h string) string {
			if seen[h] == "" {
				seen[h] = fmt.Sprintf("%s%d", what.name, len(seen)+1)
			}
			return seen[h]
		})
	}
	return text
}

// golden compares text with a golden file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name+".txt")
	got = normal(got)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if string(want) == got {
		return
	}
	w, g := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		if i >= len(w) || i >= len(g) || w[i] != g[i] {
			t.Errorf("%s:%d differs (go test -update writes it anew)\nwant %s\n got %s", path, i+1, at(w, i), at(g, i))
			return
		}
	}
}

func at(lines []string, i int) string {
	if i >= len(lines) {
		return "(end)"
	}
	return lines[i]
}

// entry is one delivery in a golden file: what was delivered, and the whole answer.
func entry(title, stdout string) string {
	if stdout != "" && !strings.HasSuffix(stdout, "\n") {
		stdout += "\n\\ no line end\n"
	}
	return "== " + title + "\n" + stdout
}
