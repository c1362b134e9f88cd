package conformance

import (
	"fmt"
	"testing"
	"time"

	"board/internal/runs"
)

// asks is what the only root run waits for, "-" for nothing.
func (k *talk) asks() (what runs.Ask, at int64) {
	k.t.Helper()
	r := k.runAny()
	if (r.Asks == runs.AsksNothing) != (r.AsksAt == 0) {
		k.t.Errorf("it waits for %q since %d", r.Asks, r.AsksAt)
	}
	if r.Asks == runs.AsksNothing {
		return "-", 0
	}
	return r.Asks, r.AsksAt
}

func (k *talk) wantAsks(when string, want runs.Ask) (at int64) {
	k.t.Helper()
	got, at := k.asks()
	if got != want {
		k.t.Errorf("%s: it waits for %s, want %s", when, got, want)
	}
	return at
}

// TestNoticesOfEachHost plays each recorded notice in the turn that it belongs to. It stands, with the time of the first,
// until the next event of the run.
func TestNoticesOfEachHost(t *testing.T) {
	const codex, gemini = "01a22fdc-cef7-7801-8cff-fa56974c9d81", "68c0861f-61ab-4e92-a46f-936e3902e825"
	const claude, opencode = "c09dbc7b-c34b-4214-a907-04f87e57364d", "ses_dd03fa72cffeR52AYglJDlDDPP"
	tool := more{"tool_name": "Bash", "tool_use_id": "c1"}
	for _, c := range []struct {
		host, fixture, session, turn string
		want                         runs.Ask
		event                        string // another of the kind
		again                        more
		next                         string // an event that clears it
	}{
		{
			"claude-code", "Notification.permission_prompt", claude, "b0c68501-f81c-4465-8d47-1fc922adba15",
			runs.AsksApproval, "Notification",
			more{"notification_type": "permission_prompt"},
			"PostToolUse",
		},
		{
			"claude-code", "Notification.idle_prompt", claude, "b0c68501-f81c-4465-8d47-1fc922adba15",
			runs.AsksAnswer, "Notification",
			more{"notification_type": "idle_prompt"},
			"PreToolUse",
		},
		{
			"codex", "PermissionRequest.mcp-tui", codex, "01a22fdc-e143-7ef2-b3db-f37fc0180024",
			runs.AsksApproval, "PermissionRequest",
			more{"permission_mode": "default"},
			"PostToolUse",
		},
		{
			"codex", "PermissionRequest.mcp-exec", "01a22fb6-d1e9-7a72-8369-4e7a52121f43", "01a22fb6-d22b-76b2-af4b-cc4ed6fcc507",
			"-", "PermissionRequest",
			more{"permission_mode": "bypassPermissions"},
			"PostToolUse", // nobody is there to be asked
		},
		{
			"opencode", "notice.permission-asked", opencode, "msg_22fc059d5001Gsd5uOEriLBNks",
			runs.AsksApproval, "notice",
			more{"notice": "permission_asked"},
			"tool",
		},
		{
			"gemini", "Notification.tool-permission", gemini, "",
			runs.AsksApproval, "Notification",
			more{"notification_type": "ToolPermission"},
			"AfterTool",
		},
	} {
		t.Run(c.host+" "+c.fixture, func(t *testing.T) {
			t.Parallel()
			k := newTalk(t, c.host, "always")
			k.session = c.session
			f := loadFixtures(t, c.host)[c.fixture]
			give := func(payload []byte) {
				t.Helper()
				if out := k.send(t, payload, f.env...); out != neutral(c.host) {
					t.Errorf("a notice prints %q", out)
				}
			}
			k.env = f.env
			k.prompt(c.turn)
			k.wantAsks("after the prompt", "-")
			give(f.payload)
			first := k.wantAsks("after the notice", c.want)
			give(f.payload)
			k.raw(c.event, c.turn, c.again)
			if again := k.wantAsks("after another", c.want); again != first {
				t.Errorf("since %d, want since the first, %d", again, first)
			}
			k.raw(c.next, c.turn, tool)
			k.wantAsks("after the next event", "-")
			if r := k.runAny(); r.State != runs.Running || r.LastKind != runs.OnTool {
				t.Errorf("it is %s, last heard of by a %s", r.State, r.LastKind)
			}
		})
	}
}

func TestOpencodeTellsThatAPersonAnswered(t *testing.T) {
	k := newTalk(t, "opencode", "always")
	k.prompt("m1")
	k.quiet("notice", "m1", more{"notice": "permission_asked"})
	k.wantAsks("asked", runs.AsksApproval)
	k.quiet("notice", "m1", more{"notice": "permission_replied"})
	k.wantAsks("answered", "-")
	k.quiet("notice", "m1", more{"notice": "question_asked"})
	k.wantAsks("a question", runs.AsksAnswer)
	k.quiet("notice", "m2", more{"notice": "permission_asked"}) // of a turn that nobody knows
	k.wantAsks("another turn's", runs.AsksAnswer)
	k.quiet("stop", "m1", nil)
	k.wantAsks("at the end", "-")
}

// TestANoticeForASubagentIsClearedByIt: Claude Code tells of a dialog under the root's turn, whoever it is for. Of two at
// work nobody knows for which it was.
func TestANoticeForASubagentIsClearedByIt(t *testing.T) {
	for kids, want := range map[int]runs.Ask{1: "-", 2: runs.AsksApproval} {
		k := newTalk(t, "claude-code", "always")
		k.prompt("t1")
		for i := range kids {
			k.say("SubagentStart", "t1", child(fmt.Sprint("kid", i), nil))
		}
		k.quiet("Notification", "t1", more{"notification_type": "permission_prompt"})
		k.wantAsks("a dialog", runs.AsksApproval)
		k.quiet("PostToolUse", "t1", child("kid0", more{"tool_name": "Bash", "tool_use_id": "c1"}))
		k.wantAsks(fmt.Sprint("one of ", kids, " went on"), want)
	}
}

// TestASpooledNoticeAsksSinceItWasReceived: and what a session says clears nothing of another.
func TestASpooledNoticeAsksSinceItWasReceived(t *testing.T) {
	k := newTalk(t, "claude-code", "always")
	k.prompt("t1")
	release := lock(t, k.box)
	before := time.Now().UnixMilli()
	k.quiet("Notification", "t1", more{"notification_type": "permission_prompt"})
	after := time.Now().UnixMilli()
	release()
	k.wantAsks("in the spool", "-")
	mine := k.session
	k.session = "2" + mine[1:]
	k.prompt("t1")
	k.session = mine
	if at := k.wantAsks("drained", runs.AsksApproval); at < before || at > after {
		t.Errorf("since %d, want since its receipt between %d and %d", at, before, after)
	}
}

// TestAHostThatIsKilledIsSeenToBeGone follows one conversation over two processes of its host.
func TestAHostThatIsKilledIsSeenToBeGone(t *testing.T) {
	k := newTalk(t, "claude-code", "always")
	first := hostProcess(t, "claude", k.box)
	first.send(k.payload("UserPromptSubmit", "t1", more{"prompt": "go"}))
	first.send(k.changed("t1", "c1", world.repo+"/a.go"))
	r := k.run("t1")
	if r.State != runs.Running || r.ExecutionHost != runs.Desktop {
		t.Fatalf("at work it is %s on %q", r.State, r.ExecutionHost)
	}
	if later := k.runAt("t1", k.look(t).Now()+11*3_600_000); later.State != runs.Running {
		t.Errorf("eleven hours inside one tool it is %s %s", later.State, later.Outcome)
	}
	first.kill()
	if r := k.run("t1"); r.State != runs.Ended || r.Outcome != runs.Unknown || r.Basis != runs.Inferred || r.Reason != runs.ReasonHostGone || r.EndedAt != r.LastSeenAt {
		t.Errorf("once its host is gone it is %s %s %s %s", r.State, r.Outcome, r.Basis, r.Reason)
	}
	if n := number(t, k.look(t), `SELECT count(*) FROM runs WHERE state = 'running'`); n != 1 {
		t.Error("a read stored the end")
	}
	second := hostProcess(t, "claude", k.box)
	second.send(k.payload("UserPromptSubmit", "t2", more{"prompt": "go on"}))
	if got := k.stretches(); got != "1 ended, 2 active" {
		t.Errorf("stretches %q", got)
	}
	if n := number(t, k.look(t), `SELECT count(*) FROM sessions WHERE n = 1 AND end_basis = 'inferred' AND reason = 'host_gone'`); n != 1 {
		t.Error("the end of the first is not on record as one of its host")
	}
	if n := number(t, k.look(t), `SELECT count(*) FROM runs WHERE turn_key = 't1' AND state = 'ended' AND outcome = 'unknown'`); n != 1 {
		t.Error("the end of its turn is not on record")
	}
	k.want("t2", runs.Running, runs.None)
}
