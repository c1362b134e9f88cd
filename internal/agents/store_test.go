package agents

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"testing"

	"board/internal/storetest"
)

// A board has hundreds of thousands of events and tens of thousands of Issues; what is open and what is live are few.
func TestNoQueryReadsAWholeTableThatGrows(t *testing.T) {
	db, _ := storetest.Open(t)
	for name, c := range map[string]struct {
		query string
		args  []any
		may   []string // what is small, or an index of what is open alone
	}{
		"issues":   {issueQuery, []any{0}, []string{"p USING COVERING INDEX"}},
		"prefixes": {prefixQuery, nil, []string{"projects USING COVERING INDEX"}},
		"hosts":    {hostQuery, []any{"notify"}, []string{"lost_stops", "host_events"}},
		"work":     {workQuery, []any{workRuns, 0, "[]"}, []string{"w", "json_each"}}, // the newest runs, and those that live
		"contests": {contestQuery, nil, []string{"r USING INDEX runs_live", "live", "twice"}},
		"scopes":   {scopeQuery, []any{"[]", true}, []string{"j"}},
	} {
		steps := plan(t, db.SQL(), c.query, c.args)
		for _, step := range steps {
			what, scan := strings.CutPrefix(step, "SCAN ")
			if scan && !slices.ContainsFunc(c.may, func(m string) bool {
				return what == m || strings.HasPrefix(what, m+" ") || m == "(subquery" && strings.HasPrefix(what, m)
			}) {
				t.Errorf("%s: %s in\n%s", name, step, strings.Join(steps, "\n"))
			}
		}
	}
}

func plan(t *testing.T, db *sql.DB, query string, args []any) (steps []string) {
	t.Helper()
	rows, err := db.QueryContext(context.Background(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step)
	}
	return steps
}
