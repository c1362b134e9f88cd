package conformance

import (
	"context"
	"testing"

	"board/internal/runs"
	"board/internal/store"
)

// play delivers a whole recording into the store of k.
func play(t *testing.T, b *box, name string) {
	t.Helper()
	for _, e := range recording(t, b.host, name) {
		b.send(t, e.Payload, hostEnv(e.Env)...)
	}
}

func change(t *testing.T, db *store.DB, sql string, args ...any) {
	t.Helper()
	err := db.Write(context.Background(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, sql, args...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestNoEventEverMovesAnIssue(t *testing.T) {
	for _, s := range sequences() {
		if !ofEveryKind(s) {
			continue
		}
		t.Run(s.host+"/"+s.name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t, s.host, world.always)
			db := b.look(t)
			insertIssues(t, db, columns{"number": 1, "title": "free", "state": "todo"}, columns{"number": 2, "title": "held", "state": "in_progress"})
			before := issueRows(t, db)
			for i, e := range recording(t, s.host, s.name) {
				b.send(t, e.Payload, hostEnv(e.Env)...)
				if i == 1 { // the first prompt made the line: it holds an Issue from now on
					change(t, db, `UPDATE issues SET holder_line = (SELECT min(id) FROM lines), fence = 1 WHERE number = 2`)
					before = issueRows(t, db)
				}
			}
			if after := issueRows(t, db); after != before {
				t.Errorf("Issues changed\nfrom %s\n  to %s", before, after)
			}
			if n := number(t, db, `SELECT count(*) FROM history WHERE entity = 'issue'`); n != 0 {
				t.Errorf("%d history rows of Issues", n)
			}
		})
	}
}

func issueRows(t *testing.T, db *store.DB) string {
	t.Helper()
	var out string
	query(t, db, `SELECT group_concat(number || ' ' || state || ' ' || revision || ' ' || version || ' ' || fence || ' ' || holder_line || ' ' || updated_at)
		FROM issues`, func(scan func(...any) error) error { return scan(&out) })
	return out
}

func TestBackgroundShellBothTurnsCompleted(t *testing.T) {
	b := newBox(t, "claude-code", world.defaults)
	play(t, b, "bg_bash")
	all := allRuns(t, b.look(t), b.look(t).Now())
	if len(all) != 2 {
		t.Fatalf("%d runs, want 2", len(all))
	}
	for _, r := range all {
		if r.State != runs.Ended || r.Outcome != runs.Completed || r.Probes != 0 {
			t.Errorf("run %s: %s %s, %d probes", r.Turn, r.State, r.Outcome, r.Probes)
		}
	}
}

func TestAfterEachResumedPromptTheNewestStretchIsOpenAndAfterItsEndEnded(t *testing.T) {
	for _, s := range []struct{ host, name string }{{"claude-code", "resume"}, {"codex", "resume"}, {"codex", "sigint"}} {
		t.Run(s.host+"/"+s.name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t, s.host, world.always)
			prompts := map[string]int64{}
			for _, e := range recording(t, s.host, s.name) {
				b.send(t, e.Payload, hostEnv(e.Env)...)
				id := e.Field("session_id")
				want := ""
				switch e.Event {
				case "UserPromptSubmit":
					prompts[id]++
					want = "active"
				case "SessionEnd":
					want = "ended"
				default:
					continue
				}
				n := number(t, b.look(t), `SELECT max(s.n) FROM sessions s JOIN lines l ON l.id = s.line_id WHERE l.session_key = ?`, id)
				open := number(t, b.look(t), `SELECT count(*) FROM sessions s JOIN lines l ON l.id = s.line_id
					WHERE l.session_key = ? AND s.n = ? AND s.state = ?`, id, n, want)
				if n != prompts[id] || open != 1 {
					t.Errorf("after %s of prompt %d: stretch %d, want it %s", e.Event, prompts[id], n, want)
				}
			}
		})
	}
}

func TestKilledAndResumedWithoutProcessProofIsOneStretch(t *testing.T) {
	for _, s := range []struct{ host, name string }{{"claude-code", "kill_resume"}, {"codex", "sigkill"}} {
		b := newBox(t, s.host, world.always)
		play(t, b, s.name)
		if got := stretches(t, b.look(t)); len(got) != 1 || got[0].N != 1 {
			t.Errorf("%s: stretches %v, want one", s.host, got)
		}
	}
}

func TestTheEndOfOneOfTwoProcessesLeavesTheOthersRunAlone(t *testing.T) {
	k := newTalk(t, "claude-code", "always")
	k.env = []string{"CLAUDE_PID=4200000001"}
	k.prompt("t1")
	k.env = []string{"CLAUDE_PID=4200000002"}
	k.prompt("t2") // claude -p --resume ID beside the first
	k.want("t1", runs.Running, runs.None)
	k.quiet("SessionEnd", "t2", more{"reason": "other"})
	k.want("t1", runs.Running, runs.None)
	k.want("t2", runs.Ended, runs.Unknown)
	if got := k.stretches(); got != "1 active" {
		t.Errorf("stretches %q, want the first still active", got)
	}
	k.env = []string{"CLAUDE_PID=4200000001"}
	if got := k.stop("t1", false); got != "probe" {
		t.Errorf("the first process's Stop prints %s", got)
	}
	k.quiet("SessionEnd", "t1", more{"reason": "other"})
	k.want("t1", runs.Ended, runs.Completed)
	if got := k.stretches(); got != "1 ended" {
		t.Errorf("stretches %q, want the last end to end it", got)
	}
}

func TestAStopBeforeItsPromptGivesTheSameRun(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.quiet("Stop", "t1", more{"stop_hook_active": false})
		if k.run("t1").ID != 0 || k.stretches() != "" {
			t.Errorf("a Stop made a run")
		}
		k.prompt("t1")
		k.want("t1", runs.Ended, runs.Completed)
		if rows := k.events("stop"); len(rows) != 1 || rows[0].Disposition != "adopted" || rows[0].Run == 0 {
			t.Errorf("the Stop is %+v, want adopted", rows)
		}
		if r := k.run("t1"); r.Probes != 0 {
			t.Errorf("an adopted Stop probed")
		}
	})
}

func TestAStopOfAnUnseenKeyLeavesNoRunAndOneRowWithItsReason(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		for range 3 {
			k.quiet("Stop", "t1", more{"stop_hook_active": false})
		}
		rows := stored(t, k.look(t))
		if len(rows) != 1 || rows[0].Disposition != "unattributed" || rows[0].Reason != "unknown_key" || rows[0].Run != 0 {
			t.Errorf("events %+v, want one unattributed row with its reason", rows)
		}
		if n := number(t, k.look(t), `SELECT count(*) FROM runs`); n != 0 {
			t.Errorf("%d runs", n)
		}
	})
}

func TestALateEventOfAnOlderTurnNeverEndsTheLiveTurn(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		k.prompt("t2")
		k.tool("t1", "call1") // another process's hook was slow
		k.quiet("Stop", "t1", more{"stop_hook_active": false})
		k.quiet("Stop", "t1", more{"stop_hook_active": true})
		k.want("t2", runs.Running, runs.None)
		k.want("t1", runs.Ended, runs.Completed)
	})
}
