package issues

import (
	"context"

	"github.com/uptrace/bun"

	"board/internal/runs"
	"board/internal/store"
)

// heldRow is a run and a claim by a line of its session.
type heldRow struct {
	Run      int64 `bun:"run"`
	Issue    int64 `bun:"issue_id"`
	ClaimRun int64 `bun:"claim_run"`
	Since    int64 `bun:"since"`
	Until    int64 `bun:"until"`
}

// covers reports whether the claim overlaps a run of its session. The run that made it counts also where its last event
// came before: a call without proof is no event.
func (h heldRow) covers(r runs.Run) bool {
	return r.ID == h.ClaimRun || (r.IsLive() || r.EndedAt >= h.Since) && (h.Until == 0 || r.StartedAt <= h.Until)
}

// heldBySession selects the runs that a claim on an Issue overlaps, as they are stored: of all lines of its session. A
// run that is stored as live may be over by now, so a caller that reads runs asks heldRow.covers too.
const heldBySession = `FROM claims AS c JOIN lines AS h ON h.id = c.line_id
	JOIN lines AS l ON l.host = h.host AND l.session_key = h.session_key JOIN runs AS r ON r.line_id = l.id
	WHERE c.issue_id = ?0 AND (r.id = c.run_id OR (r.state <> 'ended' OR r.ended_at >= c.since) AND (c.until = 0 OR r.started_at <= c.until))`

// heldDuring returns the runs that a claim on an Issue overlaps, each with that claim.
func (s *Service) heldDuring(ctx context.Context, tx *store.Tx, issue int64) ([]heldRow, error) {
	var rows []heldRow
	err := s.bun.NewRaw("SELECT r.id AS run, c.issue_id, c.run_id AS claim_run, c.since, c.until "+heldBySession+" ORDER BY r.id", issue).Conn(tx.Tx).Scan(ctx, &rows)
	return rows, err
}

// sessionClaims returns the claims that any line of a session ever made, without a run.
func (s *Service) sessionClaims(ctx context.Context, tx *store.Tx, host, session string) ([]heldRow, error) {
	var rows []heldRow
	err := s.bun.NewSelect().Conn(tx.Tx).TableExpr("lines AS l").ColumnExpr("c.issue_id, c.run_id AS claim_run, c.since, c.until").
		Join("JOIN claims AS c ON c.line_id = l.id").Where("l.host = ?", host).Where("l.session_key = ?", session).Scan(ctx, &rows)
	return rows, err
}

// attachedTo returns the runs that people put to an Issue.
func (s *Service) attachedTo(ctx context.Context, tx *store.Tx, issue int64) ([]int64, error) {
	var ids []int64
	err := s.bun.NewSelect().Conn(tx.Tx).Table("attachments").Column("run_id").Where("issue_id = ?", issue).Order("run_id").Scan(ctx, &ids)
	return ids, err
}

// attachedIn returns the Issues of a project that a run was put to.
func (s *Service) attachedIn(ctx context.Context, tx *store.Tx, run, project int64) ([]int64, error) {
	var ids []int64
	err := s.bun.NewSelect().Conn(tx.Tx).TableExpr("attachments AS a").ColumnExpr("a.issue_id").
		Join("JOIN issues AS i ON i.id = a.issue_id").Where("a.run_id = ?", run).Where("i.project_id = ?", project).
		Order("a.issue_id").Scan(ctx, &ids)
	return ids, err
}

// putTo stores that a person put a run to an Issue.
func (s *Service) putTo(ctx context.Context, tx *store.Tx, run, issue int64) error {
	_, err := s.bun.NewRaw("INSERT INTO attachments (run_id, issue_id, at, person) VALUES (?, ?, ?, ?)", run, issue, tx.Now, tx.Person).
		Conn(tx.Tx).Exec(ctx)
	return err
}

// fileRow is a file that a run changed.
type fileRow struct {
	RunID int64  `bun:"run_id"`
	Path  string `bun:"path"`
	N     int64  `bun:"n"`
}

// filesOf returns the files of a project that some runs changed.
func (s *Service) filesOf(ctx context.Context, tx *store.Tx, project int64, ids ...int64) ([]fileRow, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []fileRow
	err := s.bun.NewSelect().Conn(tx.Tx).Table("evidence").Column("run_id", "path", "n").
		Where("run_id IN (?)", bun.List(ids)).Where("project_id = ?", project).Order("run_id", "path").Scan(ctx, &rows)
	return rows, err
}

// workedIn returns the projects in which a run changed files.
func (s *Service) workedIn(ctx context.Context, tx *store.Tx, run int64) ([]int64, error) {
	var ids []int64
	err := s.bun.NewSelect().Conn(tx.Tx).Table("evidence").ColumnExpr("DISTINCT project_id").Where("run_id = ?", run).
		Order("project_id").Scan(ctx, &ids)
	return ids, err
}

// workers returns the runs of the stretch of r that changed files of a project.
func (s *Service) workers(ctx context.Context, tx *store.Tx, r runs.Run, project int64) ([]int64, error) {
	var ids []int64
	err := s.bun.NewSelect().Conn(tx.Tx).TableExpr("lines AS l").ColumnExpr("r.id").Join("JOIN runs AS r ON r.line_id = l.id").
		Where("l.host = ?", r.Host).Where("l.session_key = ?", r.Session).Where("r.stretch = ?", r.Stretch).
		Where("EXISTS (SELECT 1 FROM evidence AS e WHERE e.run_id = r.id AND e.project_id = ?)", project).Order("r.id").Scan(ctx, &ids)
	return ids, err
}

// turnsAfter returns the turns of a root line after the run that asked for a closure, as long as its session was at no
// other Issue: what it does for that one says nothing of this one.
func (s *Service) turnsAfter(ctx context.Context, tx *store.Tx, asked runs.Run, row issueRow) ([]int64, error) {
	var ids []int64
	err := s.bun.NewRaw(`SELECT r.id FROM runs AS r LEFT JOIN (
			SELECT min(c.since) AS at FROM lines AS l JOIN claims AS c ON c.line_id = l.id
			WHERE l.host = ?1 AND l.session_key = ?2 AND c.issue_id <> ?3 AND (c.until = 0 OR c.until >= ?0)) AS other
		WHERE r.line_id = ?4 AND r.id > ?5 AND (other.at IS NULL OR r.state = 'ended' AND r.ended_at <= other.at) ORDER BY r.id`,
		row.RequestedAt, asked.Host, asked.Session, row.ID, asked.LineID, asked.ID).Conn(tx.Tx).Scan(ctx, &ids)
	return ids, err
}

// clashRow is a file that a run of another session changed too: one of the first clashPaths of n.
type clashRow struct {
	RunID int64  `bun:"run_id"`
	Path  string `bun:"path"`
	N     int    `bun:"n"`
}

// clashQuery asks for files that runs of other sessions changed, which are stored as live, and that the runs of a session
// or earlier runs of an Issue changed too. It starts at the live runs, of which there are few: where there are none
// of others, nothing else is read.
const clashQuery = `WITH mine (id) AS MATERIALIZED (
		SELECT r.id FROM lines AS l JOIN runs AS r ON r.line_id = l.id WHERE l.host = ?1 AND l.session_key = ?2 AND r.stretch = ?3
		UNION SELECT run_id FROM attachments WHERE issue_id = ?0
		UNION SELECT r.id ` + heldBySession + `),
	clash AS (SELECT e.run_id, e.path, count(*) OVER (PARTITION BY e.run_id) AS n,
			row_number() OVER (PARTITION BY e.run_id ORDER BY e.path) AS i
		FROM runs AS o INDEXED BY runs_live JOIN lines AS k ON k.id = o.line_id
			JOIN evidence AS e ON e.run_id = o.id AND e.project_id = ?4
		WHERE o.state <> 'ended' AND (k.host <> ?1 OR k.session_key <> ?2)
			AND e.path IN (SELECT x.path FROM mine AS m JOIN evidence AS x ON x.run_id = m.id AND x.project_id = ?4))
	SELECT run_id, path, n FROM clash WHERE i <= ?5 ORDER BY run_id, i`

// clashes returns the first few files of each run that clashQuery finds.
func (s *Service) clashes(ctx context.Context, tx *store.Tx, me runs.Run, row issueRow) ([]clashRow, error) {
	var rows []clashRow
	err := s.bun.NewRaw(clashQuery, row.ID, me.Host, me.Session, me.Stretch, row.ProjectID, clashPaths).Conn(tx.Tx).Scan(ctx, &rows)
	return rows, err
}
