package issues

import (
	"context"

	"board/internal/fault"
	"board/internal/runs"
)

func todo() error { return fault.New(fault.Internal, "wait", "not built yet") }

// Create is a stub.
func (s *Service) Create(ctx context.Context, a Actor, c CreateCmd) (Result, error) {
	return Result{}, todo()
}

// Edit is a stub.
func (s *Service) Edit(ctx context.Context, a Actor, c EditCmd) (Result, error) {
	return Result{}, todo()
}

// RequestClosure is a stub.
func (s *Service) RequestClosure(ctx context.Context, a Actor, c ClosureCmd) (Result, error) {
	return Result{}, todo()
}

// BeginWork is a stub.
func (s *Service) BeginWork(ctx context.Context, a Actor, c MoveCmd) (Result, error) {
	return Result{}, todo()
}

// Resume is a stub.
func (s *Service) Resume(ctx context.Context, a Actor, c MoveCmd) (Result, error) {
	return Result{}, todo()
}

// Pause is a stub.
func (s *Service) Pause(ctx context.Context, a Actor, c MoveCmd) (Result, error) {
	return Result{}, todo()
}

// Unclaim is a stub.
func (s *Service) Unclaim(ctx context.Context, a Actor, c MoveCmd) (Result, error) {
	return Result{}, todo()
}

// Release is a stub.
func (s *Service) Release(ctx context.Context, a Actor, c MoveCmd) (Result, error) {
	return Result{}, todo()
}

// Approve is a stub.
func (s *Service) Approve(ctx context.Context, a Actor, c MoveCmd) (Result, error) {
	return Result{}, todo()
}

// RequestChanges is a stub.
func (s *Service) RequestChanges(ctx context.Context, a Actor, c MoveCmd) (Result, error) {
	return Result{}, todo()
}

// Close is a stub.
func (s *Service) Close(ctx context.Context, a Actor, c MoveCmd) (Result, error) {
	return Result{}, todo()
}

// Reopen is a stub.
func (s *Service) Reopen(ctx context.Context, a Actor, c MoveCmd) (Result, error) {
	return Result{}, todo()
}

// Cancel is a stub.
func (s *Service) Cancel(ctx context.Context, a Actor, c MoveCmd) (Result, error) {
	return Result{}, todo()
}

// Archive is a stub.
func (s *Service) Archive(ctx context.Context, a Actor, c MoveCmd) (Result, error) {
	return Result{}, todo()
}

// Unarchive is a stub.
func (s *Service) Unarchive(ctx context.Context, a Actor, c MoveCmd) (Result, error) {
	return Result{}, todo()
}

// Hold is a stub.
func (s *Service) Hold(ctx context.Context, a Actor, c MoveCmd) (Result, error) {
	return Result{}, todo()
}

// Unhold is a stub.
func (s *Service) Unhold(ctx context.Context, a Actor, c MoveCmd) (Result, error) {
	return Result{}, todo()
}

// Comment is a stub.
func (s *Service) Comment(ctx context.Context, a Actor, projectID int64, key, text string) (Result, error) {
	return Result{}, todo()
}

// Note is a stub.
func (s *Service) Note(ctx context.Context, a Actor, projectID int64, text string) (Note, error) {
	return Note{}, todo()
}

// Get is a stub.
func (s *Service) Get(ctx context.Context, projectID int64, key string) (Issue, error) {
	return Issue{}, todo()
}

// List is a stub.
func (s *Service) List(ctx context.Context, f Filter) (Page, error) { return Page{}, todo() }

// Next is a stub.
func (s *Service) Next(ctx context.Context, projectID int64) (Issue, error) { return Issue{}, todo() }

// Counts is a stub.
func (s *Service) Counts(ctx context.Context, projectID int64) (Counts, error) {
	return Counts{}, todo()
}

// History is a stub.
func (s *Service) History(ctx context.Context, f HistoryFilter) ([]Change, error) { return nil, todo() }

// Acting is a stub.
func (s *Service) Acting(ctx context.Context, a Actor) (*runs.Run, string, error) {
	return nil, "", todo()
}

// Row is a stub.
func Row(i Issue) any { return nil }

// FullRow is a stub.
func FullRow(i Issue) any { return nil }

// MachineDoc is a stub.
func MachineDoc() string { return "" }
