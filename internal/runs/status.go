package runs

import (
	"context"

	"board/internal/process"
	"board/internal/store"
)

// StatusOf returns what is known of lines now.
func StatusOf(ctx context.Context, q store.Querier, now int64, lineIDs ...int64) (map[int64]Status, error) {
	out := make(map[int64]Status, len(lineIDs))
	for _, id := range lineIDs {
		if _, done := out[id]; done || id == 0 {
			continue
		}
		s, err := statusOf(ctx, q, now, id)
		if err != nil {
			return nil, err
		}
		out[id] = s
	}
	return out, nil
}

func statusOf(ctx context.Context, q store.Querier, now, id int64) (Status, error) {
	l, err := LineByID(ctx, q, id)
	if err != nil {
		return Status{}, err
	}
	s := Status{Line: l}
	last, ok, err := runByID(ctx, q, l.LastRun)
	if err != nil {
		return Status{}, err
	}
	if ok {
		if s.Run, err = asOf(ctx, q, last, now); err != nil {
			return Status{}, err
		}
		s.HostGone = last.hostNow() == process.Gone
	}
	if s.LastEventAt, err = lineSeen(ctx, q, id); err != nil {
		return Status{}, err
	}
	live, err := storedLive(ctx, q, id)
	if err != nil {
		return Status{}, err
	}
	for _, r := range live {
		// A turn that was registered from the spool is older than it looks: a direct one is preferred.
		if r, err = asOf(ctx, q, r, now); err != nil {
			return Status{}, err
		}
		if r.IsLive() && (!s.Live || r.Direct && !s.Run.Direct) {
			s.Live, s.Run = true, r
		}
	}
	root, err := RootOf(ctx, q, l)
	if err != nil {
		return Status{}, err
	}
	st, ok, err := newestStretch(ctx, q, root.ID)
	if err != nil {
		return Status{}, err
	}
	s.SessionEnded = ok && !st.Open() && st.Basis == Observed
	if s.HostGone && l.Root() { // a second process of the session that is gone says nothing of the first one
		host, err := looks(nil).hostOf(ctx, q, st, last.HostProof)
		if err != nil {
			return Status{}, err
		}
		s.HostGone = host == process.Gone
	}
	return s, nil
}

// RootOf returns the root line of the session of l: l itself for a root, a zero Line if no event of the root was seen.
func RootOf(ctx context.Context, q store.Querier, l Line) (Line, error) {
	if l.Root() && l.ID != 0 {
		return l, nil
	}
	root, _, err := findLine(ctx, q, l.Host, l.Session, "")
	return root, err
}

// ByID returns a run as it is now, or a zero Run.
func ByID(ctx context.Context, q store.Querier, now, id int64) (Run, error) {
	r, _, err := runByID(ctx, q, id)
	if err != nil {
		return Run{}, err
	}
	return asOf(ctx, q, r, now)
}

// LiveChildren returns the live subagent runs of the session of a root line.
func LiveChildren(ctx context.Context, q store.Querier, now, rootLineID int64) ([]Run, error) {
	root, err := LineByID(ctx, q, rootLineID)
	if err != nil {
		return nil, err
	}
	all, err := sessionLive(ctx, q, root.Host, root.Session)
	if err != nil {
		return nil, err
	}
	var out []Run
	for _, r := range all {
		if r, err = asOf(ctx, q, r, now); err != nil {
			return nil, err
		}
		if r.Kind == Subagent && r.IsLive() {
			out = append(out, r)
		}
	}
	return out, nil
}

// Rebind records a change of authority: the revision of the live runs of the line and of runID rises, and they act on
// issueID from now on (Bind) or on none.
func Rebind(ctx context.Context, tx *store.Tx, lineID, runID int64, c Change, issueID int64) error {
	if c != Bind {
		issueID = 0
	}
	return bump(ctx, tx, lineID, runID, issueID)
}

// WriteDown stores the ends of runs of a line that the clock ended. A writer that meets them in passing calls it.
func WriteDown(ctx context.Context, tx *store.Tx, lineID int64) error {
	stored, err := storedLive(ctx, tx, lineID)
	if err != nil {
		return err
	}
	for _, r := range stored {
		if _, err := transition(ctx, tx, r, Expire, Facts{Now: tx.Now}, "", "clock"); err != nil {
			return err
		}
	}
	return nil
}
