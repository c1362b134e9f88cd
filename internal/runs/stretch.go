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
func (v *observer) openStretch(ctx context.Context, direct bool) (int64, error) {
	s := v.s.stretch
	if s.N > 0 {
		if was := s; was != s.At(v.tx.Now, v.s.lastSeen, v.c) {
			s = s.At(v.tx.Now, v.s.lastSeen, v.c)
			if err := closeStretch(ctx, v.tx, s, "clock"); err != nil {
				return 0, err
			}
		}
		if s.Open() || !direct {
			v.s.stretch = s
			return s.N, nil
		}
	}
	v.s.stretch = Stretch{LineID: v.root.ID, N: s.N + 1, State: "active", OpenedAt: v.o.ReceivedAt}
	v.opened = true
	v.root.ProbedAt = 0 // the first turn of a session is asked, whatever the last one made of it (SPEC §1: a session is a stretch)
	v.tx.AppendLater(store.Entry{
		Entity: "session", EntityID: v.root.ID, ProjectID: v.o.ProjectID, Event: "open", From: s.State, To: "active", Revision: s.N + 1, Actor: "host",
	})
	return s.N + 1, nil
}

func closeStretch(ctx context.Context, tx *store.Tx, s Stretch, actor string) error {
	tx.AppendLater(store.Entry{
		Entity: "session", EntityID: s.LineID, Event: "end", From: "active", To: s.State, Revision: s.N, Actor: actor,
		Detail: map[string]string{"reason": s.Reason, "basis": string(s.Basis)},
	})
	return s.save(ctx, tx)
}
