package hooks

import (
	"context"
	"database/sql"
	"errors"
	"strings"

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
	ready, freed, changes  int // freed: of those ready, the ones that somebody had begun
}

// ready is the condition of an Issue that begin_work without a key could be given now, as issues owns it. Whether a
// claim on it has lapsed is read from the runs of its line: ?3 is the time before which a last event is too old.
const ready = `i.hold = 0 AND i.archived = 0 AND i.open_blockers = 0 AND (
	i.state = 'paused' AND i.pause_reason = 'handoff' AND i.paused_by_person = 0
	OR i.state = 'in_progress' AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.line_id = i.holder_line AND r.last_seen_at > ?3))`

func lookAtBoard(ctx context.Context, q store.Querier, res runs.Result) (board, error) {
	var b board
	if res.Run.Kind == runs.Subagent || res.Say == runs.Reminder {
		var err error
		if b.heldKey, b.heldTitle, err = heldBy(ctx, q, res.Run.LineID); err != nil || res.Run.Kind == runs.Root {
			return b, err
		}
		b.parentKey, b.parentTitle, err = heldBy(ctx, q, res.Root.ID)
		return b, err
	}
	before := res.Run.LastSeenAt - res.Config.Reserve
	var held, last string
	err := q.QueryRowContext(ctx, `SELECT
		coalesce((SELECT p.prefix || '-' || i.number || char(10) || i.title FROM issues i JOIN projects p ON p.id = i.project_id
			WHERE i.holder_line = ?1 AND i.holder_line <> 0), ''),
		coalesce((SELECT p.prefix || '-' || i.number || char(10) || i.state FROM claims c JOIN issues i ON i.id = c.issue_id
			JOIN projects p ON p.id = i.project_id
			WHERE c.line_id = ?1 AND c.until <> 0 ORDER BY c.until DESC, c.fence DESC LIMIT 1), ''),
		(SELECT count(*) FROM (SELECT 1 FROM issues INDEXED BY issues_ready WHERE project_id = ?2 AND state = 'todo' AND hold = 0
			AND archived = 0 AND open_blockers = 0 LIMIT ?4)),
		(SELECT count(*) FROM (SELECT 1 FROM issues i INDEXED BY issues_open WHERE i.project_id = ?2
			AND i.state NOT IN ('done', 'canceled') AND i.state IN ('paused', 'in_progress') AND `+ready+` LIMIT ?4)),
		(SELECT count(*) FROM (SELECT 1 FROM issues INDEXED BY issues_ready WHERE project_id = ?2 AND changes_requested = 1
			AND state = 'todo' AND hold = 0 AND archived = 0 AND open_blockers = 0 LIMIT ?4))`,
		res.Run.LineID, res.Run.ProjectID, before, countLimit).Scan(&held, &last, &b.ready, &b.freed, &b.changes)
	b.heldKey, b.heldTitle, _ = strings.Cut(held, "\n")
	if b.heldKey == "" {
		b.lastKey, b.lastState, _ = strings.Cut(last, "\n")
	}
	b.ready = min(b.ready+b.freed, countLimit)
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
