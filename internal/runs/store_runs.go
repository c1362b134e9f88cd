package runs

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"board/internal/fault"
	"board/internal/store"
)

const runColumns = `r.id, r.handle, r.line_id, l.host, l.session_key, l.agent_key, r.stretch, r.turn_key, r.project_id, r.kind, r.origin,
	r.state, r.outcome, r.end_basis, r.reason, r.revision, r.version, r.issue_id, r.parent_id, r.host_process, r.direct, r.n_events,
	r.facts, r.started_at, r.last_seen_at, r.lease_until, r.deadline, r.ended_at, r.person, r.machine`

const fromRuns = ` FROM runs r JOIN lines l ON l.id = r.line_id `

type scanner interface{ Scan(...any) error }

// runReader reads runs, one after the other, into the same place: a view reads hundreds.
type runReader struct {
	run    Run
	packed string
	facts  []fact
	to     []any
}

// viewColumns leaves out what no view of many runs shows, the handle before all: each value costs such a view as much as
// the next one.
const viewColumns = `r.id, r.line_id, l.host, l.session_key, l.agent_key, r.stretch, r.project_id, r.kind, r.state, r.outcome, r.end_basis,
	r.reason, r.issue_id, r.parent_id, r.facts, r.started_at, r.last_seen_at, r.lease_until, r.deadline, r.ended_at`

// newViewReader reads viewColumns.
func newViewReader() *runReader {
	v := &runReader{}
	r := &v.run
	v.facts = r.facts()
	v.to = []any{
		&r.ID, &r.LineID, &r.Host, &r.Session, &r.Agent, &r.Stretch, &r.ProjectID, &r.Kind, &r.State, &r.Outcome, &r.Basis,
		&r.Reason, &r.IssueID, &r.ParentID, &v.packed, &r.StartedAt, &r.LastSeenAt, &r.LeaseUntil, &r.Deadline, &r.EndedAt,
	}
	return v
}

func newRunReader() *runReader {
	v := &runReader{}
	r := &v.run
	v.facts = r.facts()
	v.to = []any{
		&r.ID, &r.Handle, &r.LineID, &r.Host, &r.Session, &r.Agent, &r.Stretch, &r.Turn, &r.ProjectID, &r.Kind, &r.Origin,
		&r.State, &r.Outcome, &r.Basis, &r.Reason, &r.Revision, &r.Version, &r.IssueID, &r.ParentID, &r.HostProcess, &r.Direct, &r.NEvents,
		&v.packed, &r.StartedAt, &r.LastSeenAt, &r.LeaseUntil, &r.Deadline, &r.EndedAt, &r.Person, &r.Machine,
	}
	return v
}

func (v *runReader) read(s scanner) (Run, error) {
	v.run = Run{}
	err := s.Scan(v.to...)
	if err == nil {
		v.run.Unknown, err = unpack(v.packed, v.facts)
	}
	return v.run, err
}

func scanRun(s scanner) (Run, error) { return newRunReader().read(s) }

// oneRun returns the run that a condition selects, or false.
func oneRun(ctx context.Context, q store.Querier, where string, args ...any) (Run, bool, error) {
	r, err := scanRun(q.QueryRowContext(ctx, "SELECT "+runColumns+fromRuns+where, args...))
	if errors.Is(err, sql.ErrNoRows) {
		return Run{}, false, nil
	}
	return r, err == nil, err
}

func manyRuns(ctx context.Context, q store.Querier, where string, args ...any) ([]Run, error) {
	rows, err := q.QueryContext(ctx, "SELECT "+runColumns+fromRuns+where, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []Run
	v := newRunReader()
	for rows.Next() {
		r, err := v.read(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

// runByKey returns the run of a line's turn. It is on every hook's path: the line is known, and not joined.
func runByKey(ctx context.Context, q store.Querier, l Line, turn string) (Run, bool, error) {
	r, err := scanRun(q.QueryRowContext(ctx, "SELECT "+strings.Replace(runColumns, "l.host, l.session_key, l.agent_key", "'', '', ''", 1)+
		" FROM runs r WHERE r.line_id = ? AND r.turn_key = ?", l.ID, turn))
	if errors.Is(err, sql.ErrNoRows) {
		return Run{}, false, nil
	}
	r.Host, r.Session, r.Agent = l.Host, l.Session, l.Agent
	return r, err == nil, err
}

func runByHandle(ctx context.Context, q store.Querier, handle string) (Run, bool, error) {
	return oneRun(ctx, q, "WHERE r.id = ? AND r.handle = ?", idInHandle(handle), handle)
}

func runByID(ctx context.Context, q store.Querier, id int64) (Run, bool, error) {
	return oneRun(ctx, q, "WHERE r.id = ?", id)
}

// storedLive returns the runs of one line that are stored as live, newest first. The clock may have ended some of them.
func storedLive(ctx context.Context, q store.Querier, lineID int64) ([]Run, error) {
	return manyRuns(ctx, q, "WHERE r.line_id = ? AND r.state <> 'ended' ORDER BY r.id DESC", lineID)
}

// sessionLive returns the runs of all lines of a session that are stored as live, oldest first.
func sessionLive(ctx context.Context, q store.Querier, host, session string) ([]Run, error) {
	return manyRuns(ctx, q, "WHERE l.host = ? AND l.session_key = ? AND r.state <> 'ended' ORDER BY r.id", host, session)
}

func probing(ctx context.Context, q store.Querier, projectID int64, host string) ([]Run, error) {
	return manyRuns(ctx, q, `WHERE r.state = 'probing' AND (? = 0 OR r.project_id = ?) AND (? = '' OR l.host = ?) ORDER BY r.id`,
		projectID, projectID, host, host)
}

// newerRoot reports whether a root turn of the same line and host process was registered after the run by direct
// delivery. An unknown process equals any.
func newerRoot(ctx context.Context, q store.Querier, r Run) (bool, error) {
	var one int
	err := q.QueryRowContext(ctx, `SELECT 1 FROM runs WHERE line_id = ? AND id > ? AND direct = 1
		AND (host_process = ? OR host_process = '' OR ? = '') LIMIT 1`, r.LineID, r.ID, r.HostProcess, r.HostProcess).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// sharedProcess reports whether another session has used the process of a run's host since the run began, or has a live run
// in it.
func sharedProcess(ctx context.Context, q store.Querier, r Run) (shared bool, err error) {
	const other = ` AND json_extract(o.facts, '$.host_proof') = ?2
		AND EXISTS (SELECT 1 FROM lines l WHERE l.id = o.line_id AND (l.host, l.session_key) <> (?3, ?4)))`
	err = q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM runs o WHERE o.id > ?1`+other+`
		OR EXISTS (SELECT 1 FROM runs o INDEXED BY runs_live WHERE o.state <> 'ended'`+other,
		r.ID, r.HostProof, r.Host, r.Session).Scan(&shared)
	return shared, err
}

// insertRun stores a new run under the id that it was given.
func insertRun(ctx context.Context, tx *store.Tx, r *Run) error {
	return insertRow(ctx, tx, "runs", append([]column{
		{"id", r.ID},
		{"handle", r.Handle},
		{"line_id", r.LineID},
		{"turn_key", r.Turn},
		{"kind", string(r.Kind)},
		{"version", r.Version},
		{"started_at", r.StartedAt},
		{"person", r.Person},
		{"machine", r.Machine},
	}, r.mutable()...))
}

// insertRow stores a new row.
func insertRow(ctx context.Context, tx *store.Tx, table string, cols []column) error {
	names, args := make([]string, len(cols)), make([]any, len(cols))
	for i, c := range cols {
		names[i], args[i] = c.name, c.value
	}
	_, err := tx.ExecContext(ctx, "INSERT INTO "+table+" ("+strings.Join(names, ", ")+") VALUES (?"+strings.Repeat(", ?", len(names)-1)+")", args...)
	return err
}

// column is one column of a row with its value.
type column struct {
	name  string
	value any
}

// mutable returns what can change of a run.
func (r *Run) mutable() []column {
	return []column{
		{"stretch", r.Stretch},
		{"project_id", r.ProjectID},
		{"origin", string(r.Origin)},
		{"state", string(r.State)},
		{"outcome", string(r.Outcome)},
		{"end_basis", string(r.Basis)},
		{"reason", r.Reason},
		{"revision", r.Revision},
		{"issue_id", r.IssueID},
		{"parent_id", r.ParentID},
		{"host_process", r.HostProcess},
		{"direct", r.Direct},
		{"n_events", r.NEvents},
		{"facts", pack(r.facts(), r.Unknown)},
		{"last_seen_at", r.LastSeenAt},
		{"lease_until", r.LeaseUntil},
		{"deadline", r.Deadline},
		{"ended_at", r.EndedAt},
	}
}

// changed returns the columns that differ. A short statement is compiled faster, and this is on every hook's path.
func changed(before, after []column) (set string, args []any) {
	var b strings.Builder
	for i, c := range after {
		if before[i].value == c.value {
			continue
		}
		if len(args) > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c.name + " = ?")
		args = append(args, c.value)
	}
	return b.String(), args
}

// saveRun writes what changed of the run by compare-and-set on its version, which rises.
func saveRun(ctx context.Context, tx *store.Tx, before Run, r *Run) error {
	set, args := changed(before.mutable(), r.mutable())
	if set == "" {
		return nil
	}
	res, err := tx.ExecContext(ctx, "UPDATE runs SET version = version + 1, "+set+" WHERE id = ? AND version = ?",
		append(args, r.ID, r.Version)...)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return errors.Join(err, fault.New(fault.Conflict, "try again", "run %s was changed by somebody else", r.Short()))
	}
	r.Version++
	return nil
}

// MarkDecision records that the run made a board decision: its Stop is not answered with the reminder until it has used
// another tool.
func MarkDecision(ctx context.Context, tx *store.Tx, runID int64) error {
	r, ok, err := runByID(ctx, tx, runID)
	if err != nil || !ok {
		return err
	}
	before := r
	r.Decided = true
	return saveRun(ctx, tx, before, &r)
}

// bump raises the revision of the live runs of the line and of runID, and sets the Issue they act on.
func bump(ctx context.Context, tx *store.Tx, lineID, runID, issueID int64) error {
	_, err := tx.ExecContext(ctx, `UPDATE runs SET revision = revision + 1, version = version + 1, issue_id = ?
		WHERE line_id = ? AND (id = ? OR state <> 'ended')`, issueID, lineID, runID)
	return err
}

// heldIssue returns the Issue that a line holds, 0 for none.
func heldIssue(ctx context.Context, q store.Querier, lineID int64) (int64, error) {
	var id int64
	err := q.QueryRowContext(ctx, `SELECT id FROM issues WHERE holder_line = ? AND holder_line <> 0`, lineID).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return id, err
}
