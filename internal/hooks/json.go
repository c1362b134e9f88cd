package hooks

import (
	"fmt"
	"unicode/utf8"
)

// The little JSON that an answer is made of. encoding/json would do, but its first use in a process costs a hook more
// than everything that is encoded; a test holds both against each other.

// object returns a JSON object of names and values in turn. A name is a string, a value is JSON.
func object(pairs ...any) []byte {
	b := []byte{'{'}
	for i := 0; i+1 < len(pairs); i += 2 {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, quote(pairs[i].(string))...)
		b = append(b, ':')
		b = append(b, pairs[i+1].([]byte)...)
	}
	return append(b, '}')
}

// quote returns s as a JSON string. Bytes that are no UTF-8 become U+FFFD.
func quote(s string) []byte {
	b := make([]byte, 0, len(s)+16)
	b = append(b, '"')
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r < 0x20 || r == 0x2028 || r == 0x2029 || r == utf8.RuneError && size == 1:
			b = fmt.Appendf(b, "\\u%04x", r)
		default:
			b = append(b, s[i:i+size]...)
		}
		i += size
	}
	return append(b, '"')
}

// plain reports whether a JSON string stands for the bytes between its quotes.
func plain(b []byte) bool {
	if len(b) < 2 || b[0] != '"' || b[len(b)-1] != '"' {
		return false
	}
	for _, c := range b[1 : len(b)-1] {
		if c < 0x20 || c >= utf8.RuneSelf || c == '\\' || c == '"' {
			return false
		}
	}
	return true
}
