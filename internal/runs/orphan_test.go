package runs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"testing"
	"time"

	"board/internal/runs"
	"board/internal/store"
)

// orphans returns what contradicts itself now: the rule, what that rests on, and how long it has been so.
func (s *scene) orphans() (out map[string]time.Duration) {
	s.t.Helper()
	out = map[string]time.Duration{}
	for _, c := range s.conversations() {
		if o := c.Orphan(s.now()); o.Rule != "" {
			out[c.Line.Session+" "+o.Rule+" "+o.Basis] = time.Duration(o.Diverged(s.now())) * time.Millisecond
		}
	}
	return out
}

func (s *scene) reap() (n int) {
	s.t.Helper()
	s.write(func(ctx context.Context, tx *store.Tx) (err error) {
		n, err = runs.Reap(ctx, tx)
		return err
	})
	return n
}

// reaped returns the details of what was reaped, in their order.
func (s *scene) reaped() (out []map[string]string) {
	s.t.Helper()
	for _, row := range s.texts(`SELECT json_patch(detail, json_object('entity', entity, 'actor', actor)) FROM history
		WHERE detail ->> 'rule' <> '' ORDER BY seq`) {
		one := map[string]string{}
		if err := json.Unmarshal([]byte(row), &one); err != nil {
			s.t.Fatal(err)
		}
		out = append(out, one)
	}
	return out
}

func TestAnOpenSessionWhoseHostIsGoneIsReapedAfterTenMinutes(t *testing.T) {
	s := newScene(t)
	proof, kill := host(t)
	s.from("s", proof, mevent{kind: "prompt", turn: "t1"})
	s.from("s", proof, mevent{kind: "stop", turn: "t1", flag: true})
	if got := s.orphans(); len(got) != 0 {
		t.Errorf("while its host lives: %v", got)
	}
	kill()
	const name = "s session_without_run host_gone"
	s.clock.Add(119 * time.Second)
	if got := s.orphans(); len(got) != 1 || got[name] != 119*time.Second || runs.OrphanFlagged != 120_000 {
		t.Errorf("%v, want %s", got, name)
	}
	s.clock.Add(480*time.Second + 999*time.Millisecond)
	if n := s.reap(); n != 0 {
		t.Errorf("%d reaped a millisecond too early", n)
	}
	s.clock.Add(time.Millisecond)
	if n := s.reap(); n != 1 {
		t.Errorf("%d reaped after ten minutes, want 1", n)
	}
	if n := s.reap(); n != 0 || len(s.orphans()) != 0 {
		t.Errorf("%d reaped twice; left: %v", n, s.orphans())
	}
	want := map[string]string{
		"entity": "session", "actor": "clock", "session": "s", "run": "r1", "rule": "session_without_run", "basis": "host_gone",
		"diverged_s": "600", "threshold_s": "600", "reason": "host_gone",
	}
	if got := s.reaped(); len(got) != 1 || !maps.Equal(got[0], want) {
		t.Errorf("the history has %v\nwant %v", got, want)
	}
	if v := s.sessions(); v[0].Open() || v[0].Basis != runs.Inferred || v[0].EndedAt != v[0].LastSeenAt {
		t.Errorf("the session: %+v", v[0])
	}
}

// TestARunWithoutASessionIsReaped: a turn that came from the spool opens nothing after its session's end.
func TestARunWithoutASessionIsReaped(t *testing.T) {
	s := newScene(t)
	s.see(mevent{kind: "prompt", turn: "t1"})
	s.see(mevent{kind: "session_end"})
	s.clock.Add(time.Minute)
	r := s.see(mevent{kind: "prompt", turn: "t2", spooled: true}).Run
	s.clock.Add(10*time.Minute - time.Millisecond)
	const name = "s run_without_session session_ended"
	if got := s.orphans(); len(got) != 1 || got[name] != 10*time.Minute-time.Millisecond {
		t.Errorf("%v, want %s", got, name)
	}
	if n := s.reap(); n != 0 {
		t.Errorf("%d reaped too early", n)
	}
	s.clock.Add(time.Millisecond)
	if n := s.reap(); n != 1 {
		t.Errorf("%d reaped, want 1", n)
	}
	if got := end(s.recorded("s")[1]); got != "unknown inferred orphan" {
		t.Errorf("stored as %s", got)
	}
	got := s.reaped()
	if len(got) != 1 || got[0]["entity"] != "run" || got[0]["run"] != r.Short() || got[0]["rule"] != "run_without_session" ||
		got[0]["basis"] != "session_ended" || got[0]["diverged_s"] != "600" || got[0]["threshold_s"] != "600" || got[0]["outcome"] != "unknown" {
		t.Errorf("the history has %v", got)
	}
	if n := s.reap(); n != 0 {
		t.Errorf("%d reaped twice", n)
	}
	s.see(mevent{kind: "tool", turn: "t2", call: "c"}) // it lives after all
	if got := end(s.recorded("s")[1]); got != "running" {
		t.Errorf("after its next event it is %s", got)
	}
	if n, open := s.stretch(); n != 2 || !open {
		t.Errorf("stretch %d, open %v, want the second, open", n, open)
	}
}

func TestNothingButAnOrphanIsReaped(t *testing.T) {
	for _, state := range runs.Live() {
		for _, orphan := range []bool{true, false} {
			got, err := runs.Machine().Fire(t.Context(), state, runs.Reaped, runs.Facts{Orphaned: orphan})
			if (err == nil) != orphan || orphan && got != runs.Ended {
				t.Errorf("%s, an orphan: %v, becomes %s (%v)", state, orphan, got, err)
			}
		}
	}
}

// TestSilenceAloneIsNoOrphan: people go to lunch, and home.
func TestSilenceAloneIsNoOrphan(t *testing.T) {
	s := newScene(t)
	s.see(mevent{kind: "prompt", turn: "t1"})
	s.see(mevent{kind: "stop", turn: "t1", flag: true})
	s.clock.Add(3 * time.Hour)
	if got := s.orphans(); len(got) != 0 || s.reap() != 0 {
		t.Errorf("idle for three hours: %v", got)
	}
	if res := s.see(mevent{kind: "prompt", turn: "t2"}); end(res.Run) != "running" {
		t.Errorf("the next prompt: %s", end(res.Run))
	}
	if n, open := s.stretch(); n != 1 || !open {
		t.Errorf("stretch %d, open %v, want the first to go on", n, open)
	}
	s.see(mevent{kind: "stop", turn: "t2", flag: true})
	s.clock.Add(24*time.Hour - time.Millisecond)
	if got := s.orphans(); len(got) != 0 {
		t.Errorf("silent for less than a day: %v", got)
	}
	s.clock.Add(10*time.Minute + time.Millisecond)
	if got := s.orphans(); len(got) != 1 || got["s session_without_run silence"] != 10*time.Minute {
		t.Errorf("silent for a day and ten minutes: %v", got)
	}
	if n := s.reap(); n != 1 || s.reap() != 0 {
		t.Errorf("%d reaped, want 1", n)
	}
	if v := s.sessions(); v[0].Open() || v[0].Reason != "silence" || v[0].Basis != runs.Inferred {
		t.Errorf("the session: %+v", v[0])
	}
}

// TestNothingIsReapedOnAPartialRead: what could not be read may be what lives.
func TestNothingIsReapedOnAPartialRead(t *testing.T) {
	for table, others := range map[string]int{"runs": 2, "lines": 1} {
		for _, stopped := range []bool{false, true} {
			s := newScene(t)
			s.see(mevent{kind: "prompt", turn: "t1"})
			s.see(mevent{kind: "stop", turn: "t1", flag: true})
			s.from("broken", "", mevent{kind: "prompt", turn: "t1"})
			if stopped {
				s.from("broken", "", mevent{kind: "stop", turn: "t1", flag: true})
			}
			s.clock.Add(25 * time.Hour)
			set := func(facts string) {
				s.write(func(ctx context.Context, tx *store.Tx) error {
					_, err := tx.ExecContext(ctx, `UPDATE `+table+` SET facts = `+facts+` WHERE id = 2`)
					return err
				})
			}
			set(`rtrim(facts, '}')`)
			s.write(func(ctx context.Context, tx *store.Tx) error {
				list, skipped, err := runs.Conversations(ctx, tx, tx.Now)
				if err != nil || skipped == 0 || len(list) != others || list[0].Newest.Session != "s" {
					t.Errorf("%s, stopped %v: %d conversations, %d skipped (%v), want %d, and some skipped", table, stopped, len(list), skipped, err, others)
				}
				return nil
			})
			if n := s.reap(); n != 0 {
				t.Errorf("%s: %d reaped", table, n)
			}
			set(`facts || '}'`)
			if n := s.reap(); n != 2 {
				t.Errorf("%s: %d reaped once all can be read, want 2", table, n)
			}
		}
	}
}

// TestManyOrphansAreReapedSomeAtATime: of a store that no command was run on for long.
func TestManyOrphansAreReapedSomeAtATime(t *testing.T) {
	s := newScene(t)
	const sessions = 250
	s.write(func(ctx context.Context, tx *store.Tx) error {
		for i := range sessions {
			o := mevent{kind: "prompt", turn: "t1"}.observation(fmt.Sprint("s", i), 7)
			if _, err := runs.Observe(ctx, tx, o, nil); err != nil {
				return err
			}
		}
		return nil
	})
	s.clock.Add(25 * time.Hour)
	for _, want := range []int{100, 100, 50, 0} {
		if n := s.reap(); n != want {
			t.Errorf("%d reaped, want %d", n, want)
		}
	}
}

// TestTidyWritesDownOrphansAndDigestsOnce: and where there is nothing to do it writes nothing.
func TestTidyWritesDownOrphansAndDigestsOnce(t *testing.T) {
	s := newScene(t)
	s.see(mevent{kind: "prompt", turn: "t1"})
	tidy := func() {
		t.Helper()
		if err := runs.Tidy(t.Context(), s.db); err != nil {
			t.Fatal(err)
		}
	}
	tidy()
	if n := s.number(`SELECT count(*) FROM history`); n != 0 {
		t.Errorf("%d rows where there is nothing to do", n)
	}
	s.clock.Add(25 * time.Hour)
	tidy()
	tidy()
	for what, want := range map[string]int64{
		`SELECT count(*) FROM sessions WHERE state = 'summarized' AND digest <> ''`:                                1,
		`SELECT count(*) FROM history WHERE entity = 'session' AND event = 'silence'`:                              1,
		`SELECT count(*) FROM history WHERE entity = 'session' AND event = 'summarize'`:                            1,
		`SELECT count(*) FROM history WHERE entity = 'run' AND event = 'expire' AND detail ->> 'reason' = 'lease'`: 1,
		`SELECT count(*) FROM history`: 3,
	} {
		if n := s.number(what); n != want {
			t.Errorf("%s: %d, want %d", what, n, want)
		}
	}
}
