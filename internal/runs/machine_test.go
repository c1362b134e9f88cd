package runs_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"board/internal/runs"
	"board/internal/store"
	"board/internal/storetest"
)

// steps is how many events the model test plays, at least.
const steps = 10_000

func TestRunsBehaveLikeTheModel(t *testing.T) {
	db, clock := storetest.Open(t)
	var played, checks atomic.Int64
	rapid.Check(t, func(rt *rapid.T) {
		n := checks.Add(1)
		m := newModel(rapid.SampledFrom([]string{"always", "always", "due", "off"}).Draw(rt, "policy"), 0)
		if rapid.Bool().Draw(rt, "gap") {
			m.gap = 20 * 60_000
		}
		session := fmt.Sprintf("s%d", n)
		setPolicy(rt, db, m)
		first := newest(rt, db)
		for range rapid.IntRange(100, 110).Draw(rt, "length") {
			clock.Add(time.Duration(rapid.SampledFrom([]int{0, 1, 30, 300, 14 * 60, 16 * 60, 46 * 60}).Draw(rt, "seconds")) * time.Second)
			m.now = clock.Now().UnixMilli()
			e := draw(rt, m)
			o := e.observation(session, 7)
			if e.afterRun != 0 {
				o.AfterRun += first
			}
			want := m.event(e)
			got := observe(rt, db, o)
			played.Add(1)
			if (got.Say == runs.Reminder) != want {
				rt.Fatalf("%+v: reminder %v, want %v", e, !want, want)
			}
			compare(rt, db, m, session, e)
		}
	})
	if !t.Failed() && !testing.Short() && played.Load() < steps {
		t.Errorf("only %d events were played, want %d", played.Load(), steps)
	}
}

func draw(rt *rapid.T, m *model) mevent {
	e := mevent{
		kind: rapid.SampledFrom([]string{
			"prompt", "prompt", "prompt", "host_prompt", "start", "start", "tool", "tool", "tool", "edit",
			"stop", "stop", "stop", "failure", "interrupt", "substop", "session_end",
		}).Draw(rt, "kind"),
		proc:       rapid.SampledFrom([]string{"p1", "p1", "p1", "p2", ""}).Draw(rt, "process"),
		receivedAt: m.now,
	}
	child := e.kind == "start" || e.kind == "substop"
	if e.kind == "tool" || e.kind == "edit" || e.kind == "failure" {
		child = rapid.Bool().Draw(rt, "of a child")
	}
	if child {
		e.agent = rapid.SampledFrom([]string{"a1", "a2", "a3"}).Draw(rt, "agent")
	} else if e.kind != "session_end" {
		// Mostly the newest turns: old ones are over.
		turns := len(m.runs)
		e.turn = fmt.Sprintf("t%d", max(0, turns-3)+rapid.IntRange(0, 4).Draw(rt, "turn"))
	}
	switch e.kind {
	case "tool", "edit":
		e.call = fmt.Sprintf("c%d", rapid.IntRange(0, 1000).Draw(rt, "call"))
	case "stop":
		e.flag = rapid.IntRange(0, 3).Draw(rt, "flag") == 0
		e.plan = rapid.IntRange(0, 9).Draw(rt, "plan") == 0
		e.listed = rapid.Bool().Draw(rt, "lists tasks")
		if e.listed {
			e.tasks = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a1", "a2", "d1", "d2", "d3", "d4"}), 0, 2, rapid.ID).Draw(rt, "tasks")
		}
	}
	if e.spooled = rapid.IntRange(0, 7).Draw(rt, "spooled") == 0; e.spooled {
		e.afterRun = rapid.IntRange(min(1, len(m.runs)), len(m.runs)).Draw(rt, "after run")
	}
	return e
}

func setPolicy(rt *rapid.T, db *store.DB, m *model) {
	must(rt, db.Write(context.Background(), func(ctx context.Context, tx *store.Tx) error {
		if err := runs.SetConfig(ctx, tx, 0, "", "probe", m.policy); err != nil {
			return err
		}
		return runs.SetConfig(ctx, tx, 0, "", "probe_gap", fmt.Sprintf("%dms", m.gap))
	}))
}

func observe(rt *rapid.T, db *store.DB, o runs.Observation) (res runs.Result) {
	must(rt, db.Write(context.Background(), func(ctx context.Context, tx *store.Tx) (err error) {
		res, err = runs.Observe(ctx, tx, o, nil)
		return err
	}))
	return res
}

func newest(rt *rapid.T, db *store.DB) (id int64) {
	must(rt, db.Read(context.Background(), func(ctx context.Context, tx *store.Tx) (err error) {
		id, err = runs.NewestRun(ctx, tx)
		return err
	}))
	return id
}

// compare holds every run of the session against the model, as they are now and as they will be when the clock has
// ended them all.
func compare(rt *rapid.T, db *store.DB, m *model, session string, after mevent) {
	must(rt, db.Read(context.Background(), func(ctx context.Context, tx *store.Tx) error {
		got, err := runs.Recorded(ctx, tx, session)
		if err != nil {
			return err
		}
		if len(got) != len(m.runs) {
			rt.Fatalf("after %+v: %d runs, want %d", after, len(got), len(m.runs))
		}
		n, open, err := runs.NewestStretch(ctx, tx, session)
		if err != nil {
			return err
		}
		if n != int64(m.stretch) || open != m.open {
			rt.Fatalf("after %+v: stretch %d, open %v, want %d, %v", after, n, open, m.stretch, m.open)
		}
		for i, g := range got {
			g = g.At(m.now)
			w := *m.runs[i]
			m.tick(&w, m.now)
			basis := ""
			if w.state == "ended" {
				basis = "inferred"
				if w.stop || w.fail || w.intr {
					basis = "observed"
				}
			}
			have := fmt.Sprintf("%s %s %s %s probes=%d revision=%d", g.State, g.Outcome, g.Basis, g.Reason, g.Probes, g.Revision)
			want := fmt.Sprintf("%s %s %s %s probes=%d revision=1", w.state, w.outcome(), basis, w.reason, w.probes)
			if have != want {
				rt.Fatalf("after %+v: run %d (%s):\n got %s\nwant %s", after, w.n, w.key, have, want)
			}
			if g.IsLive() && g.ExpiresAt() != w.expires() {
				rt.Fatalf("after %+v: run %d (%s, %s) expires at %d, want %d (now %d)", after, w.n, w.key, w.state, g.ExpiresAt(), w.expires(), m.now)
			}
		}
		return nil
	}))
}

func must(rt *rapid.T, err error) {
	rt.Helper()
	if err != nil {
		rt.Fatal(err)
	}
}
