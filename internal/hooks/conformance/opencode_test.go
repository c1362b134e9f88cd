package conformance

import (
	"os"
	"path/filepath"
	"testing"

	"board/internal/runs"
	"board/internal/store"
)

// TestAGivenIDSaysOneThing: the plugin's id again is a no-op, and with other content a conflict, whatever differs.
func TestAGivenIDSaysOneThing(t *testing.T) {
	k := newTalk(t, "opencode", "always")
	k.prompt("m1")
	base := more{"id": "same", "tool": "write", "call_id": "c1", "paths": []string{"a.txt"}}
	k.quiet("tool", "m1", base)
	k.quiet("tool", "m1", base)
	before := k.dispositions()
	version := k.run("m1").Version
	for name, change := range map[string]more{
		"another file":  {"paths": []string{"b.txt"}},
		"another tool":  {"tool": "edit"},
		"another call":  {"call_id": "c2"},
		"another agent": {"agent": "ses_child"},
		"another turn":  {"turn": "m2"},
	} {
		fields := more{}
		for _, m := range []more{base, change} {
			for k, v := range m {
				fields[k] = v
			}
		}
		n := k.counted("conflict")
		k.quiet("tool", "m1", fields)
		if got := k.counted("conflict") - n; got != 1 {
			t.Errorf("%s: counted %d times as a conflict", name, got)
		}
	}
	k.quiet("stop", "m1", more{"id": "same"})
	if after := k.dispositions(); after != before || k.run("m1").Version != version || k.counted("duplicate") != 1 {
		t.Errorf("stored %s\n   was %s; %d duplicates", after, before, k.counted("duplicate"))
	}
	k.wantRuns(1)
	k.session = "another" // an id is the session's
	k.prompt("m1")
	k.quiet("tool", "m1", base)
	if r := k.run("m1"); r.Edits != 1 {
		t.Errorf("the other session's run has %d edits", r.Edits)
	}
}

func TestAPluginOfAnotherBoardIsQuietAndCounted(t *testing.T) {
	k := newTalk(t, "opencode", "always")
	for _, stamp := range []any{"99", "", 1, nil} {
		k.quiet("prompt", "m1", more{"plugin": stamp})
	}
	k.wantRuns(0)
	refused := store.SpoolAt(k.DB).Refused()
	if n := refused[[2]string{"opencode", "identity_mismatch"}]; n != 3 {
		t.Errorf("identity_mismatch is counted %d times, want 3: %v", n, refused)
	}
}

// TestTheBusIsThePluginsBusiness: a raw event of opencode, as recorded, means nothing to the hook.
func TestTheBusIsThePluginsBusiness(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "testdata", "opencode", "bus", "*.json"))
	if err != nil || len(files) < 90 {
		t.Fatalf("%d recorded events (%v)", len(files), err)
	}
	b := newBox(t, "opencode", world.always)
	outs := make([]string, len(files))
	inParallel(len(files), func(i int) {
		if data, err := os.ReadFile(files[i]); err == nil {
			outs[i] = b.send(t, here(data))
		}
	})
	for i, out := range outs {
		if out != "{}" {
			t.Errorf("%s prints %q", files[i], out)
		}
	}
	if n := number(t, b.look(t), `SELECT (SELECT count(*) FROM lines) + (SELECT count(*) FROM events)`); n != 0 {
		t.Errorf("%d rows", n)
	}
}

// TestAChildSessionIsASubagentOfItsRoot: its parent is the turn that the plugin names, also beside a queued one.
func TestAChildSessionIsASubagentOfItsRoot(t *testing.T) {
	k := newTalk(t, "opencode", "always")
	k.prompt("m1")
	k.prompt("m2") // waits for m1
	if got := k.say("subagent_start", "m1", more{"agent": "ses_child", "agent_type": "general"}); got != "context" {
		t.Errorf("the start prints %s", got)
	}
	child, parent := k.run("agent:ses_child"), k.run("m1")
	if child.Kind != runs.Subagent || child.ParentID != parent.ID || child.ParentBasis != "named" || child.Turn != "" {
		t.Errorf("the child is %+v, its parent %d", child, parent.ID)
	}
	k.quiet("failure", "m1", more{"agent": "ses_child", "reason": "APIError"})
	k.want("agent:ses_child", runs.Ended, runs.Failed)
	k.want("m2", runs.Running, runs.None)
	k.say("subagent_start", "m1", more{"agent": "ses_child"}) // a second task for it: after a failure nothing goes on
	k.quiet("subagent_stop", "m1", more{"agent": "ses_child"})
	k.want("agent:ses_child", runs.Ended, runs.Completed)
}

// TestAPromptThatNobodyWrote: the result of a background task comes back as a prompt of the host's.
func TestAPromptThatNobodyWrote(t *testing.T) {
	k := newTalk(t, "opencode", "always")
	k.prompt("m1")
	k.say("prompt", "m2", more{"host_made": "1"})
	if u, h := k.run("m1").Origin, k.run("m2").Origin; u != runs.User || h != runs.Host {
		t.Errorf("the origins are %s and %s", u, h)
	}
}
