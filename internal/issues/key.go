package issues

import (
	"strconv"
	"strings"

	"board/internal/fault"
)

// FormatKey is the key of an Issue: PRE-12.
func FormatKey(prefix string, number int64) string {
	return prefix + "-" + strconv.FormatInt(number, 10)
}

// ParseKey reads a key. The prefix may be written in any case; everything else is strict, so that a slip of the pen
// never names another Issue: no spaces, no zeros in front, no sign.
func ParseKey(s string) (prefix string, number int64, err error) {
	prefix, digits, ok := strings.Cut(s, "-")
	if !ok || !isPrefix(prefix) || digits == "" || digits[0] == '0' || len(digits) > 15 {
		return "", 0, badKey(s)
	}
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return "", 0, badKey(s)
		}
		number = number*10 + int64(c-'0')
	}
	return strings.ToUpper(prefix), number, nil
}

func isPrefix(s string) bool {
	for i, c := range []byte(s) {
		letter := c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return len(s) >= 2 && len(s) <= 10
}

func badKey(s string) error {
	return fault.New(fault.Invalid, "a key is a prefix and a number, such as PRE-12", "%q is no Issue key", quote(s))
}
