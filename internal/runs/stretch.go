package runs

import (
	"context"
	"errors"

	"board/internal/machine"
	"board/internal/process"
	"board/internal/store"
)

// StretchState is a state of one stretch of a conversation. It only ever goes forward.
type StretchState string

// The states.
const (
	StretchActive     StretchState = "active"     // from its first prompt or tool event
	StretchEnded      StretchState = "ended"      // its end was seen, or concluded from silence
	StretchSummarized StretchState = "summarized" // the digest is written
)

// StretchStates returns every state.
func StretchStates() []StretchState {
	return []StretchState{StretchActive, StretchEnded, StretchSummarized}
}

// StretchEvent is an event of the machine of stretches.
type StretchEvent string

// The events.
const (
	StretchOpen      StretchEvent = "open"
	StretchEnd       StretchEvent = "end"
	StretchSilence   StretchEvent = "silence"
	StretchGone      StretchEvent = "host_gone"
	StretchSummarize StretchEvent = "summarize"
)

// Stretch is one stretch of a conversation: from its first prompt or tool event to its end. The next prompt or tool
// event after an end opens the next one.
type Stretch struct {
	LineID   int64
	N        int64
	State    StretchState
	OpenedAt int64
	EndedAt  int64
	Basis    Basis
	Reason   string
}

// StretchFacts is what the guards look at.
type StretchFacts struct {
	Stretch     Stretch // the newest stretch of the conversation so far; zero if there is none
	Now         int64
	LastSeen    int64 // the last sign of life of the session
	TTL         int64 // silence that ends a stretch
	Direct      bool  // delivered directly, not from the spool
	OthersAlive bool  // a run of another host process of the session lives
	Gone        bool  // the process of its host is provably gone
	Stale       bool  // a spooled end that was received before what it would end had begun
}

var (
	errStillOpen = errors.New("the newest stretch is open")
	errSpooled   = errors.New("a spooled event opens nothing after an end")
	errShared    = errors.New("another process of the session lives")
	errStale     = errors.New("the end is older than the stretch")
	errNotSilent = errors.New("not silent for long enough")
	errNotGone   = errors.New("its host is not known to be gone")
)

// StretchMachine returns the machine of stretches, the only table that says how one changes state. Open makes the next
// stretch; the guard looks at the one before.
func StretchMachine() machine.Table[StretchState, StretchEvent, StretchFacts] {
	return machine.Must("Session stretch", "", StretchStates(), []machine.Row[StretchState, StretchEvent, StretchFacts]{
		{On: StretchOpen, From: []StretchState{""}, To: StretchActive, Guard: mayOpen, Who: "host", Note: "a root's prompt or tool event"},
		{On: StretchEnd, From: []StretchState{StretchActive}, To: StretchEnded, Guard: mayEnd, Who: "host", Note: "observed"},
		{On: StretchSilence, From: []StretchState{StretchActive}, To: StretchEnded, Guard: isSilent, Who: "clock", Note: "inferred"},
		{On: StretchGone, From: []StretchState{StretchActive}, To: StretchEnded, Guard: isGone, Who: "process proof", Note: "inferred"},
		{On: StretchSummarize, From: []StretchState{StretchEnded}, To: StretchSummarized, Who: "next writer", Note: "digest written"},
	})
}

func mayOpen(f StretchFacts) error {
	switch {
	case f.Stretch.N == 0:
		return nil
	case f.Stretch.Open():
		return errStillOpen
	}
	return unless(f.Direct, errSpooled)
}

func mayEnd(f StretchFacts) error {
	if f.OthersAlive {
		return errShared
	}
	return unless(!f.Stale, errStale)
}

func isSilent(f StretchFacts) error {
	return unless(max(f.LastSeen, f.Stretch.OpenedAt)+f.TTL <= f.Now, errNotSilent)
}

func isGone(f StretchFacts) error { return unless(f.Gone && !f.OthersAlive, errNotGone) }

// Open reports whether the stretch is stored as active.
func (s Stretch) Open() bool { return s.State == StretchActive }

// At is the stretch as it is at now: silence for the session's TTL ends it, and so does the end of its host's process,
// unless a run of another process lives.
func (s Stretch) At(now, lastSeen int64, c Config, host process.State, live bool) Stretch {
	f := StretchFacts{
		Stretch: s, Now: now, LastSeen: lastSeen, TTL: c.SessionTTL, Gone: host == process.Gone, OthersAlive: live,
	}
	ev, at := StretchSilence, max(lastSeen, s.OpenedAt)+c.SessionTTL
	if isGone(f) == nil {
		ev, at = StretchGone, max(lastSeen, s.OpenedAt)
	} else if isSilent(f) != nil { // the machine is asked only where it would say yes: this is on every hook's path
		return s
	}
	if !s.Open() {
		return s
	}
	to, err := StretchMachine().Fire(context.Background(), s.State, ev, f)
	if err != nil {
		return s
	}
	s.State, s.EndedAt, s.Basis, s.Reason = to, at, Inferred, string(ev)
	return s
}

// openStretch returns the stretch that a registering event belongs to. Only a root's direct delivery opens a new one
// after an end; the first one is opened by any.
func (v *observer) openStretch(ctx context.Context, direct bool) (int64, error) {
	s := v.s.stretch
	host, live := process.Unknown, false
	if v.s.proof != "" && s.Open() {
		var err error
		if host, err = looks(nil).hostOf(ctx, v.tx, s, v.s.proof); err != nil {
			return 0, err
		}
		if host == process.Gone {
			roots, err := v.liveRoots(ctx)
			if err != nil {
				return 0, err
			}
			live = len(roots) > 0
		}
	}
	if s.At(v.tx.Now, v.s.lastSeen, v.c, host, live) != s { // the newest run was silent: so may not be the others
		seen, err := sessionSeen(ctx, v.tx, v.root)
		if err != nil {
			return 0, err
		}
		v.s.lastSeen = max(v.s.lastSeen, seen)
	}
	if now := s.At(v.tx.Now, v.s.lastSeen, v.c, host, live); now != s {
		s = now
		if err := concluded(ctx, v.tx, s); err != nil {
			return 0, err
		}
	}
	v.s.stretch = s
	if s.Open() {
		return s.N, nil
	}
	to, err := StretchMachine().Fire(ctx, "", StretchOpen, StretchFacts{Stretch: s, Now: v.tx.Now, Direct: direct})
	if guard := (*machine.GuardError)(nil); errors.As(err, &guard) {
		return s.N, nil
	} else if err != nil {
		return 0, err
	}
	v.s.stretch = Stretch{LineID: v.root.ID, N: s.N + 1, State: to, OpenedAt: v.o.ReceivedAt}
	v.opened = true
	v.root.ProbedAt, v.root.News = 0, false // a new session: its first turn is asked, and is told the rules, also where its
	v.root.RulesDue = true                  // start was missed
	return s.N + 1, nil
}

// endStretch ends the newest stretch, if the machine allows it. It answers whether it did.
func (v *observer) endStretch(ctx context.Context, others bool) (bool, error) {
	s := v.s.stretch
	to, err := StretchMachine().Fire(ctx, s.State, StretchEnd, StretchFacts{
		Stretch: s, Now: v.tx.Now, OthersAlive: others, Stale: !v.before(v.root.LastRun, s.OpenedAt),
	})
	refused, guard := (*machine.RefusedError)(nil), (*machine.GuardError)(nil)
	if errors.As(err, &refused) || errors.As(err, &guard) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	s.State, s.EndedAt, s.Basis, s.Reason = to, v.o.ReceivedAt, Observed, v.o.Detail
	v.s.stretch = s
	return true, s.save(ctx, v.tx) // the row of the event is its history
}

// concluded stores the end of a stretch that no event reported.
func concluded(ctx context.Context, tx *store.Tx, s Stretch) error {
	tx.AppendLater(store.Entry{
		Entity: "session", EntityID: s.LineID, Event: s.Reason, From: string(StretchActive), To: string(s.State),
		Revision: s.N, Actor: "clock", Detail: map[string]string{"reason": s.Reason, "basis": string(s.Basis)},
	})
	return s.save(ctx, tx)
}
