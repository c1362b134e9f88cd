package runs_test

import (
	"context"
	"testing"
	"time"

	"board/internal/fault"
	"board/internal/runs"
	"board/internal/store"
	"board/internal/storetest"
)

// scene is a store and one session in it.
type scene struct {
	t     *testing.T
	db    *store.DB
	clock *storetest.Clock
}

func newScene(t *testing.T) *scene {
	db, clock := storetest.Open(t)
	return &scene{t, db, clock}
}

// see delivers an event of the session s.
func (s *scene) see(e mevent) (res runs.Result) {
	s.t.Helper()
	e.receivedAt = s.clock.Now().UnixMilli()
	s.write(func(ctx context.Context, tx *store.Tx) (err error) {
		res, err = runs.Observe(ctx, tx, e.observation("s", 7), nil)
		return err
	})
	return res
}

func (s *scene) write(fn func(context.Context, *store.Tx) error) {
	s.t.Helper()
	if err := s.db.Write(context.Background(), fn); err != nil {
		s.t.Fatal(err)
	}
}

// status is that of the session's root line.
func (s *scene) status(line int64) (st runs.Status) {
	s.t.Helper()
	s.write(func(ctx context.Context, tx *store.Tx) error {
		all, err := runs.StatusOf(ctx, tx, tx.Now, line)
		st = all[line]
		return err
	})
	return st
}

func (s *scene) stretch() (n int64, open bool) {
	s.t.Helper()
	s.write(func(ctx context.Context, tx *store.Tx) (err error) {
		n, open, err = runs.NewestStretch(ctx, tx, "s")
		return err
	})
	return n, open
}

func (s *scene) resolve(w runs.Who) (c runs.Caller, err error) {
	s.t.Helper()
	s.write(func(ctx context.Context, tx *store.Tx) error {
		c, err = runs.Resolve(ctx, tx, w)
		return nil
	})
	return c, err
}

func TestATurnFromTheSpoolOpensItsStretchWithItsFirstDirectEvent(t *testing.T) {
	s := newScene(t)
	s.see(mevent{kind: "prompt", turn: "t1"})
	s.see(mevent{kind: "session_end"})
	s.see(mevent{kind: "prompt", turn: "t2", spooled: true})
	if n, open := s.stretch(); n != 1 || open {
		t.Fatalf("a spooled prompt opened stretch %d (%v)", n, open)
	}
	s.see(mevent{kind: "tool", turn: "t2", call: "c"})
	if n, open := s.stretch(); n != 2 || !open {
		t.Errorf("stretch %d, open %v, want the second, open", n, open)
	}
}

func TestACallByTheIdOfALiveRunIsThatRuns(t *testing.T) {
	s := newScene(t)
	r1 := s.see(mevent{kind: "prompt", turn: "t1", proc: "p1"}).Run
	r2 := s.see(mevent{kind: "prompt", turn: "t2", proc: "p2"}).Run
	for _, r := range []runs.Run{r1, r2} {
		c, err := s.resolve(runs.Who{Handle: r.Handle})
		if err != nil || c.Run.ID != r.ID {
			t.Errorf("the call of %s is that of %s (%v)", r.Short(), c.Run.Short(), err)
		}
	}
}

func TestACallRegistersTheRunThatItProves(t *testing.T) {
	s := newScene(t) // which looks, in the end, whether every run has a trail from its start
	s.see(mevent{kind: "prompt", turn: "t1"})
	key := runs.Key{Host: runs.Codex, Session: "c1", Turn: "t1"}
	c, err := s.resolve(runs.Who{Proof: &runs.Proof{Host: runs.Codex, Key: key}, ProjectID: 1})
	if err != nil || !c.Proven || !c.Run.LateStart || c.Run.State != runs.Running {
		t.Errorf("%v: %+v", err, c)
	}
}

func TestTheLastEventOfALineIsThatOfAnyOfItsRuns(t *testing.T) {
	s := newScene(t)
	line := s.see(mevent{kind: "prompt", turn: "t1", proc: "p1"}).Line.ID
	s.see(mevent{kind: "prompt", turn: "t2", proc: "p2"})
	s.see(mevent{kind: "stop", turn: "t2", proc: "p2", flag: true})
	for i := range 10 {
		s.clock.Add(30 * time.Minute)
		s.see(mevent{kind: "tool", turn: "t1", proc: "p1", call: string(rune('a' + i))})
	}
	s.see(mevent{kind: "stop", turn: "t1", proc: "p1", flag: true})
	if st := s.status(line); st.LastEventAt != s.clock.Now().UnixMilli() {
		t.Errorf("the last event was %d ms ago", s.clock.Now().UnixMilli()-st.LastEventAt)
	}
}

func TestASessionIsSilentOnlyIfAllOfItIs(t *testing.T) {
	s := newScene(t)
	s.see(mevent{kind: "prompt", turn: "t1", proc: "p1"})
	s.see(mevent{kind: "prompt", turn: "t2", proc: "p2"})
	s.see(mevent{kind: "stop", turn: "t2", proc: "p2", flag: true})
	for i := range 50 {
		s.clock.Add(30 * time.Minute)
		s.see(mevent{kind: "tool", turn: "t1", proc: "p1", call: string(rune('A' + i))})
	}
	s.see(mevent{kind: "prompt", turn: "t3", proc: "p1"})
	if n, _ := s.stretch(); n != 1 {
		t.Errorf("stretch %d, want the first: there was an event every half hour", n)
	}
}

func TestAProofWithAnUnseenKeyDoesNotLendItselfToAForeignRun(t *testing.T) {
	s := newScene(t)
	r := s.see(mevent{kind: "prompt", turn: "t1"}).Run
	w := runs.Who{Handle: r.Handle, Proof: &runs.Proof{Host: runs.Codex, Key: runs.Key{Host: runs.Codex, Session: "c9", Turn: "x"}}}
	s.write(func(ctx context.Context, tx *store.Tx) error {
		if _, err := runs.Peek(ctx, tx, tx.Now, w); fault.CodeOf(err) != fault.NotYourRun {
			t.Errorf("a read answers %v, want not_your_run", err)
		}
		return nil
	})
}

func TestASpooledEndIsPutInOrderByWhatItKnewNotByTheClock(t *testing.T) {
	s := newScene(t)
	r := s.see(mevent{kind: "prompt", turn: "t1"}).Run
	s.clock.Add(-time.Minute) // the clock steps back before the session ends
	s.see(mevent{kind: "session_end", spooled: true, afterRun: int(r.ID)})
	if _, open := s.stretch(); open {
		t.Error("the session is still open")
	}
}

func TestAPromptWithoutATurnIdIsItsDoubleOnlyForAMoment(t *testing.T) {
	s := newScene(t)
	s.see(mevent{kind: "prompt"})
	if d := s.see(mevent{kind: "prompt"}).Disposition; d != runs.Duplicate {
		t.Errorf("an immediate twin is %s", d)
	}
	s.clock.Add(10 * time.Minute)
	if d := s.see(mevent{kind: "prompt"}).Disposition; d != runs.Applied {
		t.Errorf("a prompt ten minutes later is %s", d)
	}
}

func TestEndsThatTheClockMadeAreWrittenDownInPassing(t *testing.T) {
	s := newScene(t)
	line := s.see(mevent{kind: "prompt", turn: "t1"}).Line.ID
	s.clock.Add(time.Hour)
	s.write(func(ctx context.Context, tx *store.Tx) error { return runs.WriteDown(ctx, tx, line) })
	s.write(func(ctx context.Context, tx *store.Tx) error {
		all, err := runs.Recorded(ctx, tx, "s")
		if err == nil && (all[0].State != runs.Ended || all[0].Outcome != runs.Lost) {
			t.Errorf("stored as %s %s", all[0].State, all[0].Outcome)
		}
		return err
	})
}
