package runs

import (
	"context"

	"board/internal/store"
)

// ofStretch selects the runs of all lines of a stretch: host ?1, session ?2, n ?3.
const ofStretch = `(SELECT r.id FROM lines k JOIN runs r ON r.line_id = k.id WHERE k.host = ?1 AND k.session_key = ?2 AND r.stretch = ?3)`

func storedDigest(ctx context.Context, q store.Querier, lineID, n int64) (text string, err error) {
	err = q.QueryRowContext(ctx, `SELECT coalesce(max(digest), '') FROM sessions WHERE line_id = ? AND n = ?`, lineID, n).Scan(&text)
	return text, err
}

// changedPaths returns the files that the runs of a stretch changed, those of most edits first.
func changedPaths(ctx context.Context, q store.Querier, root Line, n int64) ([]string, error) {
	return texts(ctx, q, `SELECT path FROM evidence WHERE run_id IN `+ofStretch+`
		GROUP BY project_id, path ORDER BY sum(n) DESC, path`, root.Host, root.Session, n)
}

// moved is a change of an Issue.
type moved struct {
	issue int64
	event string
}

// movesOf returns what the runs of a stretch did to the Issues that its lines ever claimed, or that they created.
func movesOf(ctx context.Context, q store.Querier, root Line, n int64) (out []moved, err error) {
	rows, err := q.QueryContext(ctx, `SELECT entity_id, event FROM history WHERE entity = 'issue' AND run_id IN `+ofStretch+`
		AND entity_id IN (SELECT c.issue_id FROM lines k JOIN claims c ON c.line_id = k.id WHERE k.host = ?1 AND k.session_key = ?2
			UNION SELECT id FROM issues WHERE created_by_run <> 0 AND created_by_run IN `+ofStretch+`) ORDER BY seq`,
		root.Host, root.Session, n)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var m moved
		if err := rows.Scan(&m.issue, &m.event); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, rows.Err()
}

// endedStretches returns stretches that wait for their digest.
func endedStretches(ctx context.Context, q store.Querier) (out []Stretch, err error) {
	rows, err := q.QueryContext(ctx, `SELECT line_id, n, state, opened_at, ended_at, end_basis, reason
		FROM sessions INDEXED BY sessions_open WHERE state <> 'summarized' AND state = 'ended' LIMIT 100`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var s Stretch
		if err := rows.Scan(&s.LineID, &s.N, &s.State, &s.OpenedAt, &s.EndedAt, &s.Basis, &s.Reason); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}

// summarize writes the digest of a stretch.
func (s Stretch) summarize(ctx context.Context, tx *store.Tx, to StretchState, digest string) error {
	_, err := tx.ExecContext(ctx, `UPDATE sessions SET state = ?, digest = ? WHERE line_id = ? AND n = ? AND state = ?`,
		to, digest, s.LineID, s.N, s.State)
	return err
}
