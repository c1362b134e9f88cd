package conformance

import (
	"context"
	"os/exec"
	"strings"
	"testing"
)

// TestCodexsNotifyIsAWitnessAndNothingElse: it comes as an argument, creates no run, and says when it was seen.
func TestCodexsNotifyIsAWitnessAndNothingElse(t *testing.T) {
	fixtures := loadFixtures(t, "codex")
	notify := func(k *talk, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(context.Background(), k.Program("board-hook"), args...)
		cmd.Dir, cmd.Env = k.Repo, k.Env()
		in, err := cmd.StdinPipe() // stays open: what a host leaves there is not waited for
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = in.Close() }()
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil || out.Len() > 0 {
			t.Errorf("%.60q prints %q, %v", args, out.String(), err)
		}
	}
	k := newTalk(t, "codex", "always")
	for i, name := range []string{"notify.agent-turn-complete", "notify.title-thread"} {
		notify(k, "--host", "codex", "--notify", string(fixtures[name].payload))
		if n := k.counted("notify"); n != int64(i+1) {
			t.Errorf("%s: seen %d times", name, n)
		}
	}
	notify(k, "--host=codex", "--protocol=1", "--notify="+string(fixtures["notify.agent-turn-complete"].payload))
	elsewhere := strings.ReplaceAll(string(fixtures["notify.agent-turn-complete"].payload), world.repo, "/elsewhere")
	notify(k, "--host", "codex", "--notify", elsewhere)
	notify(k, "--host", "codex", "--notify", `{"type":"something-else","cwd":"`+world.repo+`"}`)
	notify(k, "--host", "codex", "--notify", `words`)
	notify(k, "--host", "codex", "--protocol", "2", "--notify", string(fixtures["notify.agent-turn-complete"].payload))
	notify(k, "--host", "claude-code", "--notify", string(fixtures["notify.agent-turn-complete"].payload))
	if n := k.counted("notify"); n != 3 {
		t.Errorf("seen %d times, want 3", n)
	}
	if n := number(t, k.look(t), `SELECT (SELECT count(*) FROM lines) + (SELECT count(*) FROM events) + (SELECT count(*) FROM runs)`); n != 0 {
		t.Errorf("%d rows", n)
	}
}
