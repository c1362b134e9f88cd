package runs

import (
	"context"
	"database/sql"
	"errors"

	"board/internal/fault"
	"board/internal/store"
)

const runColumns = `r.id, r.handle, r.line_id, l.host, l.session_key, l.agent_key, r.stretch, r.turn_key, r.project_id, r.kind, r.origin,
	r.state, r.outcome, r.end_basis, r.reason, r.revision, r.version, r.issue_id, r.parent_id, r.parent_basis, r.agent_type,
	r.host_process, r.host_version, r.permission_mode, r.attended, r.direct, r.late_start, r.saw_stop, r.saw_failure,
	r.saw_interrupt, r.saw_foreground, r.probes, r.probe_id, r.context_sent, r.decided, r.tools, r.edits, r.outside,
	r.n_events, r.n_stop, r.n_start, r.n_notice, r.n_compact, r.started_at, r.last_seen_at, r.lease_until, r.deadline,
	r.ended_at, r.person, r.machine`

const fromRuns = ` FROM runs r JOIN lines l ON l.id = r.line_id `

type scanner interface{ Scan(...any) error }

func scanRun(s scanner) (Run, error) {
	var r Run
	err := s.Scan(&r.ID, &r.Handle, &r.LineID, &r.Host, &r.Session, &r.Agent, &r.Stretch, &r.Turn, &r.ProjectID, &r.Kind, &r.Origin,
		&r.State, &r.Outcome, &r.Basis, &r.Reason, &r.Revision, &r.Version, &r.IssueID, &r.ParentID, &r.ParentBasis, &r.AgentType,
		&r.HostProcess, &r.HostVersion, &r.PermissionMode, &r.Attended, &r.Direct, &r.LateStart, &r.SawStop, &r.SawFailure,
		&r.SawInterrupt, &r.SawForeground, &r.Probes, &r.ProbeID, &r.ContextSent, &r.Decided, &r.Tools, &r.Edits, &r.Outside,
		&r.NEvents, &r.NStop, &r.NStart, &r.NNotice, &r.NCompact, &r.StartedAt, &r.LastSeenAt, &r.LeaseUntil, &r.Deadline,
		&r.EndedAt, &r.Person, &r.Machine)
	return r, err
}

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
	for rows.Next() {
		r, err := scanRun(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

func runByKey(ctx context.Context, q store.Querier, lineID int64, turn string) (Run, bool, error) {
	return oneRun(ctx, q, "WHERE r.line_id = ? AND r.turn_key = ?", lineID, turn)
}

func runByHandle(ctx context.Context, q store.Querier, handle string) (Run, bool, error) {
	return oneRun(ctx, q, "WHERE r.handle = ?", handle)
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

func insertRun(ctx context.Context, tx *store.Tx, r *Run) error {
	res, err := tx.ExecContext(ctx, `INSERT INTO runs (handle, line_id, stretch, turn_key, project_id, kind, origin, state, outcome,
		end_basis, reason, revision, version, issue_id, parent_id, parent_basis, agent_type, host_process, host_version,
		permission_mode, attended, direct, late_start, saw_stop, saw_failure, saw_interrupt, saw_foreground, probes, probe_id,
		context_sent, decided, tools, edits, outside, n_events, n_stop, n_start, n_notice, n_compact, started_at, last_seen_at,
		lease_until, deadline, ended_at, person, machine)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
		?, ?, ?, ?, ?, ?, ?, ?)`,
		r.Handle, r.LineID, r.Stretch, r.Turn, r.ProjectID, r.Kind, r.Origin, r.State, r.Outcome,
		r.Basis, r.Reason, r.Revision, r.Version, r.IssueID, r.ParentID, r.ParentBasis, r.AgentType, r.HostProcess, r.HostVersion,
		r.PermissionMode, r.Attended, r.Direct, r.LateStart, r.SawStop, r.SawFailure, r.SawInterrupt, r.SawForeground, r.Probes, r.ProbeID,
		r.ContextSent, r.Decided, r.Tools, r.Edits, r.Outside, r.NEvents, r.NStop, r.NStart, r.NNotice, r.NCompact, r.StartedAt, r.LastSeenAt,
		r.LeaseUntil, r.Deadline, r.EndedAt, r.Person, r.Machine)
	if err != nil {
		return err
	}
	r.ID, err = res.LastInsertId()
	return err
}

// saveRun writes the run by compare-and-set on its version, which rises. Handle, line, turn, kind, person and machine
// never change.
func saveRun(ctx context.Context, tx *store.Tx, r *Run) error {
	res, err := tx.ExecContext(ctx, `UPDATE runs SET stretch = ?, project_id = ?, origin = ?, state = ?, outcome = ?, end_basis = ?,
		reason = ?, revision = ?, version = version + 1, issue_id = ?, parent_id = ?, parent_basis = ?, agent_type = ?,
		host_process = ?, host_version = ?, permission_mode = ?, attended = ?, direct = ?, late_start = ?, saw_stop = ?,
		saw_failure = ?, saw_interrupt = ?, saw_foreground = ?, probes = ?, probe_id = ?, context_sent = ?, decided = ?, tools = ?,
		edits = ?, outside = ?, n_events = ?, n_stop = ?, n_start = ?, n_notice = ?, n_compact = ?, last_seen_at = ?,
		lease_until = ?, deadline = ?, ended_at = ?
		WHERE id = ? AND version = ?`,
		r.Stretch, r.ProjectID, r.Origin, r.State, r.Outcome, r.Basis, r.Reason, r.Revision, r.IssueID, r.ParentID, r.ParentBasis,
		r.AgentType, r.HostProcess, r.HostVersion, r.PermissionMode, r.Attended, r.Direct, r.LateStart, r.SawStop, r.SawFailure,
		r.SawInterrupt, r.SawForeground, r.Probes, r.ProbeID, r.ContextSent, r.Decided, r.Tools, r.Edits, r.Outside, r.NEvents,
		r.NStop, r.NStart, r.NNotice, r.NCompact, r.LastSeenAt, r.LeaseUntil, r.Deadline, r.EndedAt, r.ID, r.Version)
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
	_, err := tx.ExecContext(ctx, `UPDATE runs SET decided = 1, version = version + 1 WHERE id = ?`, runID)
	return err
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
