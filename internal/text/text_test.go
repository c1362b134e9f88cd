package text

import "testing"

func TestWhatHidesOrActsIsShown(t *testing.T) {
	for _, c := range []struct{ in, visible, line string }{
		{"plain, größer, 日本語", "plain, größer, 日本語", "plain, größer, 日本語"},
		{"👨\u200d👩 می\u200cخواهم", "👨\u200d👩 می\u200cخواهم", "👨\u200d👩 می\u200cخواهم"}, // joiners belong to the writing
		{"a\x1b[2Jb\x7f\u009bc", `a\u{1b}[2Jb\u{7f}\u{9b}c`, "a[2Jbc"},
		{"a\u202eb\u2066c\u200ed\u061ce", `a\u{202e}b\u{2066}c\u{200e}d\u{61c}e`, "abcde"},
		{"a\U000e0001\U000e0061\U000e0000\U000e001fb\U000e007f", `a\u{e0001}\u{e0061}\u{e0000}\u{e001f}b\u{e007f}`, "ab"}, // tags
		{"a\u200bb\u2060c\u00add\ufeffe\U0001d173f", `a\u{200b}b\u{2060}c\u{ad}d\u{feff}e\u{1d173}f`, "abcdef"},
		{"a\u2028b", `a\u{2028}b`, "a b"},
		{"a\xffb", "a\ufffdb", "a\ufffdb"},
	} {
		if got := Visible(c.in, false); got != c.visible {
			t.Errorf("Visible(%q) is %q, want %q", c.in, got, c.visible)
		}
		if got := Line(c.in, 80); got != c.line {
			t.Errorf("Line(%q) is %q, want %q", c.in, got, c.line)
		}
	}
}

func TestLinesStayWhereTheyMay(t *testing.T) {
	if got := Visible("a\n\tb", true); got != "a\n    b" {
		t.Errorf("%q", got)
	}
	if got := Visible("a\n\tb", false); got != `a\u{a}\u{9}b` {
		t.Errorf("%q", got)
	}
}
