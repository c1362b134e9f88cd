package issues

import (
	"context"
	"database/sql"
	"errors"

	"board/internal/runs"
	"board/internal/store"
)

// lastClaim returns the newest claim that a line made on an Issue, or nil.
func (s *Service) lastClaim(ctx context.Context, tx *store.Tx, line, issue int64) (*claimRow, error) {
	var c claimRow
	err := s.bun.NewSelect().Conn(tx.Tx).Model(&c).Where("c.line_id = ?", line).Where("c.issue_id = ?", issue).
		Order("c.fence DESC").Limit(1).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &c, err
}

// openClaim records that a claim began.
func (s *Service) openClaim(ctx context.Context, tx *store.Tx, row issueRow) error {
	_, err := s.bun.NewInsert().Conn(tx.Tx).Model(&claimRow{
		IssueID: row.ID, Fence: row.Fence, LineID: row.HolderLine, RunID: row.HolderRun, Since: row.ClaimedAt,
	}).Exec(ctx)
	return err
}

// closeClaim records how a claim ended.
func (s *Service) closeClaim(ctx context.Context, tx *store.Tx, issue, fence int64, by string, ev Event) error {
	_, err := s.bun.NewUpdate().Conn(tx.Tx).Model((*claimRow)(nil)).
		Set("until = ?", tx.Now).Set("ended_by = ?", by).Set("ended_as = ?", ev).
		Where("c.issue_id = ?", issue).Where("c.fence = ?", fence).Exec(ctx)
	return err
}

// sentAway reports whether a person sent the session of a root line away from an Issue, and its user has not spoken since.
func (s *Service) sentAway(ctx context.Context, tx *store.Tx, issue int64, root runs.Line) (bool, error) {
	return s.bun.NewSelect().Conn(tx.Tx).Table("displaced").
		Where("issue_id = ?", issue).Where("line_id = ?", root.ID).Where("prompts = ?", root.Prompts).Exists(ctx)
}

// sendAway records it.
func (s *Service) sendAway(ctx context.Context, tx *store.Tx, issue int64, root runs.Line) error {
	_, err := s.bun.NewRaw(`INSERT INTO displaced (issue_id, line_id, prompts) VALUES (?, ?, ?)
		ON CONFLICT (issue_id, line_id) DO UPDATE SET prompts = excluded.prompts`, issue, root.ID, root.Prompts).Conn(tx.Tx).Exec(ctx)
	return err
}

// callBack lets every session come back to an Issue.
func (s *Service) callBack(ctx context.Context, tx *store.Tx, issue int64) error {
	_, err := s.bun.NewDelete().Conn(tx.Tx).Table("displaced").Where("issue_id = ?", issue).Exec(ctx)
	return err
}

// evidence counts the edits in a project by the runs of a session, as far as events reported them.
func (s *Service) evidence(ctx context.Context, tx *store.Tx, project int64, l runs.Line) (int64, error) {
	var n int64
	err := s.bun.NewSelect().Conn(tx.Tx).TableExpr("lines AS l").ColumnExpr("coalesce(sum(e.n), 0)").
		Join("JOIN runs AS r ON r.line_id = l.id").Join("JOIN evidence AS e ON e.run_id = r.id").
		Where("l.host = ?", l.Host).Where("l.session_key = ?", l.Session).Where("e.project_id = ?", project).Scan(ctx, &n)
	return n, err
}

// reviewing returns the Issues in review whose closure a session asked for, and whose evidence may still grow.
func (s *Service) reviewing(ctx context.Context, tx *store.Tx, root runs.Line) ([]issueRow, error) {
	var rows []issueRow
	err := s.bun.NewSelect().Conn(tx.Tx).Model(&rows).Where("i.last_line = ?", root.ID).Where("i.last_line <> 0").
		Where("i.state = ?", InReview).Where("i.evidence_final = ?", unfinished).Scan(ctx)
	return rows, err
}

// finishEvidence fixes the evidence of an Issue in review: what its session edits from now on belongs to another one.
func (s *Service) finishEvidence(ctx context.Context, tx *store.Tx, id, n int64) error {
	_, err := s.bun.NewUpdate().Conn(tx.Tx).Model((*issueRow)(nil)).Set("evidence_final = ?", n).Set("version = version + 1").
		Where("i.id = ?", id).Exec(ctx)
	return err
}
