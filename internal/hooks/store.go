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
	if b.heldKey, b.heldTitle, err = heldBy(ctx, q, res.Run.LineID); err != nil {
		return b, err
	}
	if res.Run.Kind == runs.Subagent && res.Root.ID != 0 {
		b.parentKey, b.parentTitle, err = heldBy(ctx, q, res.Root.ID)
		return b, err
	}
	if res.Say == runs.Reminder {
		return b, nil
	}
	if b.heldKey == "" {
		err = q.QueryRowContext(ctx, `SELECT p.prefix || '-' || i.number, i.state FROM claims c JOIN issues i ON i.id = c.issue_id
			JOIN projects p ON p.id = i.project_id WHERE c.line_id = ? AND c.until <> 0 ORDER BY c.until DESC, c.fence DESC LIMIT 1`,
			res.Run.LineID).Scan(&b.lastKey, &b.lastState)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return b, err
		}
	}
	now := res.Run.LastSeenAt
	c, err := runs.Settings(ctx, q, res.Run.Host, res.Run.ProjectID)
	if err != nil {
		return b, err
	}
	err = q.QueryRowContext(ctx, `SELECT count(*) FROM (
		SELECT 1 FROM issues WHERE project_id = ?1 AND state = 'todo' AND hold = 0 AND archived = 0 AND open_blockers = 0
		UNION ALL
		SELECT 1 FROM issues i WHERE i.project_id = ?1 AND i.state IN ('paused', 'in_progress') AND i.hold = 0 AND i.archived = 0
			AND i.open_blockers = 0 AND (i.state = 'paused' AND i.pause_reason = 'handoff' AND i.paused_by_person = 0
			OR i.state = 'in_progress' AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.line_id = i.holder_line AND r.last_seen_at > ?2))
		LIMIT ?3)`, res.Run.ProjectID, now-max(c.Reserve, c.Lease), countLimit).Scan(&b.ready)
	if err != nil {
		return b, err
	}
	err = q.QueryRowContext(ctx, `SELECT count(*) FROM (SELECT 1 FROM issues WHERE project_id = ? AND state = 'todo' AND hold = 0
		AND archived = 0 AND open_blockers = 0 AND changes_requested = 1 LIMIT ?)`, res.Run.ProjectID, countLimit).Scan(&b.changes)
	return b, err
}

func heldBy(ctx context.Context, q store.Querier, lineID int64) (key, title string, err error) {
	err = q.QueryRowContext(ctx, `SELECT p.prefix || '-' || i.number, i.title FROM issues i JOIN projects p ON p.id = i.project_id
		WHERE i.holder_line = ? AND i.holder_line <> 0`, lineID).Scan(&key, &title)
	if errors.Is(err, sql.ErrNoRows) {
		return "", "", nil
	}
	return key, title, err
}
