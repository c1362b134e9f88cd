package runs

import (
	"context"

	"board/internal/store"
)

// Stretch is one stretch of a conversation: from its first prompt or tool event to its end. The next prompt or tool
// event after an end opens the next one.
type Stretch struct {
	LineID   int64
	N        int64
	State    string // active, ended or summarized; it only ever goes forward
	OpenedAt int64
	EndedAt  int64
	Basis    Basis
	Reason   string
}

// Open reports whether the stretch is stored as active.
func (s Stretch) Open() bool { return s.State == "active" }

// At is the stretch as it is at now: 24 h of silence (SessionTTL) end it.
func (s Stretch) At(now, lastSeen int64, c Config) Stretch {
	if s.Open() && max(lastSeen, s.OpenedAt)+c.SessionTTL <= now {
		return s.end(max(lastSeen, s.OpenedAt)+c.SessionTTL, Inferred, "silence")
	}
	return s
}

func (s Stretch) end(at int64, b Basis, reason string) Stretch {
	s.State, s.EndedAt, s.Basis, s.Reason = "ended", at, b, reason
	return s
}

// openStretch returns the stretch that a root's registering event belongs to. Only a direct delivery opens a new one
// after an end; the first one is opened by any.
func openStretch(ctx context.Context, tx *store.Tx, root Line, direct bool, c Config) (int64, error) {
	s, ok, err := newestStretch(ctx, tx, root.ID)
	if err != nil {
		return 0, err
	}
	if ok {
		seen, err := lastSeen(ctx, tx, root.Host, root.Session)
		if err != nil {
			return 0, err
		}
		was := s
		if s = s.At(tx.Now, seen, c); s != was {
			if err := closeStretch(ctx, tx, s, "clock"); err != nil {
				return 0, err
			}
		}
		if s.Open() || !direct {
			return s.N, nil
		}
	}
	next := Stretch{LineID: root.ID, N: s.N + 1, State: "active", OpenedAt: tx.Now}
	if err := next.save(ctx, tx); err != nil {
		return 0, err
	}
	return next.N, tx.Append(ctx, store.Entry{
		Entity: "session", EntityID: root.ID, Event: "open", From: s.State, To: next.State, Revision: next.N, Actor: "host",
	})
}

func closeStretch(ctx context.Context, tx *store.Tx, s Stretch, actor string) error {
	if err := s.save(ctx, tx); err != nil {
		return err
	}
	return tx.Append(ctx, store.Entry{
		Entity: "session", EntityID: s.LineID, Event: "end", From: "active", To: s.State, Revision: s.N, Actor: actor,
		Detail: map[string]string{"reason": s.Reason, "basis": string(s.Basis)},
	})
}
