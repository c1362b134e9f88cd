package runs

import (
	"context"

	"board/internal/store"
)

func hostEvents(ctx context.Context, q store.Querier) ([]HostEvent, error) {
	rows, err := q.QueryContext(ctx, `SELECT host, name, n, last_at FROM host_events ORDER BY host, name`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []HostEvent
	for rows.Next() {
		var e HostEvent
		if err := rows.Scan(&e.Host, &e.Name, &e.N, &e.LastAt); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, rows.Err()
}

// markAnswered notes on the newest run of the line that was asked that the line wrote to the board.
func markAnswered(ctx context.Context, tx *store.Tx, lineID int64) error {
	list, err := manyRuns(ctx, tx, "WHERE r.line_id = ? ORDER BY r.id DESC LIMIT ?", lineID, maxAsked)
	if err != nil {
		return err
	}
	for _, r := range list {
		if r.Probes == 0 {
			continue
		}
		before := r
		r.Answered = true
		return saveRun(ctx, tx, before, &r)
	}
	return nil
}

// maxAsked bounds the search for it: only turns that the host made itself can lie between.
const maxAsked = 20
