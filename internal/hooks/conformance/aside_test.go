package conformance

import (
	"os"
	"path/filepath"
	"testing"

	"board/internal/store"
)

// TestAnEntryThatCannotBeReadDoesNotHoldUpTheSpool: a folder, or a file of another user, must not keep every later event
// and every writer waiting for ever.
func TestAnEntryThatCannotBeReadDoesNotHoldUpTheSpool(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		dir := store.SpoolAt(k.DB).Dir()
		if err := os.MkdirAll(filepath.Join(dir, "000000000000001-aaaa.json"), 0o700); err != nil {
			t.Fatal(err)
		}
		k.prompt("t1")
		k.want("t1", "running", "")
		if n := store.SpoolAt(k.DB).Refused()[[2]string{"unknown", "spool_unreadable"}]; n != 1 {
			t.Errorf("counted %d times, want once", n)
		}
		k.tool("t1", "c1")
		if n := store.SpoolAt(k.DB).Refused()[[2]string{"unknown", "spool_unreadable"}]; n != 1 {
			t.Errorf("counted %d times after the next event, want once", n)
		}
	})
}

// TestIdsThatAreNoTextStayApart: a lone surrogate is no character, and two of them must not become one key.
func TestIdsThatAreNoTextStayApart(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		for _, id := range []string{`\ud800`, `\ud801`} {
			frame := `{"hook_event_name":"UserPromptSubmit","session_id":"s` + id + `","` + turnField(k.host) + `":"t1","cwd":"` + world.repo + `","prompt":"go"}`
			if out := k.send(t, []byte(frame), k.env...); out == "" {
				t.Errorf("the prompt of session %s was taken for another's", id)
			}
		}
		if n := number(t, k.look(t), `SELECT count(*) FROM runs`); n != 2 {
			t.Errorf("%d runs, want 2", n)
		}
	})
}

func turnField(host string) string {
	if host == "codex" {
		return "turn_id"
	}
	return "prompt_id"
}

// TestAnEphemeralCodexSessionIsQuietAtClaudeCode: the payload decides the host. Codex sends a null transcript there.
func TestAnEphemeralCodexSessionIsQuietAtClaudeCode(t *testing.T) {
	k := newTalk(t, "claude-code", "always")
	k.quiet("SessionStart", "", more{"source": "startup", "transcript_path": nil})
	frame := `{"hook_event_name":"SessionStart","session_id":"x","transcript_path":null,"cwd":"` + world.repo + `","source":"startup"}`
	if out := k.send(t, []byte(frame)); out != "" {
		t.Errorf("printed %q", out)
	}
	if n := number(t, k.look(t), `SELECT count(*) FROM lines WHERE session_key = 'x'`); n != 0 {
		t.Error("a Codex session became one of Claude Code")
	}
}
