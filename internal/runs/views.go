package runs

import (
	"context"

	"board/internal/store"
)

// RunFilter selects runs. The zero filter is the newest hundred of every project.
type RunFilter struct {
	ProjectID int64
	Host      string
	Session   string
	LiveOnly  bool
	Limit     int   // 0: 100
	Before    int64 // runs older than this id; 0 for the newest
}

// RunView is a run as everybody may see it.
type RunView struct {
	Run      // Handle is empty here: it is shown to nobody but its run
	Held     int64
	Projects []ScopeCount
}

// ScopeCount counts the files that a run changed in one project.
type ScopeCount struct {
	ProjectID int64
	Evidence  int64
}

// List returns runs, newest first, with their state as it is now.
func List(ctx context.Context, q store.Querier, now int64, f RunFilter) ([]RunView, error) {
	if f.Limit <= 0 {
		f.Limit = 100
	}
	found, err := listRuns(ctx, q, f)
	if err != nil {
		return nil, err
	}
	var out []RunView
	for _, r := range found {
		if r, err = asOf(ctx, q, r, now); err != nil {
			return nil, err
		}
		if f.LiveOnly && !r.IsLive() {
			continue
		}
		r.Handle = ""
		v := RunView{Run: r}
		if v.Held, err = heldIssue(ctx, q, r.LineID); err != nil {
			return nil, err
		}
		if v.Projects, err = scopesOf(ctx, q, r.ID); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// SessionFilter selects sessions. The zero filter is the newest hundred of every project.
type SessionFilter struct {
	ProjectID int64
	OpenOnly  bool
	Limit     int // 0: 100
}

// SessionView is one stretch of a conversation as it is now.
type SessionView struct {
	Stretch
	Host, Session string
	ProjectID     int64 // of its newest run
	Runs          int64 // of all lines of the stretch
	LastSeenAt    int64
	Newest        Run   // the newest run of the root line; zero if there is none
	Held          int64 // the Issue that the root line holds
}

// Sessions returns stretches, newest first.
func Sessions(ctx context.Context, q store.Querier, now int64, f SessionFilter) ([]SessionView, error) {
	if f.Limit <= 0 {
		f.Limit = 100
	}
	found, err := listSessions(ctx, q, f)
	if err != nil {
		return nil, err
	}
	var out []SessionView
	for _, s := range found {
		c, err := Settings(ctx, q, s.Host, s.ProjectID)
		if err != nil {
			return nil, err
		}
		if s.Newest, err = asOf(ctx, q, s.Newest, now); err != nil {
			return nil, err
		}
		s.Stretch = s.At(now, s.LastSeenAt, c, s.Newest.hostNow(), s.Newest.IsLive())
		if f.OpenOnly && !s.Open() {
			continue
		}
		s.Newest.Handle = ""
		if s.Held, err = heldIssue(ctx, q, s.LineID); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}
