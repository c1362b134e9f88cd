package conformance

import (
	"strings"
	"testing"

	"board/internal/runs"
)

// eachHost runs a test for both hosts, with a reminder at every turn.
func eachHost(t *testing.T, test func(t *testing.T, k *talk)) {
	for _, host := range []string{"claude-code", "codex"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			test(t, newTalk(t, host, "always"))
		})
	}
}

func TestTheFirstStopOfARootKeepsItAliveAndAsksOnce(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		out := k.raw("Stop", "t1", more{"stop_hook_active": false})
		r := k.run("t1")
		if r.State != runs.Probing || r.Probes != 1 || r.EndedAt != 0 || !r.SawStop {
			t.Errorf("the run is %s, probes %d, want probing, 1", r.State, r.Probes)
		}
		if want := "board: run " + r.Handle + " revision 1 issue none"; !strings.Contains(out, want) {
			t.Errorf("the reminder lacks %q:\n%s", want, out)
		}
		k.quiet("Stop", "t1", more{"stop_hook_active": false}) // its immediate twin
		k.want("t1", runs.Probing, runs.None)
	})
}

func TestTheReminderCarriesTheFreshRevision(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		change(t, k.look(t), `UPDATE runs SET revision = 7`)
		if out := k.raw("Stop", "t1", more{"stop_hook_active": false}); !strings.Contains(out, " revision 7 issue none") {
			t.Errorf("the reminder is\n%s", out)
		}
	})
}

func TestTheFollowUpStopEndsTheTurnCompleted(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		if got := k.stop("t1", false); got != "probe" {
			t.Fatalf("the first Stop prints %s", got)
		}
		k.tool("t1", "call1")
		k.want("t1", runs.Running, runs.None)
		if got := k.stop("t1", true); got != "-" {
			t.Errorf("the follow-up Stop prints %s", got)
		}
		k.want("t1", runs.Ended, runs.Completed)
		if r := k.run("t1"); r.Basis != runs.Observed || r.Probes != 1 || r.Revision != 1 {
			t.Errorf("basis %s, probes %d, revision %d", r.Basis, r.Probes, r.Revision)
		}
	})
}

func TestStopFailureEndsTheTurnFailed(t *testing.T) {
	k := newTalk(t, "claude-code", "always")
	k.prompt("t1")
	k.quiet("StopFailure", "t1", more{"error": "server_error"})
	k.want("t1", runs.Ended, runs.Failed)
}

func TestAFailureInTheContinuationLeavesTheTurnCompleted(t *testing.T) {
	k := newTalk(t, "claude-code", "always")
	k.prompt("t1")
	k.stop("t1", false)
	k.quiet("StopFailure", "t1", more{"error": "server_error"})
	k.want("t1", runs.Ended, runs.Completed)
}

func TestInterruptEndsTheTurnInterrupted(t *testing.T) {
	k := newTalk(t, "codex", "always")
	k.prompt("t1")
	k.quiet("Interrupt", "t1", nil)
	k.want("t1", runs.Ended, runs.Interrupted)
	k.tool("t1", "call1") // a straggler: an interrupt is final
	k.want("t1", runs.Ended, runs.Interrupted)
}

func TestSubagentEventsRenewTheRootsLeaseAndChangeNothingElseOfIt(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		if got := k.stop("t1", false); got != "probe" {
			t.Fatalf("the first Stop prints %s", got)
		}
		turn := "t1"
		if k.host == "codex" {
			turn = "turn-of-the-child"
		}
		for _, e := range []struct {
			event  string
			fields more
		}{
			{"SubagentStart", nil},
			{"PreToolUse", more{"tool_name": "Bash", "tool_use_id": "x1"}},
			{"PostToolUse", more{"tool_name": "Bash", "tool_use_id": "x1"}},
			{"PostToolUse", more{"tool_name": "Write", "tool_use_id": "x2", "tool_input": more{"file_path": world.repo + "/child.txt"}}},
			{"Stop", more{"stop_hook_active": false}},      // a Stop in a child's context is the child's
			{"StopFailure", more{"error": "server_error"}}, // Codex has none
			{"SubagentStop", more{"stop_hook_active": false}},
		} {
			if k.host == "codex" && e.event == "StopFailure" {
				continue
			}
			change(t, k.look(t), `UPDATE runs SET lease_until = lease_until - 60000 WHERE kind = 'root'`)
			before := k.run("t1")
			out := k.say(e.event, turn, child("kid1", e.fields))
			if want := map[bool]string{true: "context", false: "-"}[e.event == "SubagentStart"]; out != want {
				t.Errorf("%s of the child prints %s, want %s", e.event, out, want)
			}
			after := k.run("t1")
			if after.LeaseUntil <= before.LeaseUntil {
				t.Errorf("%s of the child does not renew the root's lease", e.event)
			}
			before.LeaseUntil, before.Version, before.LastSeenAt = after.LeaseUntil, after.Version, after.LastSeenAt
			if before != after {
				t.Errorf("%s of the child changes the root\nfrom %+v\n  to %+v", e.event, before, after)
			}
		}
	})
}

func TestTheNextPromptSupersedes(t *testing.T) {
	for host, want := range map[string]runs.Outcome{"claude-code": runs.Interrupted, "codex": runs.Unknown} {
		k := newTalk(t, host, "always")
		k.prompt("t1")
		k.prompt("t2")
		k.want("t1", runs.Ended, want)
		k.want("t2", runs.Running, runs.None)
		k.stop("t2", false)
		k.prompt("t3") // over an ignored reminder: what the first Stop knew
		k.want("t2", runs.Ended, runs.Completed)
		if got := k.run("t1").Basis; got != runs.Inferred {
			t.Errorf("%s: basis %s", host, got)
		}
	}
}

func TestTheSessionsEndEndsTheRest(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		k.say("SubagentStart", "t1", child("kid1", nil))
		k.quiet("SessionEnd", "", more{"reason": "other"})
		k.want("t1", runs.Ended, runs.Unknown)
		k.want("agent:kid1", runs.Ended, runs.Unknown)
		if got := k.stretches(); got != "1 ended" {
			t.Errorf("stretches %q", got)
		}
		k.quiet("SessionEnd", "", more{"reason": "other"}) // twice, as some hosts do
		if got := k.stretches(); got != "1 ended" {
			t.Errorf("stretches %q after the second end", got)
		}
	})
}

func TestAnExplicitEndReplacesAnInferredOne(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		k.prompt("t2")
		ended := k.run("t1").EndedAt
		k.quiet("Stop", "t1", more{"stop_hook_active": false})
		k.want("t1", runs.Ended, runs.Completed)
		k.want("t2", runs.Running, runs.None)
		if r := k.run("t1"); r.EndedAt != ended || r.Basis != runs.Observed {
			t.Errorf("ended at %d, want still %d; basis %s", r.EndedAt, ended, r.Basis)
		}
	})
}
