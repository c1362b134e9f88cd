package agents

import (
	"context"

	"board/internal/issues"
	"board/internal/runs"
	"board/internal/store"
)

// each calls fn with every row of a query.
func each(ctx context.Context, q store.Querier, query string, args []any, fn func(scan func(...any) error) error) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := fn(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// issueRow is an Issue that somebody works on, has set aside, or wants to be looked at.
type issueRow struct {
	ID, ProjectID  int64
	Key, Title     string
	State          issues.State
	UpdatedAt      int64
	Blockers       int64
	Pause          issues.PauseReason
	PausedByPerson bool
	PausedAt       int64
	RequestedAt    int64
	ClosureRun     int64
	Holder         int64   // the line that holds it, 0 for none
	Of             session // the session of that line, else of the one that worked on it last; zero for none
	LastReason     string  // of its last pause, release or request for changes
	LastRun        int64   // the newest run of that line
	LineSeenAt     int64   // the last event of the line that holds it; looked up only where the Issue may be stale
}

const issueQuery = `SELECT i.id, i.project_id, p.prefix, i.number, i.title, i.state, i.updated_at, i.open_blockers, i.pause_reason,
		i.paused_by_person, i.last_reason, i.requested_at, i.closure_run, i.holder_line,
		coalesce(l.host, ''), coalesce(l.session_key, ''), coalesce(l.last_run, 0),
		CASE WHEN i.state = 'paused' THEN coalesce((SELECT max(h.at) FROM history h
			WHERE h.entity = 'issue' AND h.entity_id = i.id AND h.event = 'pause'), 0) ELSE 0 END,
		CASE WHEN i.updated_at <= ? AND i.holder_line <> 0 THEN coalesce((SELECT max(r.last_seen_at) FROM runs r
			WHERE r.line_id = i.holder_line), 0) ELSE 0 END
	FROM projects p CROSS JOIN issues i INDEXED BY issues_open
	LEFT JOIN lines l ON l.id = iif(i.holder_line <> 0, i.holder_line, i.last_line)
	WHERE i.project_id = p.id AND i.state NOT IN ('done', 'canceled') AND i.state IN ('in_progress', 'paused', 'in_review')`

// openIssues returns the Issues of all projects that are in progress, paused or in review.
func openIssues(ctx context.Context, q store.Querier, now int64) (out []issueRow, err error) {
	err = each(ctx, q, issueQuery, []any{now - issues.StaleAfter}, func(scan func(...any) error) error {
		var i issueRow
		var prefix string
		var number int64
		err := scan(&i.ID, &i.ProjectID, &prefix, &number, &i.Title, &i.State, &i.UpdatedAt, &i.Blockers, &i.Pause,
			&i.PausedByPerson, &i.LastReason, &i.RequestedAt, &i.ClosureRun, &i.Holder, &i.Of.host, &i.Of.key, &i.LastRun, &i.PausedAt, &i.LineSeenAt)
		i.Key = issues.FormatKey(prefix, number)
		out = append(out, i)
		return err
	})
	return out, err
}

const prefixQuery = `SELECT id, prefix FROM projects`

func prefixes(ctx context.Context, q store.Querier) (map[int64]string, error) {
	out := map[int64]string{}
	err := each(ctx, q, prefixQuery, nil, func(scan func(...any) error) error {
		var id int64
		var prefix string
		err := scan(&id, &prefix)
		out[id] = prefix
		return err
	})
	return out, err
}

// hostRow is what is known of a host as such.
type hostRow struct {
	Lost            int64 // Stops in a row that belonged to no run, of the version that lost most
	LostAt          int64 // when the first of those came
	Hook, Witnessed int64 // when a hook of it fired last, and when a witness was seen
}

const hostQuery = `SELECT host, max(in_row), max(iif(in_row > 0, row_at, 0)), 0, 0 FROM lost_stops GROUP BY host
	UNION ALL SELECT host, 0, 0, max(iif(name = ?1, 0, last_at)), max(iif(name = ?1, last_at, 0)) FROM host_events GROUP BY host`

// hosts returns what is known of every host. Whatever is counted of a host but its witness came from one of its hooks.
func hosts(ctx context.Context, q store.Querier) (map[string]hostRow, error) {
	out := map[string]hostRow{}
	err := each(ctx, q, hostQuery, []any{runs.Witness}, func(scan func(...any) error) error {
		var host string
		var h hostRow
		err := scan(&host, &h.Lost, &h.LostAt, &h.Hook, &h.Witnessed)
		was := out[host]
		out[host] = hostRow{max(was.Lost, h.Lost), max(was.LostAt, h.LostAt), max(was.Hook, h.Hook), max(was.Witnessed, h.Witnessed)}
		return err
	})
	return out, err
}
