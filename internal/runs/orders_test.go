package runs_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"board/internal/runs"
	"board/internal/store"
)

// TestTwoRunsInTwoProjectsInAnyOrder plays a prompt, an edit in each of two projects and a Stop of two turns of a session
// in orders in which a turn's own events overtake each other too: what is on record is the same. BOARD_SLOW=1 plays all
// 40,320 orders, else every 97th of them.
func TestTwoRunsInTwoProjectsInAnyOrder(t *testing.T) {
	step := 97
	if os.Getenv("BOARD_SLOW") != "" {
		step = 1
	}
	s := newScene(t)
	var events []runs.Observation
	for _, turn := range []string{"t1", "t2"} {
		for i, kind := range []string{"prompt", "edit", "edit", "stop"} {
			o := mevent{kind: kind, turn: turn, call: fmt.Sprint(i), flag: kind == "stop"}.observation("", 1)
			if o.Kind.Registers() {
				o.ExecutionHost = runs.Desktop
			}
			if i == 2 {
				o.Edits[0] = runs.Edit{ProjectID: 2, Path: turn}
			}
			events = append(events, o)
		}
	}
	n, played := 0, 0
	var batch [][]int // a transaction each, with as much history as one may hold
	play := func() {
		s.write(func(ctx context.Context, tx *store.Tx) error {
			for _, order := range batch {
				played++
				for _, i := range order {
					o := events[i]
					o.Key.Session = fmt.Sprint("s", played)
					if _, err := runs.Observe(ctx, tx, o, nil); err != nil {
						return err
					}
				}
			}
			return nil
		})
		batch = nil
	}
	permutations(len(events), func(order []int) {
		if n++; n%step == 0 {
			batch = append(batch, slices.Clone(order))
		}
		if len(batch) == 100 {
			play()
		}
	})
	play()
	got := map[string]int{}
	s.write(func(ctx context.Context, tx *store.Tx) error {
		for page := (runs.RunFilter{Limit: 500}); ; {
			all, err := runs.List(ctx, tx, tx.Now+lease+deadline, page)
			for _, r := range all { // an edit after the Stop goes on until the clock ends it
				got[fmt.Sprintf("%s %s %s, %d probes, late %v", r.Turn, r.Outcome, r.Basis, r.Probes, r.LateStart)]++
				page.Before = r.ID
			}
			if err != nil || len(all) < page.Limit {
				return err
			}
		}
	})
	if n != 40_320 {
		t.Fatalf("%d orders, want 8!", n)
	}
	for _, what := range s.texts(`SELECT r.turn_key || ' P' || e.project_id || ' ' || e.path || ' ' || e.n FROM runs r JOIN evidence e ON e.run_id = r.id
		UNION ALL SELECT r.turn_key || ' P' || c.project_id || ' ' || c.capability || ' ' || c.rule FROM runs r JOIN scopes c ON c.run_id = r.id`) {
		got[what]++
	}
	want := map[string]int{}
	for _, turn := range []string{"t1", "t2"} {
		for _, what := range []string{
			" P1 a.go 1", " P1 supported claude-code/desktop@1", " P2 supported claude-code/desktop@1", " P2 " + turn + " 1",
			" completed observed, 0 probes, late false",
		} {
			want[turn+what] = played
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("%d orders give\n%v\nwant\n%v", played, got, want)
	}
}

// permutations calls fn with every order of 0..n-1.
func permutations(n int, fn func([]int)) {
	var grow func(order []int)
	grow = func(order []int) {
		if len(order) == n {
			fn(order)
			return
		}
		for i := range n {
			if !slices.Contains(order, i) {
				grow(append(order, i))
			}
		}
	}
	grow(make([]int, 0, n))
}

// texts answers a query for one column of texts.
func (s *scene) texts(query string, args ...any) (out []string) {
	s.t.Helper()
	rows, err := s.db.SQL().Query(query, args...)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			s.t.Fatal(err)
		}
		out = append(out, one)
	}
	if err := rows.Err(); err != nil {
		s.t.Fatal(err)
	}
	return out
}
