package storetest

import (
	"strings"
	"testing"

	"board/internal/store"
)

// step is a change of state.
type step struct{ from, to string }

// Sound reports what the schema does not forbid and board must never store. A test that opens its store by Open need not
// call it.
func Sound(t testing.TB, db *store.DB) {
	t.Helper()
	whole(t, db)
	trails(t, db)
}

// trails reports runs whose rows in events and in the history do not lead from nothing to the state that is stored: what
// events did stands with them, everything else in the history, and nothing may be missing between the two.
func trails(t testing.TB, db *store.DB) {
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

// whole reports columns that are NULL. The schema says NOT NULL only where it makes a key whole.
func whole(t testing.TB, db *store.DB) {
	rows, err := db.SQL().Query(`SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'`)
	if err != nil {
		return // the test broke or closed the store on purpose
	}
	defer func() { _ = rows.Close() }()
	conditions := map[string][]string{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Error(err)
			return
		}
		conditions[table] = append(conditions[table], column+" IS NULL")
	}
	if err := rows.Err(); err != nil {
		t.Error(err)
	}
	for table, any := range conditions {
		var n int
		if err := db.SQL().QueryRow("SELECT count(*) FROM " + table + " WHERE " + strings.Join(any, " OR ")).Scan(&n); err != nil || n > 0 {
			t.Errorf("%d rows of %s have a NULL (%v)", n, table, err)
		}
	}
}
