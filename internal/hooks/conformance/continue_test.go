package conformance

import (
	"strings"
	"testing"

	"board/internal/runs"
	"board/internal/store"
)

// age makes everything that the store knows of the session that much older, as if the clock had passed.
func (k *talk) age(minutes int) {
	k.t.Helper()
	ms := int64(minutes) * 60 * 1000
	change(k.t, k.look(k.t), `UPDATE runs SET started_at = started_at - ?1, last_seen_at = last_seen_at - ?1, lease_until = lease_until - ?1,
		deadline = CASE deadline WHEN 0 THEN 0 ELSE deadline - ?1 END, ended_at = CASE ended_at WHEN 0 THEN 0 ELSE ended_at - ?1 END`, ms)
	change(k.t, k.look(k.t), `UPDATE sessions SET opened_at = opened_at - ?`, ms)
}

func TestATurnThatComesBackAfterItsLeaseGoesOn(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		k.quiet("PreToolUse", "t1", more{"tool_name": "Bash", "tool_use_id": "c1"})
		k.age(50)
		k.want("t1", runs.Ended, runs.Lost)
		k.tool("t1", "c1")
		k.want("t1", runs.Running, runs.None)
		if r := k.run("t1"); r.Revision != 1 || r.Basis != runs.NotEnded {
			t.Errorf("revision %d, basis %q", r.Revision, r.Basis)
		}
		if n := number(t, k.look(t), `SELECT count(*) FROM history WHERE entity = 'run' AND to_state = 'ended' AND actor = 'clock'`); n != 1 {
			t.Errorf("%d history rows of the end by the clock, want 1", n)
		}
		if got := k.stop("t1", false); got != "probe" {
			t.Errorf("its first Stop prints %s", got)
		}
	})
}

func TestATurnThatAnotherHookKeptAliveGoesOn(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		k.stop("t1", false)
		k.stop("t1", true)
		k.want("t1", runs.Ended, runs.Completed)
		k.tool("t1", "c1")
		k.want("t1", runs.Running, runs.None)
		if got := k.stop("t1", true); got != "-" { // its probe is spent
			t.Errorf("prints %s", got)
		}
		k.want("t1", runs.Ended, runs.Completed)
	})
}

func TestAnOlderTurnDoesNotComeBackBesideANewerOne(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		k.prompt("t2")
		was := k.run("t1")
		k.tool("t1", "c1")
		k.want("t1", runs.Ended, was.Outcome)
		if rows := k.events("tool"); len(rows) != 1 || rows[0].Disposition != "late" || rows[0].Reason == "" {
			t.Errorf("the event is %+v, want late with a reason", rows)
		}
	})
}

func TestAFailedTurnDoesNotComeBack(t *testing.T) {
	k := newTalk(t, "claude-code", "always")
	k.prompt("t1")
	k.quiet("StopFailure", "t1", more{"error": "rate_limit"})
	k.tool("t1", "c1")
	k.want("t1", runs.Ended, runs.Failed)
}

func TestAFailureThatArrivesAfterTheSessionsEndIsTheOutcome(t *testing.T) {
	k := newTalk(t, "claude-code", "always")
	k.prompt("t1")
	k.quiet("SessionEnd", "t1", more{"reason": "other"})
	k.want("t1", runs.Ended, runs.Unknown)
	k.quiet("StopFailure", "t1", more{"error": "server_error"})
	k.want("t1", runs.Ended, runs.Failed)
	if r := k.run("t1"); r.Basis != runs.Observed {
		t.Errorf("basis %s", r.Basis)
	}
}

func TestAResumedSubagentGoesOnWithoutBeingToldTwice(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		start := func() string { return k.say("SubagentStart", "t1", child("kid1", nil)) }
		if got := start(); got != "context" {
			t.Errorf("prints %s", got)
		}
		k.quiet("SubagentStop", "t1", child("kid1", more{"stop_hook_active": false}))
		k.want("agent:kid1", runs.Ended, runs.Completed)
		if got := start(); got != "-" { // byte-identical to the first
			t.Errorf("the second start prints %s", got)
		}
		k.want("agent:kid1", runs.Running, runs.None)
		k.quiet("SubagentStop", "t1", child("kid1", more{"stop_hook_active": false, "last_assistant_message": "other"}))
		k.want("agent:kid1", runs.Ended, runs.Completed)
	})
}

func TestASteeredPromptIsPartOfItsTurn(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		k.tool("t1", "c1")
		k.quiet("UserPromptSubmit", "t1", more{"prompt": "rather do this"})
		k.quiet("UserPromptSubmit", "t1", more{"prompt": "<task-notification>also in a running turn"})
		if r := k.run("t1"); r.Origin != runs.User || r.State != runs.Running {
			t.Errorf("origin %s, %s", r.Origin, r.State)
		}
		if got := k.stop("t1", false); got != "probe" {
			t.Errorf("prints %s", got)
		}
		if n := number(t, k.look(t), `SELECT count(*) FROM runs`); n != 1 {
			t.Errorf("%d runs", n)
		}
	})
}

func TestAWaitingTurnWaitsForItsLease(t *testing.T) {
	k := newTalk(t, "claude-code", "always")
	k.prompt("t1")
	k.quiet("Stop", "t1", more{"stop_hook_active": false, "background_tasks": []more{{"id": "b1", "type": "shell", "status": "running"}}})
	k.age(20) // longer than the quiet time after a Stop
	k.want("t1", runs.Waiting, runs.None)
	k.age(30)
	k.want("t1", runs.Ended, runs.Completed)
}

func TestADayOfSilenceEndsTheStretch(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		k.age(25 * 60)
		k.prompt("t2")
		if got := k.stretches(); got != "1 ended, 2 active" {
			t.Errorf("stretches %q", got)
		}
		k.want("t1", runs.Ended, runs.Lost)
		k.want("t2", runs.Running, runs.None)
	})
}

// TestTheRulesAreSaidWhereTheyMayBeForgotten: in the first prompt of every session, also where its start was missed, and
// in the first one after a compaction that could not say them.
func TestTheRulesAreSaidWhereTheyMayBeForgotten(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		prompt := func(turn string, rules bool) {
			t.Helper()
			out := k.raw("UserPromptSubmit", turn, more{"prompt": "go"})
			if what, err := printed(k.host, "UserPromptSubmit", out); what != "context" || err != nil || strings.Contains(out, "Rules") != rules {
				t.Errorf("prompt %s prints %s (%v), want the rules: %v", turn, out, err, rules)
			}
		}
		prompt("t1", true)
		prompt("t2", false)
		k.quiet("SessionEnd", "", more{"reason": "other"})
		prompt("t3", true) // a new stretch, whose start was missed
		prompt("t4", false)
		k.quiet("SessionStart", "", more{"source": "resume"})
		prompt("t5", true)
		k.stop("t5", true)
		k.quiet("SessionStart", "", more{"source": "compact"}) // no live root: nothing can be said
		prompt("t6", true)
		if got := k.say("SessionStart", "", more{"source": "compact"}); got != "context" {
			t.Errorf("a compaction in mid-work prints %s", got)
		}
		prompt("t7", false)
	})
}

// TestRefusalsAreCounted: failing open is not failing silently.
func TestRefusalsAreCounted(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.send(t, []byte("hello"))
		k.send(t, []byte("hello"))
		k.quiet("Teleport", "t1", nil)
		k.prompt("t1")
		k.quiet("UserPromptSubmit", "t1", more{"prompt": "go"})
		k.quiet("Stop", "t9", more{"stop_hook_active": false})
		refused := store.SpoolAt(k.DB).Refused()
		if refused[[2]string{k.host, "unreadable_input"}] != 2 || refused[[2]string{k.host, "unknown_event"}] != 1 {
			t.Errorf("refused %v", refused)
		}
		for name, want := range map[string]int64{"duplicate": 1, "unattributed": 1} {
			if n := number(t, k.look(t), `SELECT coalesce(sum(n), 0) FROM host_events WHERE host = ? AND name = ?`, k.host, name); n != want {
				t.Errorf("%d counted as %s, want %d", n, name, want)
			}
		}
		if n := number(t, k.look(t), `SELECT count(*) FROM host_events WHERE host = ? AND name = 'UserPromptSubmit' AND last_at > 0`, k.host); n != 1 {
			t.Error("it is not known when a prompt was seen last")
		}
		for path := range tree(t, k.Root) {
			if strings.Contains(path, "Teleport") {
				t.Errorf("a file is named by an event: %s", path)
			}
		}
	})
}
