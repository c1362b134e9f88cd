package runs

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"board/internal/store"
)

// stored returns what was stored under an event id: whether it exists, and the content of a given id.
func stored(ctx context.Context, q store.Querier, lineID int64, id [16]byte) (content []byte, ok bool, err error) {
	err = q.QueryRowContext(ctx, `SELECT content FROM events WHERE line_id = ? AND id = ?`, lineID, id[:]).Scan(&content)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	return content, err == nil, err
}

// waits reports whether an event is kept for a run that may be registered yet.
func waits(o Observation, d Disposition, why Why) bool {
	return d == Unattributed && !o.Kind.sessionLevel() && why == UnknownKey
}

// event is where an observation belongs, and what it did.
type event struct {
	id           [16]byte
	line, run    int64 // 0: no run
	n            int64 // of the run's events; 0 where it must be counted
	before, then State // of the run
	d            Disposition
	why          Why
}

// insertEvent stores an observation as an event.
func insertEvent(ctx context.Context, tx *store.Tx, o Observation, e event) error {
	body := ""
	if waits(o, e.d, e.why) {
		b, err := json.Marshal(o)
		if err != nil {
			return err
		}
		body = string(b)
	}
	content := []byte{}
	if o.GivenID != "" {
		c := o.given()
		content = c[:]
	}
	if e.before == e.then {
		e.before, e.then = "", ""
	}
	n := "?4"
	if e.n == 0 {
		n = "?4 + 1 + (SELECT coalesce(max(n), 0) FROM events WHERE line_id = ?1 AND run_id = ?3)" // adopted events leave gaps
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO events
		(line_id, id, run_id, n, kind, disposition, reason, from_state, to_state, received_at, content, body)
		VALUES (?1, ?2, ?3, `+n+`, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)`,
		e.line, e.id[:], e.run, e.n, int(o.Kind), int(e.d), int(e.why), string(e.before), string(e.then), o.ReceivedAt, content, body)
	return err
}

// waitingEvent is an unattributed event that waits for a registering event of its key.
type waitingEvent struct {
	ID []byte
	O  Observation
}

// waitingEvents returns the unattributed events of a line that have the key's turn, in the order of their receipt, and
// whether there are others.
func waitingEvents(ctx context.Context, q store.Querier, lineID int64, turn string) (own []waitingEvent, others bool, err error) {
	rows, err := q.QueryContext(ctx, `SELECT id, body FROM events WHERE line_id = ? AND body <> '' ORDER BY n`, lineID)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var w waitingEvent
		var body string
		if err := rows.Scan(&w.ID, &body); err != nil {
			return nil, false, err
		}
		if err := json.Unmarshal([]byte(body), &w.O); err != nil {
			return nil, false, err
		}
		if w.O.Key.Turn == turn {
			own = append(own, w)
		} else {
			others = true
		}
	}
	return own, others, rows.Err()
}

// storedGiven is stored for an id that a plugin gave, on whatever line of the session.
func storedGiven(ctx context.Context, q store.Querier, host, session string, id [16]byte) (content []byte, ok bool, err error) {
	err = q.QueryRowContext(ctx, `SELECT e.content FROM lines l JOIN events e ON e.line_id = l.id
		WHERE l.host = ? AND l.session_key = ? AND e.id = ?`, host, session, id[:]).Scan(&content)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	return content, err == nil, err
}

// markAdopted gives a waiting event to the run that it waited for.
func markAdopted(ctx context.Context, tx *store.Tx, id []byte, e event) error {
	if e.before == e.then {
		e.before, e.then = "", ""
	}
	_, err := tx.ExecContext(ctx, `UPDATE events SET run_id = ?, n = ?, disposition = ?, reason = 0, from_state = ?, to_state = ?, body = ''
		WHERE line_id = ? AND id = ?`, e.run, e.n, int(e.d), string(e.before), string(e.then), e.line, id)
	return err
}

// noteTask records that a Stop of a run listed a background task. It answers whether a Stop of an earlier turn did.
func noteTask(ctx context.Context, tx *store.Tx, lineID, runID int64, task string) (earlier bool, err error) {
	var first int64
	err = tx.QueryRowContext(ctx, `INSERT INTO background_tasks (line_id, task_id, run_id) VALUES (?, ?, ?)
		ON CONFLICT (line_id, task_id) DO UPDATE SET run_id = min(run_id, excluded.run_id) RETURNING run_id`,
		lineID, FitKey(task), runID).Scan(&first)
	return first < runID, err
}

// noteCall records which run announced a call. An id that two runs announced proves neither.
func noteCall(ctx context.Context, tx *store.Tx, host, callID string, runID int64) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO tool_calls (host, call_id, run_id, at) VALUES (?, ?, ?, ?)
		ON CONFLICT (host, call_id) DO UPDATE SET run_id = iif(run_id = excluded.run_id, run_id, 0)`, host, callID, runID, tx.Now)
	return err
}

// runOfCall returns the run whose hook announced a tool call, 0 for none.
func runOfCall(ctx context.Context, q store.Querier, host, callID string) (int64, error) {
	var id int64
	err := q.QueryRowContext(ctx, `SELECT run_id FROM tool_calls WHERE host = ? AND call_id = ?`, host, callID).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return id, err
}

func noteEdit(ctx context.Context, tx *store.Tx, runID int64, e Edit, at int64) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO evidence (run_id, project_id, path, n, first_at, last_at) VALUES (?, ?, ?, 1, ?, ?)
		ON CONFLICT (run_id, project_id, path) DO UPDATE SET n = n + 1, last_at = max(last_at, excluded.last_at)`,
		runID, e.ProjectID, e.Path, at, at)
	return err
}

// insertScope puts a project on record among those of a run, once: what was decided of it stands.
func insertScope(ctx context.Context, tx *store.Tx, c Capability) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO scopes (run_id, project_id, capability, missing, rule, scaffold, correlation, evidence)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run_id, project_id) DO NOTHING`,
		c.RunID, c.ProjectID, string(c.Verdict), c.Missing, c.Rule, int64(c.Scaffold), int64(c.Correlated), int64(c.Evidence))
	return err
}

// noteLostStop counts a Stop that belongs to no run, and with inRow among those that came one after the other.
func noteLostStop(ctx context.Context, tx *store.Tx, host, version string, inRow bool) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO lost_stops (host, version, n, in_row, row_at, last_at) VALUES (?1, ?2, 1, ?3, ?4, ?4)
		ON CONFLICT (host, version) DO UPDATE SET n = n + 1, row_at = iif(in_row = 0, excluded.row_at, row_at),
			in_row = in_row + excluded.in_row, last_at = excluded.last_at`,
		host, version, boolInt(inRow), tx.Now)
	return err
}

// lostFor is how long a row of lost Stops stands for a version of a host that is not met any more, in milliseconds.
const lostFor = 24 * 3_600_000

// forgetLostStops begins a new row: a Stop of that version had its run. Another version may be in use beside it, and stay
// as it is; one that is used no more must not be blamed for ever.
func forgetLostStops(ctx context.Context, tx *store.Tx, host, version string) error {
	_, err := tx.ExecContext(ctx, `UPDATE lost_stops SET in_row = 0 WHERE host = ? AND in_row > 0 AND (version = ? OR last_at < ?)`,
		host, version, tx.Now-lostFor)
	return err
}

// takeBackLostStop corrects the count where the run of a Stop came after it.
func takeBackLostStop(ctx context.Context, tx *store.Tx, host, version string) error {
	_, err := tx.ExecContext(ctx, `UPDATE lost_stops SET n = max(n - 1, 0), in_row = 0 WHERE host = ? AND version = ?`, host, version)
	return err
}

// CountEvent adds one to the count of a host's events of one name and sets when it was seen last.
func CountEvent(ctx context.Context, tx *store.Tx, host, name string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO host_events (host, name, n, last_at) VALUES (?, ?, 1, ?)
		ON CONFLICT (host, name) DO UPDATE SET n = n + 1, last_at = excluded.last_at`, host, name, tx.Now)
	return err
}

// NewestRun returns the id of the run that was registered last, 0 for none.
func NewestRun(ctx context.Context, q store.Querier) (int64, error) {
	var id int64
	err := q.QueryRowContext(ctx, `SELECT coalesce(max(id), 0) FROM runs`).Scan(&id)
	return id, err
}
