// Package text cleans what people and agents write, and makes it safe to show on one line or on a terminal.
package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes s storable, the same for every database: invalid UTF-8 (lone surrogates included) becomes U+FFFD, U+0000
// is dropped, line ends become \n. Everything else stays as it was written.
func Clean(s string) string {
	if utf8.ValidString(s) && !strings.ContainsAny(s, "\x00\r") {
		return s
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\x00", "")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.ReplaceAll(s, "\r", "\n")
}

// Line makes s one line that cannot act on a terminal or pretend to be markup around it: runs of white space become one
// space, what Visible would show as an escape, private use characters and quotes are dropped, and it is cut to max runes.
func Line(s string, max int) string {
	s = strings.Join(strings.Fields(Clean(s)), " ")
	var b strings.Builder
	n := 0
	for _, r := range s {
		if hostile(r) || unicode.Is(unicode.Co, r) || r == '"' || r == '<' || r == '>' || r == '`' {
			continue
		}
		if n == max-1 {
			b.WriteRune('…')
			break
		}
		b.WriteRune(r)
		n++
	}
	return strings.TrimSpace(b.String())
}

// Visible makes s safe for a terminal: control and format characters are shown as \u{…} instead of acting or hiding.
// Line feeds stay if multiline is true, and tabs become spaces then.
func Visible(s string, multiline bool) string {
	clean := true
	for _, r := range s {
		if hostile(r) {
			clean = false
			break
		}
	}
	if clean && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '\n' && multiline:
			b.WriteRune(r)
		case r == '\t' && multiline:
			b.WriteString("    ")
		case hostile(r):
			fmt.Fprintf(&b, "\\u{%x}", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hostile reports whether r acts on a terminal instead of showing, or hides what it says: controls, line and paragraph
// separators, and format characters: bidirectional ones, the byte order mark, tag characters, which can spell out text
// that nobody sees. The zero-width joiner and non-joiner are not: emoji and Persian need them.
func hostile(r rune) bool {
	switch {
	case r >= ' ' && r < 0x7f, r == 0x200c, r == 0x200d:
		return false
	case r >= 0xe0000 && r <= 0xe007f: // of these only those that are assigned are in Cf
		return true
	}
	return r == 0x2028 || r == 0x2029 || unicode.In(r, unicode.Cc, unicode.Cf)
}
