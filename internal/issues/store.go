package issues

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"board/internal/fault"
	"board/internal/store"
)

// unfinished is issueRow.EvidenceFinal while the session that asked for the closure has not gone on to another Issue.
const unfinished = -1

// issueRow is an Issue as stored. Times are UTC milliseconds; 0 and ” mean none.
type issueRow struct {
	bun.BaseModel `bun:"table:issues,alias:i"`

	ID               int64       `bun:"id,pk,autoincrement"`
	UUID             string      `bun:"uuid"`
	ProjectID        int64       `bun:"project_id"`
	Number           int64       `bun:"number"`
	Title            string      `bun:"title"`
	State            State       `bun:"state"`
	Priority         int         `bun:"priority"`
	Rank             int64       `bun:"rank"`
	Type             string      `bun:"type"`
	Due              string      `bun:"due"`
	Labels           string      `bun:"labels"`
	Links            string      `bun:"links"`
	Hold             bool        `bun:"hold"`
	Archived         bool        `bun:"archived"`
	ChangesRequested bool        `bun:"changes_requested"`
	ParentID         int64       `bun:"parent_id"`
	OpenBlockers     int64       `bun:"open_blockers"`
	Revision         int64       `bun:"revision"`
	Version          int64       `bun:"version"`
	Fence            int64       `bun:"fence"`
	HolderLine       int64       `bun:"holder_line"`
	HolderRun        int64       `bun:"holder_run"`
	ClaimedAt        int64       `bun:"claimed_at"`
	LastLine         int64       `bun:"last_line"`
	LastMove         Event       `bun:"last_move"`
	LastMoveLine     int64       `bun:"last_move_line"`
	PauseReason      PauseReason `bun:"pause_reason"`
	PausedByPerson   bool        `bun:"paused_by_person"`
	LastReason       string      `bun:"last_reason"`
	ClosureSummary   string      `bun:"closure_summary"`
	ClosureRun       int64       `bun:"closure_run"`
	ClosureRevision  int64       `bun:"closure_revision"`
	ClosureEvidence  int64       `bun:"closure_evidence"`
	EvidenceFinal    int64       `bun:"evidence_final"`
	ShownTo          string      `bun:"shown_to"`
	RequestedAt      int64       `bun:"requested_at"`
	CreatedByRun     int64       `bun:"created_by_run"`
	CreatedAs        string      `bun:"created_as"`
	NextCriterion    int64       `bun:"next_criterion"`
	Person           string      `bun:"person"`
	Machine          string      `bun:"machine"`
	CreatedAt        int64       `bun:"created_at"`
	UpdatedAt        int64       `bun:"updated_at"`
}

// claimRow is one claim that was made on an Issue.
type claimRow struct {
	bun.BaseModel `bun:"table:claims,alias:c"`

	IssueID int64  `bun:"issue_id,pk"`
	Fence   int64  `bun:"fence,pk"`
	LineID  int64  `bun:"line_id"`
	RunID   int64  `bun:"run_id"`
	Since   int64  `bun:"since"`
	Until   int64  `bun:"until"`
	EndedBy string `bun:"ended_by"`
	EndedAs string `bun:"ended_as"`
}

// prefixes returns the prefixes of the projects by id.
func (s *Service) prefixes(ctx context.Context, tx *store.Tx) (map[int64]string, error) {
	var rows []struct {
		ID     int64  `bun:"id"`
		Prefix string `bun:"prefix"`
	}
	err := s.bun.NewSelect().Conn(tx.Tx).Table("projects").Column("id", "prefix").Scan(ctx, &rows)
	out := make(map[int64]string, len(rows))
	for _, r := range rows {
		out[r.ID] = r.Prefix
	}
	return out, err
}

// find returns the Issue with a key. Project 0 is any project.
func (s *Service) find(ctx context.Context, tx *store.Tx, projectID int64, key string) (issueRow, error) {
	prefix, number, err := ParseKey(key)
	if err != nil {
		return issueRow{}, err
	}
	var at int64
	err = s.bun.NewSelect().Conn(tx.Tx).Table("projects").Column("id").Where("prefix = ?", prefix).Scan(ctx, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return issueRow{}, fault.New(fault.NotFound, "board list shows the keys", "no project has the prefix %s", prefix)
	}
	if err != nil {
		return issueRow{}, err
	}
	if projectID != 0 && at != projectID {
		return issueRow{}, fault.New(fault.WrongProject, "work on it from its own project", "%s belongs to another project", FormatKey(prefix, number))
	}
	var row issueRow
	err = s.bun.NewSelect().Conn(tx.Tx).Model(&row).Where("i.project_id = ?", at).Where("i.number = ?", number).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return row, fault.New(fault.NotFound, "board list shows the keys", "there is no %s", FormatKey(prefix, number))
	}
	return row, err
}

// byID returns an Issue, or false.
func (s *Service) byID(ctx context.Context, tx *store.Tx, id int64) (issueRow, bool, error) {
	var row issueRow
	err := s.bun.NewSelect().Conn(tx.Tx).Model(&row).Where("i.id = ?", id).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return row, false, nil
	}
	return row, err == nil, err
}

// heldBy returns the Issue that a line holds, or false.
func (s *Service) heldBy(ctx context.Context, tx *store.Tx, line int64) (issueRow, bool, error) {
	var row issueRow
	if line == 0 {
		return row, false, nil
	}
	// The second condition names the partial index.
	err := s.bun.NewSelect().Conn(tx.Tx).Model(&row).Where("i.holder_line = ?", line).Where("i.holder_line <> 0").Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return row, false, nil
	}
	return row, err == nil, err
}

// nextNumber takes the next number of a project. It is spent for good, whatever becomes of the Issue.
func (s *Service) nextNumber(ctx context.Context, tx *store.Tx, projectID int64) (int64, error) {
	var n int64
	err := s.bun.NewUpdate().Conn(tx.Tx).Table("projects").Set("next_number = next_number + 1").
		Where("id = ?", projectID).Returning("next_number - 1").Scan(ctx, &n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fault.New(fault.NoProject, "run board init in the repository", "there is no such project")
	}
	return n, err
}

// insert stores a new Issue and its description.
func (s *Service) insert(ctx context.Context, tx *store.Tx, row *issueRow, description string) error {
	if _, err := s.bun.NewInsert().Conn(tx.Tx).Model(row).Returning("id").Exec(ctx, &row.ID); err != nil {
		return err
	}
	return s.saveDescription(ctx, tx, row.ID, description)
}

// update writes an Issue by compare-and-set on its version, which rises.
func (s *Service) update(ctx context.Context, tx *store.Tx, row *issueRow) error {
	before := row.Version
	row.Version++
	res, err := s.bun.NewUpdate().Conn(tx.Tx).Model(row).
		ExcludeColumn("id", "uuid", "project_id", "number", "created_at", "created_by_run", "created_as", "person", "machine", "open_blockers").
		Where("i.id = ?", row.ID).Where("i.version = ?", before).Exec(ctx)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return errors.Join(err, fault.New(fault.Conflict, "try again", "somebody else changed the Issue at the same moment"))
	}
	return nil
}

// recount sets the counter of open blockers of some Issues: of the Issue itself, or of those that it blocks.
func (s *Service) recount(ctx context.Context, tx *store.Tx, id int64, blocked bool) error {
	q := s.bun.NewUpdate().Conn(tx.Tx).Model((*issueRow)(nil)).
		Set(`open_blockers = (SELECT count(*) FROM blockers AS b JOIN issues AS o ON o.id = b.blocked_by
			WHERE b.issue_id = i.id AND o.state NOT IN ('done', 'canceled'))`).
		Set("version = version + 1")
	if blocked {
		q = q.Where("i.id IN (SELECT b2.issue_id FROM blockers AS b2 WHERE b2.blocked_by = ?)", id)
	} else {
		q = q.Where("i.id = ?", id)
	}
	_, err := q.Exec(ctx)
	return err
}

// savepoint, rollbackTo: a refused call leaves the sign of life of its caller behind, and nothing else.
func savepoint(ctx context.Context, tx *store.Tx) error {
	_, err := tx.ExecContext(ctx, "SAVEPOINT call")
	return err
}

func rollbackTo(ctx context.Context, tx *store.Tx) error {
	_, err := tx.ExecContext(ctx, "ROLLBACK TO SAVEPOINT call")
	return err
}
