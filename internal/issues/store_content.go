package issues

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"board/internal/store"
)

type criterionRow struct {
	bun.BaseModel `bun:"table:criteria,alias:k"`

	IssueID int64   `bun:"issue_id,pk"`
	N       int64   `bun:"n,pk"`
	Text    string  `bun:"text"`
	Verdict Verdict `bun:"verdict"`
	How     string  `bun:"how"`
}

// remarkRow is a comment on an Issue or a note of a project: they differ in what they belong to.
type remarkRow struct {
	ID      int64  `bun:"id"`
	RunID   int64  `bun:"run_id"`
	Actor   string `bun:"actor"`
	Person  string `bun:"person"`
	Machine string `bun:"machine"`
	Text    string `bun:"text"`
	At      int64  `bun:"at"`
}

// shelf says where a remark is kept.
type shelf struct{ table, owner string }

func comments() shelf { return shelf{"comments", "issue_id"} }
func notes() shelf    { return shelf{"notes", "project_id"} }

func (s *Service) saveDescription(ctx context.Context, tx *store.Tx, issue int64, text string) error {
	_, err := s.bun.NewRaw(`INSERT INTO issue_bodies (issue_id, description) VALUES (?, ?)
		ON CONFLICT (issue_id) DO UPDATE SET description = excluded.description`, issue, text).Conn(tx.Tx).Exec(ctx)
	return err
}

func (s *Service) description(ctx context.Context, tx *store.Tx, issue int64) (string, error) {
	var text string
	err := s.bun.NewSelect().Conn(tx.Tx).Table("issue_bodies").Column("description").Where("issue_id = ?", issue).Scan(ctx, &text)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return text, err
}

func (s *Service) criteria(ctx context.Context, tx *store.Tx, issue int64) ([]criterionRow, error) {
	var rows []criterionRow
	err := s.bun.NewSelect().Conn(tx.Tx).Model(&rows).Where("k.issue_id = ?", issue).Order("k.n").Scan(ctx)
	return rows, err
}

func (s *Service) addCriteria(ctx context.Context, tx *store.Tx, rows []criterionRow) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := s.bun.NewInsert().Conn(tx.Tx).Model(&rows).Exec(ctx)
	return err
}

func (s *Service) saveCriterion(ctx context.Context, tx *store.Tx, row criterionRow) error {
	_, err := s.bun.NewUpdate().Conn(tx.Tx).Model(&row).WherePK().Exec(ctx)
	return err
}

func (s *Service) removeCriterion(ctx context.Context, tx *store.Tx, row criterionRow) error {
	_, err := s.bun.NewDelete().Conn(tx.Tx).Model(&row).WherePK().Exec(ctx)
	return err
}

// unjudge voids the verdicts of an Issue.
func (s *Service) unjudge(ctx context.Context, tx *store.Tx, issue int64) error {
	_, err := s.bun.NewUpdate().Conn(tx.Tx).Model((*criterionRow)(nil)).Set("verdict = ''").Set("how = ''").
		Where("k.issue_id = ?", issue).Exec(ctx)
	return err
}

// link is a blocker by ids and key.
type link struct {
	IssueID   int64  `bun:"issue_id"`
	BlockedBy int64  `bun:"blocked_by"`
	State     State  `bun:"state"`
	Prefix    string `bun:"prefix"`
	Number    int64  `bun:"number"`
}

// blockersOf returns what blocks each of some Issues, in the order of creation.
func (s *Service) blockersOf(ctx context.Context, tx *store.Tx, ids ...int64) ([]link, error) {
	var out []link
	if len(ids) == 0 {
		return nil, nil
	}
	err := s.bun.NewSelect().Conn(tx.Tx).TableExpr("blockers AS b").
		ColumnExpr("b.issue_id, b.blocked_by, o.state, p.prefix, o.number").
		Join("JOIN issues AS o ON o.id = b.blocked_by").Join("JOIN projects AS p ON p.id = o.project_id").
		Where("b.issue_id IN (?)", bun.List(ids)).Order("b.issue_id", "b.blocked_by").Scan(ctx, &out)
	return out, err
}

func (s *Service) block(ctx context.Context, tx *store.Tx, issue, by int64) error {
	_, err := s.bun.NewRaw("INSERT INTO blockers (issue_id, blocked_by) VALUES (?, ?)", issue, by).Conn(tx.Tx).Exec(ctx)
	return err
}

func (s *Service) unblock(ctx context.Context, tx *store.Tx, issue, by int64) error {
	_, err := s.bun.NewDelete().Conn(tx.Tx).Table("blockers").Where("issue_id = ?", issue).Where("blocked_by = ?", by).Exec(ctx)
	return err
}

// waitsFor reports whether from is blocked by to, directly or through others.
func (s *Service) waitsFor(ctx context.Context, tx *store.Tx, from, to int64) (bool, error) {
	var n int64
	err := s.bun.NewRaw(`WITH RECURSIVE chain (id) AS (
		SELECT ? UNION SELECT b.blocked_by FROM blockers AS b JOIN chain AS c ON b.issue_id = c.id)
		SELECT count(*) FROM chain WHERE id = ?`, from, to).Conn(tx.Tx).Scan(ctx, &n)
	return n > 0, err
}

// isUnder reports whether id is ancestor or lies beneath it.
func (s *Service) isUnder(ctx context.Context, tx *store.Tx, id, ancestor int64) (bool, error) {
	var n int64
	err := s.bun.NewRaw(`WITH RECURSIVE up (id) AS (
		SELECT ? UNION SELECT i.parent_id FROM issues AS i JOIN up AS u ON i.id = u.id WHERE i.parent_id <> 0)
		SELECT count(*) FROM up WHERE id = ?`, id, ancestor).Conn(tx.Tx).Scan(ctx, &n)
	return n > 0, err
}

// addRemark stores a comment or a note and returns it with its id.
func (s *Service) addRemark(ctx context.Context, tx *store.Tx, at shelf, owner int64, r remarkRow) (remarkRow, error) {
	table, of := bun.Ident(at.table), bun.Ident(at.owner)
	err := s.bun.NewRaw(`INSERT INTO ? (?, id, run_id, actor, person, machine, text, at)
		SELECT ?, 1 + coalesce(max(id), 0), ?, ?, ?, ?, ?, ? FROM ? WHERE ? = ? RETURNING id`,
		table, of, owner, r.RunID, r.Actor, r.Person, r.Machine, r.Text, r.At, table, of, owner).Conn(tx.Tx).Scan(ctx, &r.ID)
	return r, err
}

// remarks returns the comments of an Issue or the notes of a project, oldest first.
func (s *Service) remarks(ctx context.Context, tx *store.Tx, at shelf, owner int64) ([]remarkRow, error) {
	var out []remarkRow
	err := s.bun.NewSelect().Conn(tx.Tx).Table(at.table).Column("id", "run_id", "actor", "person", "machine", "text", "at").
		Where("? = ?", bun.Ident(at.owner), owner).Order("id").Scan(ctx, &out)
	return out, err
}

// sameRemark returns the newest remark with this text, or false. With run 0 it may be anybody's, of any age.
func (s *Service) sameRemark(ctx context.Context, tx *store.Tx, at shelf, owner, run, after int64, text string) (remarkRow, bool, error) {
	var r remarkRow
	q := s.bun.NewSelect().Conn(tx.Tx).Table(at.table).Column("id", "run_id", "actor", "person", "machine", "text", "at").
		Where("? = ?", bun.Ident(at.owner), owner).Where("text = ?", text).Order("id DESC").Limit(1)
	if run != 0 {
		q = q.Where("run_id = ?", run).Where("at > ?", after)
	}
	err := q.Scan(ctx, &r)
	if errors.Is(err, sql.ErrNoRows) {
		return r, false, nil
	}
	return r, err == nil, err
}

// createdBy counts the Issues that a run created.
func (s *Service) createdBy(ctx context.Context, tx *store.Tx, run int64) (int64, error) {
	return s.bun.NewSelect().Conn(tx.Tx).Model((*issueRow)(nil)).Where("i.created_by_run = ?", run).Where("i.created_by_run <> 0").Count(ctx)
}

// createdAs returns the Issue that a run created with the same request, not before after, or false.
func (s *Service) createdAs(ctx context.Context, tx *store.Tx, run, after int64, hash string) (issueRow, bool, error) {
	var row issueRow
	err := s.bun.NewSelect().Conn(tx.Tx).Model(&row).Where("i.created_by_run = ?", run).Where("i.created_by_run <> 0").
		Where("i.created_as = ?", hash).Where("i.created_at > ?", after).Order("i.id DESC").Limit(1).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return row, false, nil
	}
	return row, err == nil, err
}

// historyRow is one row of the history of Issues.
type historyRow struct {
	Seq       int64  `bun:"seq"`
	At        int64  `bun:"at"`
	EntityID  int64  `bun:"entity_id"`
	Event     string `bun:"event"`
	FromState string `bun:"from_state"`
	ToState   string `bun:"to_state"`
	Revision  int64  `bun:"revision"`
	Actor     string `bun:"actor"`
	RunID     int64  `bun:"run_id"`
	Identity  string `bun:"identity"`
	Person    string `bun:"person"`
	Machine   string `bun:"machine"`
	Detail    string `bun:"detail"`
}

// changes returns rows of the history of Issues, newest first. Zero arguments select everything.
func (s *Service) changes(ctx context.Context, tx *store.Tx, project, issue, before int64, limit int) ([]historyRow, error) {
	var out []historyRow
	q := s.bun.NewSelect().Conn(tx.Tx).Table("history").
		Column("seq", "at", "entity_id", "event", "from_state", "to_state", "revision", "actor", "run_id", "identity", "person", "machine", "detail").
		Where("entity = 'issue'").Order("seq DESC")
	if project != 0 {
		q = q.Where("project_id = ?", project)
	}
	if issue != 0 {
		q = q.Where("entity_id = ?", issue)
	}
	if before != 0 {
		q = q.Where("seq < ?", before)
	}
	if limit > 0 {
		q = q.Limit(int64(limit))
	}
	err := q.Scan(ctx, &out)
	return out, err
}
