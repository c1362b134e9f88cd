package hooks

import (
	"context"
	"database/sql"
	"errors"

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
	var freed int
	err = q.QueryRowContext(ctx, `SELECT count(*) FROM (SELECT 1 FROM issues i INDEXED BY issues_open
		WHERE i.project_id = ?1 AND i.state NOT IN ('done', 'canceled') AND i.state IN ('in_progress', 'paused')
			AND i.hold = 0 AND i.archived = 0 AND i.open_blockers = 0
			AND (i.state = 'paused' AND i.pause_reason = 'handoff' AND i.paused_by_person = 0 OR i.state = 'in_progress'
				AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.line_id = i.holder_line AND r.state <> 'ended' AND r.lease_until > ?4
					AND (r.deadline = 0 OR r.deadline > ?4 OR r.state = 'waiting'))
				AND (NOT EXISTS (SELECT 1 FROM runs r WHERE r.line_id = i.holder_line AND r.last_seen_at > ?3)
					OR (SELECT s.end_basis = 'observed' FROM lines k JOIN lines root ON root.host = k.host AND root.session_key = k.session_key
						AND root.agent_key = '' JOIN sessions s ON s.line_id = root.id WHERE k.id = i.holder_line ORDER BY s.n DESC LIMIT 1)))
			LIMIT ?2)`,
		projectID, countLimit, now-reserve, now).Scan(&freed)
	return min(n+freed, countLimit), changes, err
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
