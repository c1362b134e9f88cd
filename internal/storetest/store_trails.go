package storetest

import (
	"testing"

	"board/internal/store"
)

// step is a change of state.
type step struct{ from, to string }

// Trails reports runs whose rows in events and in the history do not lead from nothing to the state that is stored: what
// events did stands with them, everything else in the history, and nothing may be missing between the two.
func Trails(t testing.TB, db *store.DB) {
	t.Helper()
	steps := func(query string) map[int64][]step {
		all := map[int64][]step{}
		rows, err := db.SQL().Query(query)
		if err != nil {
			return all // the test broke or closed the store on purpose
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var id int64
			var s step
			if err := rows.Scan(&id, &s.from, &s.to); err != nil {
				t.Error(err)
				return all
			}
			all[id] = append(all[id], s)
		}
		if err := rows.Err(); err != nil {
			t.Error(err)
		}
		return all
	}
	observed := steps(`SELECT run_id, from_state, to_state FROM events WHERE run_id <> 0 AND to_state <> '' ORDER BY run_id, n`)
	concluded := steps(`SELECT entity_id, from_state, to_state FROM history WHERE entity = 'run' AND to_state <> '' ORDER BY entity_id, seq`)
	for id, end := range steps(`SELECT id, '', state FROM runs`) {
		if !leads("", end[0].to, observed[id], concluded[id]) {
			t.Errorf("run %d is %s: its events did %v, and the history has %v", id, end[0].to, observed[id], concluded[id])
		}
	}
}

// leads reports whether the steps of a and b, each in its order, can be taken in turn from one state to another.
func leads(state, end string, a, b []step) bool {
	if len(a) == 0 && len(b) == 0 {
		return state == end
	}
	return len(a) > 0 && a[0].from == state && leads(a[0].to, end, a[1:], b) ||
		len(b) > 0 && b[0].from == state && leads(b[0].to, end, a, b[1:])
}
