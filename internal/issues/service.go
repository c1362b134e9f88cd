package issues

import (
	"context"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"

	"board/internal/machine"
	"board/internal/store"
)

// Service is every use case that touches an Issue. CLI, MCP and the boards call the same methods, so that a rule exists
// once. It is safe for concurrent use: its state is in the store.
type Service struct {
	db    *store.DB
	bun   *bun.DB // builds queries; every query runs on the connection of a transaction of db
	table machine.Table[State, Event, facts]
}

// New returns the use cases over db.
func New(db *store.DB) *Service {
	return &Service{db: db, bun: bun.NewDB(db.SQL(), sqlitedialect.New()), table: table(rules())}
}

// BeginWork claims an Issue for the caller's line, or with an empty key the next ready one; a line that holds one gets
// that one. Only runs begin work. Faults: by_person, held_by_other, reserved, blocked, holds_other, nothing_ready,
// wrong_state, run_stale.
func (s *Service) BeginWork(ctx context.Context, a Actor, m MoveCmd) (Result, error) {
	return s.move(ctx, a, BeginWork, input{MoveCmd: m})
}

// Resume is BeginWork for a run. A person resumes a paused Issue, which goes back to the line that had it.
func (s *Service) Resume(ctx context.Context, a Actor, m MoveCmd) (Result, error) {
	return s.move(ctx, a, Resume, input{MoveCmd: m})
}

// Pause stops work on an Issue for a reason that the next one reads. What a person paused only a person resumes.
func (s *Service) Pause(ctx context.Context, a Actor, m MoveCmd) (Result, error) {
	return s.move(ctx, a, Pause, input{MoveCmd: m})
}

// Unclaim gives an Issue back to the ready ones. People release instead.
func (s *Service) Unclaim(ctx context.Context, a Actor, m MoveCmd) (Result, error) {
	return s.move(ctx, a, Unclaim, input{MoveCmd: m})
}

// RequestClosure asks a person to approve, with a verdict for every criterion. Only roots ask.
func (s *Service) RequestClosure(ctx context.Context, a Actor, c ClosureCmd) (Result, error) {
	m := MoveCmd{ProjectID: c.ProjectID, Key: c.Key, RunRevision: c.RunRevision, IssueRevision: c.IssueRevision}
	return s.move(ctx, a, RequestClosure, input{MoveCmd: m, summary: c.Summary, judgments: append([]Judgment(nil), c.Judgments...)})
}

// Release takes an Issue from the session that has it; its runs get it again only after their user's next prompt. While
// a run is live it needs Force.
func (s *Service) Release(ctx context.Context, a Actor, m MoveCmd) (Result, error) {
	return s.move(ctx, a, Release, input{MoveCmd: m})
}

// Approve is a person's yes to a request for closure. If the Issue or its evidence changed since, the fault
// review_needed says how, and the same call by the same person approves.
func (s *Service) Approve(ctx context.Context, a Actor, m MoveCmd) (Result, error) {
	return s.move(ctx, a, Approve, input{MoveCmd: m})
}

// RequestChanges sends an Issue back, with the reason that the next agent reads.
func (s *Service) RequestChanges(ctx context.Context, a Actor, m MoveCmd) (Result, error) {
	return s.move(ctx, a, RequestChanges, input{MoveCmd: m})
}

// Close ends an Issue by hand; nothing is judged.
func (s *Service) Close(ctx context.Context, a Actor, m MoveCmd) (Result, error) {
	return s.move(ctx, a, Close, input{MoveCmd: m})
}

// Reopen takes a done or canceled Issue up again.
func (s *Service) Reopen(ctx context.Context, a Actor, m MoveCmd) (Result, error) {
	return s.move(ctx, a, Reopen, input{MoveCmd: m})
}

// Cancel gives an Issue up.
func (s *Service) Cancel(ctx context.Context, a Actor, m MoveCmd) (Result, error) {
	return s.move(ctx, a, Cancel, input{MoveCmd: m})
}

// Archive hides an Issue that nobody works on.
func (s *Service) Archive(ctx context.Context, a Actor, m MoveCmd) (Result, error) {
	return s.move(ctx, a, Archive, input{MoveCmd: m})
}

// Unarchive shows it again.
func (s *Service) Unarchive(ctx context.Context, a Actor, m MoveCmd) (Result, error) {
	return s.move(ctx, a, Unarchive, input{MoveCmd: m})
}

// Hold keeps an Issue from being handed out without its key.
func (s *Service) Hold(ctx context.Context, a Actor, m MoveCmd) (Result, error) {
	return s.move(ctx, a, Hold, input{MoveCmd: m})
}

// Unhold lets it be handed out.
func (s *Service) Unhold(ctx context.Context, a Actor, m MoveCmd) (Result, error) {
	return s.move(ctx, a, Unhold, input{MoveCmd: m})
}
