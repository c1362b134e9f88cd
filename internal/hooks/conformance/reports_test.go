package conformance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"board/internal/projects"
	"board/internal/runs"
	"board/internal/store"
)

// These tests are what others reported of their hooks, tried on ours. Where a report shows payloads of an old host
// without turn ids, so do they: such a host gets counted turns, and the same protection.

// withAndWithoutTurns runs a test for a host that names its turns and for one that does not.
func withAndWithoutTurns(t *testing.T, test func(t *testing.T, k *talk, turn string)) {
	for name, turn := range map[string]string{"turn ids": "t1", "no turn ids": ""} {
		t.Run(name, func(t *testing.T) {
			eachHost(t, func(t *testing.T, k *talk) { test(t, k, turn) })
		})
	}
}

func TestAFlagThatStaysFalseDoesNotLoop(t *testing.T) {
	withAndWithoutTurns(t, func(t *testing.T, k *talk, turn string) {
		k.quiet("SessionStart", "", more{"source": "startup"})
		k.prompt(turn)
		if got := k.stop(turn, false); got != "probe" {
			t.Errorf("the first Stop prints %s", got)
		}
		for i := range 4 { // another hook blocks on, and the host never says so
			k.tool(turn, fmt.Sprint("c", i))
			if got := k.stop(turn, false); got != "-" {
				t.Errorf("Stop %d prints %s", i+2, got)
			}
			if r := k.runAny(); r.State != runs.Ended || r.Outcome != runs.Completed || r.Probes != 1 {
				t.Errorf("after Stop %d the run is %s %s, %d probes", i+2, r.State, r.Outcome, r.Probes)
			}
		}
	})
}

func TestAFirstStopThatAlreadyIsAContinuationEndsTheTurnUnasked(t *testing.T) {
	withAndWithoutTurns(t, func(t *testing.T, k *talk, turn string) {
		k.prompt(turn)
		if got := k.stop(turn, true); got != "-" {
			t.Errorf("prints %s", got)
		}
		if got := k.stop(turn, false); got != "-" {
			t.Errorf("the Stop after it prints %s", got)
		}
		if r := k.runAny(); r.State != runs.Ended || r.Outcome != runs.Completed || r.Probes != 0 {
			t.Errorf("the run is %s %s, %d probes", r.State, r.Outcome, r.Probes)
		}
	})
}

func TestAStopInASubagentsContextAndInventedEnds(t *testing.T) {
	withAndWithoutTurns(t, func(t *testing.T, k *talk, turn string) {
		k.prompt(turn)
		k.say("SubagentStart", turn, more{"agent_id": "a1", "agent_type": "Explore"})
		k.quiet("Stop", turn, more{"agent_id": "a2", "agent_type": "Explore", "stop_hook_active": false})
		k.quiet("SubagentStop", turn, more{"agent_id": "zz", "agent_type": "", "stop_hook_active": false})
		root := k.runAny()
		if root.State != runs.Running || root.Probes != 0 || root.SawStop {
			t.Errorf("the root is %s, %d probes", root.State, root.Probes)
		}
		got := k.say("Stop", turn, more{"stop_hook_active": false, "background_tasks": []any{}})
		if got != "probe" {
			t.Errorf("the root's Stop prints %s", got)
		}
		k.say("Stop", turn, more{"stop_hook_active": true, "background_tasks": []any{}})
		if r := k.runAny(); r.State != runs.Ended || r.Outcome != runs.Completed {
			t.Errorf("the root is %s %s", r.State, r.Outcome)
		}
		if k.host == "claude-code" { // it lists its tasks, and a1 is none of them
			k.want("agent:a1", runs.Ended, runs.Abandoned)
		}
		k.quiet("SubagentStop", turn, more{"agent_id": "zz", "agent_type": "", "stop_hook_active": false})
		if r := k.runAny(); r.State != runs.Ended {
			t.Errorf("a late end of an unknown subagent revived the root")
		}
	})
}

func TestProbeOffTakesEffectAtOnce(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		off := func(host string) {
			err := k.look(t).Write(context.Background(), func(ctx context.Context, tx *store.Tx) error {
				return runs.SetConfig(ctx, tx, 0, host, "probe", "off")
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		k.prompt("t1")
		if got := k.stop("t1", false); got != "probe" {
			t.Errorf("prints %s", got)
		}
		off(k.host)
		k.want("t1", runs.Ended, runs.Completed) // with what the first Stop knew
		k.quiet("Stop", "t1", more{"stop_hook_active": true})
		k.prompt("t2")
		if got := k.stop("t2", false); got != "-" {
			t.Errorf("with the probe off, prints %s", got)
		}
		k.want("t2", runs.Ended, runs.Completed)
	})
}

func TestATurnThatFellSilentIsLostByTheClock(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		k.tool("t1", "c1")
		now := k.look(t).Now()
		if r := k.runAt("t1", now+44*60*1000); r.State != runs.Running {
			t.Errorf("within its lease the run is %s", r.State)
		}
		if r := k.runAt("t1", now+46*60*1000); r.State != runs.Ended || r.Outcome != runs.Lost || r.Basis != runs.Inferred {
			t.Errorf("after its lease the run is %s %s %s", r.State, r.Outcome, r.Basis)
		}
	})
}

func TestAnIgnoredReminderIsOverAfterItsDeadline(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		k.stop("t1", false)
		now := k.look(t).Now()
		if r := k.runAt("t1", now+14*60*1000); r.State != runs.Probing {
			t.Errorf("before its deadline the run is %s", r.State)
		}
		if r := k.runAt("t1", now+16*60*1000); r.State != runs.Ended || r.Outcome != runs.Completed {
			t.Errorf("after its deadline the run is %s %s", r.State, r.Outcome)
		}
	})
}

func TestAnEndThatComesTwiceChangesNothing(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { k.quiet("SessionEnd", "", more{"reason": "other"}) })
		}
		wg.Wait()
		k.want("t1", runs.Ended, runs.Unknown)
		version, ended := k.run("t1").Version, k.run("t1").EndedAt
		k.quiet("SessionEnd", "", more{"reason": "other"})
		if r := k.run("t1"); r.Version != version || r.EndedAt != ended || r.Revision != 1 {
			t.Errorf("version %d → %d, ended at %d → %d", version, r.Version, ended, r.EndedAt)
		}
		if got := k.stretches(); got != "1 ended" {
			t.Errorf("stretches %q", got)
		}
	})
}

// TestEventsThatRaceEachOther starts the hooks of one session as parallel processes: whoever comes first makes the row.
func TestEventsThatRaceEachOther(t *testing.T) {
	rounds := 12
	if os.Getenv("BOARD_SLOW") != "" {
		rounds = 500
	}
	eachHost(t, func(t *testing.T, k *talk) {
		for i := range rounds {
			k.session = fmt.Sprintf("session-%d", i)
			payloads := [][]byte{
				k.payload("SessionStart", "", more{"source": "startup"}), good(k, "t1", "go"),
				k.payload("PostToolUse", "t1", more{"tool_name": "Bash", "tool_use_id": "c1"}), k.payload("Stop", "t1", more{"stop_hook_active": false}),
			}
			var wg sync.WaitGroup
			for _, p := range payloads {
				wg.Go(func() { k.send(t, p) })
			}
			wg.Wait()
		}
		k.session = "one more" // whatever had to wait is drained by it
		k.prompt("t1")
		db := k.look(t)
		all := allRuns(t, db, db.Now()+clockPasses)
		if len(all) != rounds+1 {
			t.Errorf("%d runs of %d sessions", len(all), rounds+1)
		}
		for _, r := range all[:min(rounds, len(all))] {
			if r.Session != k.session && (r.Outcome != runs.Completed || !r.SawStop || r.Tools != 1) {
				t.Errorf("%s: %s, %d tools", r.Session, r.Outcome, r.Tools)
			}
		}
		if n := number(t, db, `SELECT count(*) FROM events`); n != int64(4*rounds+1) {
			t.Errorf("%d events stored, want %d", n, 4*rounds+1)
		}
	})
}

func TestASessionWithoutAStartIsOneAllTheSame(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.tool("t1", "c1")
		if got := k.stop("t1", false); got != "probe" {
			t.Errorf("prints %s", got)
		}
		k.stop("t1", true)
		k.want("t1", runs.Ended, runs.Completed)
		if got := k.stretches(); got != "1 active" {
			t.Errorf("stretches %q", got)
		}
	})
}

func TestResumedForkedAndThrowAwayIds(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.session = "A"
		k.prompt("t1")
		k.session = "B" // the throw-away id of a host that then resumes another
		k.quiet("SessionStart", "", more{"source": "startup"})
		k.session = "A"
		k.quiet("SessionStart", "", more{"source": "resume"})
		k.prompt("t2")
		k.session = "C"
		k.quiet("SessionStart", "", more{"source": "fork"})
		k.quiet("SessionStart", "", more{"source": "a word of tomorrow"})
		k.prompt("t1")
		db := k.look(t)
		for session, want := range map[string]string{"A": "1 active", "B": "", "C": "1 active"} {
			if got := wordsOf(t, db, session); got != want {
				t.Errorf("session %s: stretches %q, want %q", session, got, want)
			}
		}
		if n := number(t, db, `SELECT count(*) FROM runs r JOIN lines l ON l.id = r.line_id WHERE l.session_key = 'B'`); n != 0 {
			t.Errorf("a start without a prompt made a run")
		}
	})
}

func TestCompactionChangesNothingButSaysTheRulesAgain(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		before := k.run("t1")
		out := k.raw("SessionStart", "", more{"source": "compact"})
		if what, err := printed(k.host, "SessionStart", out); what != "context" || err != nil || !strings.Contains(out, before.Handle) {
			t.Errorf("prints %q (%v), want the context of %s", out, err, before.Handle)
		}
		after := k.run("t1")
		if after.Revision != before.Revision || after.State != before.State || after.Probes != 0 || after.LeaseUntil < before.LeaseUntil {
			t.Errorf("the run was %+v\n     and is %+v", before, after)
		}
		if got := k.stop("t1", false); got != "probe" {
			t.Errorf("the Stop after it prints %s", got)
		}
	})
}

func TestClearEndsOneSessionAndStartsAnother(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.session = "s1"
		k.prompt("t1")
		k.quiet("SessionEnd", "", more{"reason": "clear"})
		k.want("t1", runs.Ended, runs.Unknown)
		k.session = "s2"
		k.quiet("SessionStart", "", more{"source": "clear"})
		k.prompt("t2")
		k.want("t2", runs.Running, runs.None)
		if got := k.stretches(); got != "1 active" {
			t.Errorf("stretches of the new session %q", got)
		}
	})
}

func TestTeammatesAndNestedAgentsAreSessionsOfTheirOwn(t *testing.T) {
	k := newTalk(t, "claude-code", "always")
	k.session = "lead"
	k.prompt("t1")
	k.quiet("TeammateIdle", "t1", more{"teammate_name": "x", "team_name": "t"})
	k.want("t1", runs.Running, runs.None)
	k.env = []string{"CLAUDE_CODE_SESSION_ID=lead", "CLAUDECODE=1", "CLAUDE_PID=4200000001"} // inherited by a shell's claude -p
	k.session = "nested"
	k.prompt("t9")
	k.stop("t9", false)
	k.stop("t9", true)
	k.quiet("SessionEnd", "t9", more{"reason": "other"})
	k.want("t9", runs.Ended, runs.Completed)
	k.session, k.env = "lead", nil
	k.want("t1", runs.Running, runs.None)
	if got := k.stop("t1", false); got != "probe" {
		t.Errorf("the lead's Stop prints %s", got)
	}
}

func TestTheProjectComesFromThePayloadAlone(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		other, err := repository(filepath.Join(t.TempDir(), "other"))
		if err != nil {
			t.Fatal(err)
		}
		err = k.look(t).Write(context.Background(), func(ctx context.Context, tx *store.Tx) error {
			_, _, err := projects.Register(ctx, tx, other, "OTH", "other")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		k.env = []string{"CLAUDE_PROJECT_DIR=" + other, "PWD=" + other}
		prompt := func(turn, cwd string) string {
			return k.say("UserPromptSubmit", turn, more{"prompt": "go", "cwd": cwd})
		}
		if got := prompt("t1", world.repo+"/.claude/worktrees/feat1"); got != "context" {
			t.Errorf("in a work tree, prints %s", got)
		}
		if r := k.run("t1"); r.ProjectID != 1 {
			t.Errorf("project %d, want that of the work tree's repository", r.ProjectID)
		}
		for _, cwd := range []string{"/", "/gone/away", other} { // the agent went elsewhere: the run keeps its project
			k.quiet("PostToolUse", "t1", more{"tool_name": "Bash", "tool_use_id": "in " + cwd, "cwd": cwd})
			if r := k.run("t1"); r.ProjectID != 1 || r.State != runs.Running {
				t.Errorf("in %s: project %d, %s", cwd, r.ProjectID, r.State)
			}
		}
		if r := k.run("t1"); r.Tools != 3 {
			t.Errorf("%d tool events, want 3", r.Tools)
		}
		k.session = "outside"
		if got := prompt("t1", "/"); got != "-" {
			t.Errorf("in no repository, prints %s", got)
		}
		if r := k.run("t1"); r.ID != 0 {
			t.Errorf("a run without a project: %+v", r)
		}
	})
}

func TestNothingOutlivesTheAnswer(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		for _, e := range []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"} {
			began := time.Now()
			// The test's pipes close only when every process that holds them is gone.
			k.raw(e, "t1", more{"tool_name": "Bash", "tool_use_id": "c", "stop_hook_active": false, "prompt": "go"})
			if took := time.Since(began); took > 500*time.Millisecond+k.slack(t) {
				t.Errorf("%s took %s", e, took)
			}
		}
	})
}
