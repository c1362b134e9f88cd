package runs

import (
	"context"
	"database/sql"
	"errors"

	"board/internal/store"
)

const lineColumns = `id, host, session_key, agent_key, prompts, last_run, facts`

func scanLine(s scanner) (Line, error) {
	var l Line
	var facts string
	err := s.Scan(&l.ID, &l.Host, &l.Session, &l.Agent, &l.Prompts, &l.LastRun, &facts)
	if err == nil {
		l.Unknown, err = unpack(facts, l.facts())
	}
	return l, err
}

// findLine returns the line of a key, or false.
func findLine(ctx context.Context, q store.Querier, host, session, agent string) (Line, bool, error) {
	l, err := scanLine(q.QueryRowContext(ctx, "SELECT "+lineColumns+` FROM lines WHERE host = ? AND session_key = ? AND agent_key = ?`,
		host, session, agent))
	if errors.Is(err, sql.ErrNoRows) {
		return Line{}, false, nil
	}
	return l, err == nil, err
}

// LineByID returns a line.
func LineByID(ctx context.Context, q store.Querier, id int64) (Line, error) {
	return scanLine(q.QueryRowContext(ctx, "SELECT "+lineColumns+" FROM lines WHERE id = ?", id))
}

// insertLine stores a new line under the id that it was given.
func insertLine(ctx context.Context, tx *store.Tx, l *Line) error {
	return insertRow(ctx, tx, "lines", append([]column{
		{"id", l.ID}, {"host", l.Host}, {"session_key", l.Session}, {"agent_key", l.Agent},
	}, l.mutable()...))
}

// mutable returns what can change of a line.
func (l *Line) mutable() []column {
	return []column{
		{"prompts", l.Prompts},
		{"last_run", l.LastRun},
		{"facts", pack(l.facts(), l.Unknown)},
	}
}

// saveLine writes what changed of a line.
func saveLine(ctx context.Context, tx *store.Tx, before Line, l *Line) error {
	set, args := changed(before.mutable(), l.mutable())
	if set == "" {
		return nil
	}
	_, err := tx.ExecContext(ctx, "UPDATE lines SET "+set+" WHERE id = ?", append(args, l.ID)...)
	return err
}

// MarkWrite records a board write by the line: the answer to a probe that is still open.
func MarkWrite(ctx context.Context, tx *store.Tx, lineID int64) error {
	l, err := LineByID(ctx, tx, lineID)
	if err != nil || !l.ProbeWindow {
		return err
	}
	if l.ProbeEffect {
		return nil
	}
	before := l
	l.ProbeEffect = true
	if err := saveLine(ctx, tx, before, &l); err != nil {
		return err
	}
	return markAnswered(ctx, tx, lineID)
}

// insert stores a new stretch.
func (s Stretch) insert(ctx context.Context, tx *store.Tx) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO sessions (line_id, n, state, opened_at, ended_at, end_basis, reason, digest)
		VALUES (?, ?, ?, ?, 0, '', '', '')`, s.LineID, s.N, s.State, s.OpenedAt)
	return err
}

// save writes what changes of a stretch.
func (s Stretch) save(ctx context.Context, tx *store.Tx) error {
	_, err := tx.ExecContext(ctx, `UPDATE sessions SET state = ?, ended_at = ?, end_basis = ?, reason = ? WHERE line_id = ? AND n = ?`,
		s.State, s.EndedAt, s.Basis, s.Reason, s.LineID, s.N)
	return err
}

// end writes the end of a stretch, unless it has ended meanwhile. It answers whether it did.
func (s Stretch) end(ctx context.Context, tx *store.Tx) (bool, error) {
	res, err := tx.ExecContext(ctx, `UPDATE sessions SET state = ?, ended_at = ?, end_basis = ?, reason = ?
		WHERE line_id = ? AND n = ? AND state = 'active'`, s.State, s.EndedAt, s.Basis, s.Reason, s.LineID, s.N)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// stretchProofs returns the processes that the runs of a stretch had for hosts, "" for one that is not known.
func stretchProofs(ctx context.Context, q store.Querier, s Stretch) ([]string, error) {
	return texts(ctx, q, `SELECT DISTINCT coalesce(json_extract(facts, '$.host_proof'), '') FROM runs
		WHERE line_id = ? AND stretch = ?`, s.LineID, s.N)
}

// texts returns the rows of a query of one column.
func texts(ctx context.Context, q store.Querier, query string, args ...any) (out []string, err error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}

// newestStretch returns the newest stretch of a root line, or false.
func newestStretch(ctx context.Context, q store.Querier, lineID int64) (Stretch, bool, error) {
	s := Stretch{LineID: lineID}
	err := q.QueryRowContext(ctx, `SELECT n, state, opened_at, ended_at, end_basis, reason FROM sessions
		WHERE line_id = ? ORDER BY n DESC LIMIT 1`, lineID).Scan(&s.N, &s.State, &s.OpenedAt, &s.EndedAt, &s.Basis, &s.Reason)
	if errors.Is(err, sql.ErrNoRows) {
		return Stretch{}, false, nil
	}
	return s, err == nil, err
}

// sessionSeen returns the time of the last event of any run of a session, 0 for none.
func sessionSeen(ctx context.Context, q store.Querier, root Line) (at int64, err error) {
	err = q.QueryRowContext(ctx, `SELECT coalesce(max(r.last_seen_at), 0) FROM lines l JOIN runs r ON r.line_id = l.id
		WHERE l.host = ? AND l.session_key = ?`, root.Host, root.Session).Scan(&at)
	return at, err
}

// lineSeen returns the time of the last event of any run of a line, 0 for none.
func lineSeen(ctx context.Context, q store.Querier, id int64) (at int64, err error) {
	err = q.QueryRowContext(ctx, `SELECT coalesce(max(last_seen_at), 0) FROM runs WHERE line_id = ?`, id).Scan(&at)
	return at, err
}

// sessionEvents returns the number of stored events of the runs of a session.
func sessionEvents(ctx context.Context, q store.Querier, host, session string) (int64, error) {
	var n int64
	err := q.QueryRowContext(ctx, `SELECT coalesce(sum(r.n_events), 0) FROM lines l JOIN runs r ON r.line_id = l.id
		WHERE l.host = ? AND l.session_key = ?`, host, session).Scan(&n)
	return n, err
}

func configRows(ctx context.Context, q store.Querier, host string, projectID int64) ([][2]string, error) {
	rows, err := q.QueryContext(ctx, `SELECT key, value FROM config WHERE project_id IN (0, ?) AND host IN ('', ?)
		ORDER BY project_id <> 0, host <> ''`, projectID, host)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out [][2]string
	for rows.Next() {
		var r [2]string
		if err := rows.Scan(&r[0], &r[1]); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

func writeConfig(ctx context.Context, tx *store.Tx, projectID int64, host, key, value string) (before string, err error) {
	err = tx.QueryRowContext(ctx, `SELECT value FROM config WHERE project_id = ? AND host = ? AND key = ?`, projectID, host, key).Scan(&before)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", err
	}
	if value == "" {
		_, err = tx.ExecContext(ctx, `DELETE FROM config WHERE project_id = ? AND host = ? AND key = ?`, projectID, host, key)
		return before, err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO config (project_id, host, key, value) VALUES (?, ?, ?, ?)
		ON CONFLICT (project_id, host, key) DO UPDATE SET value = excluded.value`, projectID, host, key, value)
	return before, err
}

// KnownSession reports whether any event of a session was stored.
func KnownSession(ctx context.Context, q store.Querier, host, session string) (bool, error) {
	_, ok, err := findLine(ctx, q, host, session, "")
	return ok, err
}
