package runs_test

import (
	"strings"
	"testing"

	"board/internal/runs"
)

func TestEachHostHasALineThatGoesOnWithAConversation(t *testing.T) {
	const uuid = "5846026e-4ac0-41eb-9769-4af28fdf7c22"
	for _, c := range []struct{ host, session, want string }{
		{runs.ClaudeCode, uuid, "claude --resume " + uuid},
		{runs.Codex, uuid, "codex resume " + uuid},
		{runs.OpenCode, "ses_dcdb64b1bffe2FRNLNh87sW11U", "opencode --session ses_dcdb64b1bffe2FRNLNh87sW11U"},
		{runs.Gemini, uuid, "gemini --resume " + uuid},
		{runs.Cursor, uuid, "cursor-agent --resume " + uuid},
		{"another", uuid, ""},
		{"", uuid, ""},
	} {
		if got := runs.ResumeLine(c.host, c.session); got != c.want {
			t.Errorf("%s: %q, want %q", c.host, got, c.want)
		}
	}
}

// TestWhatIsNoPlainIDIsNotPutIntoALine: the id comes from a payload, and the line goes into a shell.
func TestWhatIsNoPlainIDIsNotPutIntoALine(t *testing.T) {
	for name, session := range map[string]string{
		"nothing":                  "",
		"a flag":                   "--dangerously-skip-permissions",
		"a second command":         "a;reboot",
		"a substitution":           "$(reboot)",
		"a substitution inside":    "a`reboot`b",
		"a space":                  "a b",
		"a line end":               "a\nreboot",
		"an escape":                "a\x1b[2J",
		"a quote":                  "a'b",
		"a path":                   "../../a",
		"letters of other scripts": "zażółć",
		"bytes that are no text":   "a\xffb",
		"the digest of a long id":  runs.FitKey(strings.Repeat("a", 300)),
	} {
		for _, host := range []string{runs.ClaudeCode, runs.Codex, runs.OpenCode, runs.Gemini, runs.Cursor} {
			if got := runs.ResumeLine(host, session); got != "" {
				t.Errorf("%s, %s: %q", name, host, got)
			}
		}
	}
	for _, place := range []string{"latest", "3", "12"} { // Gemini would go on with another conversation
		if got := runs.ResumeLine(runs.Gemini, place); got != "" {
			t.Errorf("%q", got)
		}
	}
}
