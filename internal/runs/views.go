package runs

import (
	"context"

	"board/internal/process"
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

// ScopeCount is one project that a run was at work in: what can be proven of it there, as it is read now, and how many
// files it changed.
type ScopeCount struct {
	ProjectID int64
	Verdict   Verdict
	Missing   string // the boundary, "" for supported
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
		if v.Projects, err = scopesOf(ctx, q, r); err != nil {
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
	seen := looks{}
	for _, s := range found {
		c, err := Settings(ctx, q, s.Host, s.ProjectID)
		if err != nil {
			return nil, err
		}
		if s.Newest, err = seen.asOf(ctx, q, s.Newest, now); err != nil {
			return nil, err
		}
		host := process.Unknown
		if s.Open() {
			if host, err = seen.hostOf(ctx, q, s.Stretch, s.Newest.HostProof); err != nil {
				return nil, err
			}
		}
		s.Stretch = s.At(now, s.LastSeenAt, c, host, s.Newest.IsLive())
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

// StopCount is how the Stops of one version of a host met their runs. That they meet is what everything rests on.
type StopCount struct {
	Host, Version string // version "" where the host does not say it
	Runs          int64  // registered, subagents too
	Matched       int64  // Stops of root turns that belonged to a run
	Lost          int64  // Stops that belonged to none
	InRow         int64  // of those, since the last one that did
}

// StopCounts returns them by host and version, of everything that is stored.
func StopCounts(ctx context.Context, q store.Querier) ([]StopCount, error) { return stopCounts(ctx, q) }

// VerdictCount counts the runs with one verdict in one project.
type VerdictCount struct {
	ProjectID int64
	Verdict   Verdict
	Missing   string // the boundary
	N         int64
}

// VerdictCounts returns them by project, of everything that is stored, as it is read now.
func VerdictCounts(ctx context.Context, q store.Querier) ([]VerdictCount, error) {
	return verdictCounts(ctx, q)
}
