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
// space, control, formatting and bidirectional characters and quotes are dropped, and it is cut to max runes.
func Line(s string, max int) string {
	s = strings.Join(strings.Fields(Clean(s)), " ")
	var b strings.Builder
	n := 0
	for _, r := range s {
		if unicode.Is(unicode.C, r) || r == '"' || r == '<' || r == '>' || r == '`' {
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

// Visible makes s safe for a terminal: control characters, C1 codes and bidirectional overrides are shown as \u{…}
// instead of acting. Line feeds stay if multiline is true, and tabs become spaces then.
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

// hostile reports whether r acts on a terminal instead of showing: C0, DEL, C1, bidirectional controls, line and
// paragraph separators, the byte order mark. The zero-width joiner is not: emoji need it.
func hostile(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r <= 0x9f:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c:
		return true
	case r == 0x2028, r == 0x2029, r == 0xfeff:
		return true
	}
	return false
}
