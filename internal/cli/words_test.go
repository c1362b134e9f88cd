package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestAgo(t *testing.T) {
	o := picture(80, 0, false)
	for _, c := range []struct {
		age  time.Duration
		want string
	}{
		{-time.Hour, "0s"},
		{0, "0s"},
		{59 * time.Second, "59s"},
		{time.Minute, "1m"},
		{59 * time.Minute, "59m"},
		{time.Hour, "1h"},
		{47 * time.Hour, "47h"},
		{48 * time.Hour, "2d"},
		{99 * 24 * time.Hour, "99d"},
		{365 * 24 * time.Hour, "2025-03-01"},
	} {
		if got := o.ago(before(c.age)); got != c.want {
			t.Errorf("%v: %s, want %s", c.age, got, c.want)
		}
	}
	if o.ago(0) != "" || o.past(0) != "at an unknown time" || o.past(before(time.Hour)) != "1h ago" || o.past(before(365*24*time.Hour)) != "on 2025-03-01" {
		t.Error("moments in a sentence")
	}
}

// Whatever a string holds, JSON gives it back, and no byte of it acts on a terminal.
func TestJSONIsSafeOnATerminal(t *testing.T) {
	in := "a\x1b[2J\u007f\u009b31m\u202e\u2066\ufeff\u2028\U000e0041 日本語 👨‍👩‍👧‍👦 \u0000 \\u009b <&>"
	var b strings.Builder
	if err := writeJSON(&b, in, false); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsFunc(strings.TrimSuffix(b.String(), "\n"), hidden) {
		t.Errorf("%q", b.String())
	}
	var out string
	if err := json.Unmarshal([]byte(b.String()), &out); err != nil || out != in {
		t.Errorf("%q became %q, %v", in, out, err)
	}
}
