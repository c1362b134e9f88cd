package hooks

import (
	"context"
	"database/sql"
	"errors"

	"board/internal/process"
	"board/internal/runs"
	"board/internal/store"
)

// countLimit bounds the counts in a context: a board with a hundred thousand Issues must not slow a hook down.
const countLimit = 100

// board is the little that a context says of the board.
type board struct {
	heldKey, heldTitle     string
	lastKey, lastState     string // where the line's claim was cleared or taken
	parentKey, parentTitle string
	ready, changes         int
}

func lookAtBoard(ctx context.Context, q store.Querier, res runs.Result) (board, error) {
	var b board
	var err error
	if res.Run.IssueID != 0 || res.Held != 0 {
		if b.heldKey, b.heldTitle, err = heldBy(ctx, q, res.Run.LineID); err != nil {
			return b, err
		}
	}
	switch {
	case res.Say == runs.Reminder:
		return b, nil
	case res.Run.Kind == runs.Subagent:
		if res.Held != 0 {
			b.parentKey, b.parentTitle, err = heldBy(ctx, q, res.Root.ID)
		}
		return b, err
	case b.heldKey == "" && !res.New:
		if b.lastKey, b.lastState, err = lastOf(ctx, q, res.Run.LineID); err != nil {
			return b, err
		}
	}
	b.ready, b.changes, err = ready(ctx, q, res.Run.ProjectID, res.Run.LastSeenAt, res.Config.Reserve)
	return b, err
}

// ready counts, up to countLimit, the Issues that begin_work without a key could be given now, and those of them that a
// person sent back, as issues owns the rule. Whether a claim has lapsed is read from the runs of its line and from the
// end of its session.
func ready(ctx context.Context, q store.Querier, projectID, now, reserve int64) (n, changes int, err error) {
	var begun bool
	err = q.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(c), 0), EXISTS (SELECT 1 FROM issues INDEXED BY issues_open
			WHERE project_id = ?1 AND state NOT IN ('done', 'canceled') AND state IN ('in_progress', 'paused'))
		FROM (SELECT changes_requested AS c FROM issues INDEXED BY issues_ready WHERE project_id = ?1 AND state = 'todo' AND hold = 0
			AND archived = 0 AND open_blockers = 0 ORDER BY changes_requested DESC LIMIT ?2)`, projectID, countLimit).Scan(&n, &changes, &begun)
	if err != nil || !begun || n >= countLimit {
		return n, changes, err
	}
	freed, err := freedIssues(ctx, q, projectID, now, reserve)
	return min(n+freed, countLimit), changes, err
}

// freedIssues counts the Issues that were begun and are ready again. Whether a claim has lapsed is read from the newest run
// of its line and the process of that run's host; the other live runs of a line, where there are two, from their leases.
func freedIssues(ctx context.Context, q store.Querier, projectID, now, reserve int64) (freed int, err error) {
	rows, err := q.QueryContext(ctx, `SELECT i.state = 'paused', coalesce(r.state <> 'ended', 0), coalesce(r.state = 'waiting', 0),
			coalesce(r.last_seen_at, 0), coalesce(r.lease_until, 0), coalesce(r.deadline, 0), coalesce(json_extract(r.facts, '$.host_proof'), ''),
			EXISTS (SELECT 1 FROM runs o WHERE o.line_id = i.holder_line AND o.id <> r.id AND o.state <> 'ended' AND o.lease_until > ?2
				AND (o.deadline = 0 OR o.deadline > ?2 OR o.state = 'waiting')),
			EXISTS (SELECT 1 FROM runs o WHERE o.line_id = i.holder_line AND o.last_seen_at > ?3),
			coalesce((SELECT s.end_basis = 'observed' FROM lines root JOIN sessions s ON s.line_id = root.id
				WHERE root.host = k.host AND root.session_key = k.session_key AND root.agent_key = '' ORDER BY s.n DESC LIMIT 1), 0)
		FROM issues i INDEXED BY issues_open LEFT JOIN lines k ON k.id = i.holder_line LEFT JOIN runs r ON r.id = k.last_run
		WHERE i.project_id = ?1 AND i.state NOT IN ('done', 'canceled') AND i.hold = 0 AND i.archived = 0 AND i.open_blockers = 0
			AND (i.state = 'in_progress' OR i.state = 'paused' AND i.pause_reason = 'handoff' AND i.paused_by_person = 0)`,
		projectID, now, now-reserve)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() && freed < countLimit {
		var free, live, waiting, another, recent, over bool
		r := runs.Run{State: runs.Ended}
		if err := rows.Scan(&free, &live, &waiting, &r.LastSeenAt, &r.LeaseUntil, &r.Deadline, &r.HostProof, &another, &recent, &over); err != nil {
			return 0, err
		}
		host := process.Unknown
		if r.HostProof != "" {
			host = process.Look(r.HostProof)
		}
		if live {
			r.State, r.Process = runs.Running, host
			if waiting {
				r.State = runs.Waiting
			}
		}
		active := another || r.At(now).IsLive()
		if free || !active && (!recent || over || host == process.Gone) {
			freed++
		}
	}
	return freed, rows.Err()
}

// lastOf returns the Issue whose claim by the line ended last.
func lastOf(ctx context.Context, q store.Querier, lineID int64) (key, state string, err error) {
	err = q.QueryRowContext(ctx, `SELECT p.prefix || '-' || i.number, i.state FROM claims c JOIN issues i ON i.id = c.issue_id
		JOIN projects p ON p.id = i.project_id WHERE c.line_id = ? AND c.until <> 0 ORDER BY c.until DESC, c.fence DESC LIMIT 1`,
		lineID).Scan(&key, &state)
	if errors.Is(err, sql.ErrNoRows) {
		return "", "", nil
	}
	return key, state, err
}

func heldBy(ctx context.Context, q store.Querier, lineID int64) (key, title string, err error) {
	err = q.QueryRowContext(ctx, `SELECT p.prefix || '-' || i.number, i.title FROM issues i JOIN projects p ON p.id = i.project_id
		WHERE i.holder_line = ? AND i.holder_line <> 0`, lineID).Scan(&key, &title)
	if errors.Is(err, sql.ErrNoRows) {
		return "", "", nil
	}
	return key, title, err
}
