package projects

import (
	"strconv"
	"strings"
	"unicode"
)

// Lengths of a derived prefix: short enough to type, long enough to tell projects apart.
const (
	minPrefix     = 2
	usualPrefix   = 3
	longestPrefix = 5
)

// derive makes a prefix of 2 to 5 letters from a name that is not in taken: the initials of several words, a short
// word itself, else the first letters. A digit follows only when all of these are taken.
func derive(name string, taken map[string]bool) string {
	words := split(name)
	all := strings.Join(words, "")
	var tries []string
	if len(words) >= minPrefix {
		var initials strings.Builder
		for _, w := range words[:min(len(words), longestPrefix)] {
			initials.WriteByte(w[0])
		}
		tries = append(tries, initials.String())
	}
	if len(all) <= longestPrefix {
		tries = append(tries, all)
	}
	for n := usualPrefix; n <= min(longestPrefix, len(all)); n++ {
		tries = append(tries, all[:n])
	}
	base := ""
	for _, t := range tries {
		if len(t) < minPrefix {
			continue
		}
		if !taken[t] {
			return t
		}
		if base == "" {
			base = t
		}
	}
	if base == "" {
		base = "PRJ"
		if !taken[base] {
			return base
		}
	}
	for n := 2; ; n++ {
		if t := base + strconv.Itoa(n); !taken[t] {
			return t
		}
	}
}

// split returns the words of a name in upper-case ASCII letters: they end at everything else and where camelCase
// starts a new one.
func split(name string) []string {
	var words []string
	var w strings.Builder
	end := func() {
		if w.Len() > 0 {
			words = append(words, w.String())
			w.Reset()
		}
	}
	lower := false
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z':
			w.WriteRune(unicode.ToUpper(r))
		case r >= 'A' && r <= 'Z':
			if lower {
				end()
			}
			w.WriteRune(r)
		case r >= '0' && r <= '9': // web2 is one word
		default:
			end()
		}
		lower = r >= 'a' && r <= 'z'
	}
	end()
	return words
}
