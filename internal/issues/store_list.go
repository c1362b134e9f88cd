package issues

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"board/internal/store"
)

// readyTodo is the part of the ready predicate that an index answers; it repeats the condition of the index issues_ready.
const readyTodo = "i.state = 'todo' AND i.hold = 0 AND i.archived = 0 AND i.open_blockers = 0"

// readyClaimed selects the Issues that were begun and may be free again: whether they are depends on their lines, and
// ready() says so. It repeats the condition of the index issues_open.
const readyClaimed = "i.state IN ('in_progress', 'paused') AND i.state NOT IN ('done', 'canceled') AND i.hold = 0 AND i.archived = 0 AND i.open_blockers = 0"

// scope narrows a query to a project, or names all of them so that the indexes, which begin with it, still serve.
func scope(q *bun.SelectQuery, project int64) *bun.SelectQuery {
	if project != 0 {
		return q.Where("i.project_id = ?", project)
	}
	return q.Where("i.project_id IN (SELECT id FROM projects)")
}

// narrow adds the conditions of a filter other than state and readiness.
func narrow(q *bun.SelectQuery, f Filter) *bun.SelectQuery {
	q = scope(q, f.ProjectID)
	if !f.Archived {
		q = q.Where("i.archived = 0")
	}
	if f.Mine != 0 {
		q = q.Where("(i.holder_line = ? OR i.last_line = ?)", f.Mine, f.Mine)
	}
	if f.Label != "" {
		quoted := strings.Trim(list([]string{f.Label}), "[]")
		q = q.Where(`i.labels LIKE ? ESCAPE '\'`, contains(quoted))
	}
	if f.Text != "" {
		q = q.Where(`(i.title LIKE ? ESCAPE '\' OR EXISTS (SELECT 1 FROM issue_bodies AS d WHERE d.issue_id = i.id AND d.description LIKE ? ESCAPE '\'))`,
			contains(f.Text), contains(f.Text))
	}
	return q
}

func contains(s string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s) + "%"
}

// readyFrom returns up to limit (0: all) Issues in todo that are ready, in their order, from after the cursor on.
func (s *Service) readyFrom(ctx context.Context, tx *store.Tx, f Filter, after *cursor, limit int) ([]issueRow, error) {
	var rows []issueRow
	q := narrow(s.bun.NewSelect().Conn(tx.Tx).Model(&rows), f).Where(readyTodo).
		OrderExpr("i.changes_requested DESC, i.priority, i.id")
	if after != nil {
		q = q.Where("(-i.changes_requested, i.priority, i.id) > (?, ?, ?)", -after.Changes, after.Priority, after.ID)
	}
	if limit > 0 {
		q = q.Limit(int64(limit))
	}
	err := q.Scan(ctx)
	return rows, err
}

// readyCandidates returns the Issues that were begun and may be free again.
func (s *Service) readyCandidates(ctx context.Context, tx *store.Tx, f Filter) ([]issueRow, error) {
	var rows []issueRow
	err := narrow(s.bun.NewSelect().Conn(tx.Tx).Model(&rows), f).Where(readyClaimed).Scan(ctx)
	return rows, err
}

// countReady counts what readyFrom would return without a limit.
func (s *Service) countReady(ctx context.Context, tx *store.Tx, f Filter) (int64, error) {
	return narrow(s.bun.NewSelect().Conn(tx.Tx).Model((*issueRow)(nil)), f).Where(readyTodo).Count(ctx)
}

// inState returns up to limit (0: all) Issues in a state from after the cursor on: open ones by priority, rank and age,
// closed ones newest first.
func (s *Service) inState(ctx context.Context, tx *store.Tx, f Filter, state State, after *cursor, limit int) ([]issueRow, error) {
	var rows []issueRow
	q := narrow(s.bun.NewSelect().Conn(tx.Tx).Model(&rows), f).Where("i.state = ?", state)
	if isOpen(state) {
		q = q.Where("i.state NOT IN ('done', 'canceled')").OrderExpr("i.priority, i.rank, i.id")
		if after != nil {
			q = q.Where("(i.priority, i.rank, i.id) > (?, ?, ?)", after.Priority, after.Rank, after.ID)
		}
	} else {
		q = q.Where("i.state IN ('done', 'canceled')").OrderExpr("i.updated_at DESC, i.id DESC")
		if after != nil {
			q = q.Where("(i.updated_at, i.id) < (?, ?)", after.Updated, after.ID)
		}
	}
	if limit > 0 {
		q = q.Limit(int64(limit))
	}
	err := q.Scan(ctx)
	return rows, err
}

// countStates counts the Issues of a filter by state.
func (s *Service) countStates(ctx context.Context, tx *store.Tx, f Filter) (map[State]int, error) {
	var rows []struct {
		State State `bun:"state"`
		N     int   `bun:"n"`
	}
	err := narrow(s.bun.NewSelect().Conn(tx.Tx).Model((*issueRow)(nil)), f).ColumnExpr("i.state, count(*) AS n").Group("i.state").Scan(ctx, &rows)
	out := map[State]int{}
	for _, r := range rows {
		out[r.State] = r.N
	}
	return out, err
}

// tally counts what waits for a person.
type tally struct {
	Changes int `bun:"changes"`
	Waiting int `bun:"waiting"`
	Held    int `bun:"held"`
}

func (s *Service) tally(ctx context.Context, tx *store.Tx, project int64) (tally, error) {
	var t tally
	err := scope(s.bun.NewSelect().Conn(tx.Tx).Model((*issueRow)(nil)), project).
		ColumnExpr("coalesce(sum(CASE WHEN i.state = 'todo' AND i.changes_requested = 1 THEN 1 ELSE 0 END), 0) AS changes").
		ColumnExpr(`coalesce(sum(CASE WHEN i.state = 'in_review' OR i.state = 'paused' AND (i.paused_by_person = 1 OR i.pause_reason <> 'handoff') THEN 1 ELSE 0 END), 0) AS waiting`).
		ColumnExpr("coalesce(sum(CASE WHEN i.state = 'todo' AND i.hold = 1 THEN 1 ELSE 0 END), 0) AS held").
		Where("i.archived = 0").Where("i.state NOT IN ('done', 'canceled')").Scan(ctx, &t)
	return t, err
}

// keysByID returns keys by id.
func (s *Service) keysByID(ctx context.Context, tx *store.Tx, ids []int64) (map[int64]string, error) {
	out := map[int64]string{}
	if len(ids) == 0 {
		return out, nil
	}
	var rows []struct {
		ID     int64  `bun:"id"`
		Prefix string `bun:"prefix"`
		Number int64  `bun:"number"`
	}
	slices.Sort(ids)
	err := s.bun.NewSelect().Conn(tx.Tx).TableExpr("issues AS i").ColumnExpr("i.id, p.prefix, i.number").
		Join("JOIN projects AS p ON p.id = i.project_id").Where("i.id IN (?)", bun.List(slices.Compact(ids))).Scan(ctx, &rows)
	for _, r := range rows {
		out[r.ID] = FormatKey(r.Prefix, r.Number)
	}
	if err != nil {
		return nil, fmt.Errorf("keys of issues: %w", err)
	}
	return out, nil
}
