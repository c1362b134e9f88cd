package runs

import (
	"strings"
	"testing"

	"board/internal/storetest"
)

// Views and every command that writes look at what is open: however many runs there ever were, few are.
func TestAViewOfAllSessionsReadsNoWholeTable(t *testing.T) {
	db, _ := storetest.Open(t)
	for name, c := range map[string]struct {
		query string
		args  []any
		scans []string // what may be read as a whole
	}{
		"sessions": {openQuery, nil, []string{"s USING INDEX sessions_open"}},
		"live":     {"SELECT " + runColumns + fromRuns + whereLive, nil, []string{"r USING INDEX runs_live"}},
		"newest":   {"SELECT " + runColumns + fromRuns + whereNewestEnded, []any{"[]"}, []string{"json_each VIRTUAL TABLE"}},
		"proofs":   {proofsQuery, []any{"[]"}, []string{"j VIRTUAL TABLE"}},
	} {
		rows, err := db.SQL().Query("EXPLAIN QUERY PLAN "+c.query, c.args...)
		if err != nil {
			t.Fatal(name, err)
		}
		for rows.Next() {
			var id, parent, unused int
			var step string
			if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
				t.Fatal(err)
			}
			what, scan := strings.CutPrefix(step, "SCAN ")
			for _, may := range c.scans {
				scan = scan && !strings.HasPrefix(what, may)
			}
			if scan {
				t.Errorf("%s: %s", name, step)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		_ = rows.Close()
	}
}
