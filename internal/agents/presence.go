package agents

import (
	"cmp"
	"slices"

	"board/internal/process"
	"board/internal/runs"
)

// The thresholds, all of them, in milliseconds.
const (
	WorkingFor    = 90_000             // how long after its last event a run is shown as working, the last one included
	OrphanFlagged = runs.OrphanFlagged // a contradiction of that age is flagged
	OrphanEnded   = runs.OrphanEnded   // and one of that age counts as the end
	EndedShown    = 24 * 3_600_000     // how long an ended session is listed where all are asked for
)

// Held is the Issue in progress that a line of a session holds, zero for none.
type Held struct {
	IssueID int64
	Key     string
}

// Reading is what a session is doing, and the proof.
type Reading struct {
	State   State
	Since   int64    // UTC ms: of the last event for an agent at work, else when it came to this
	Event   string   // the kind of the event that the state rests on, "" where none was seen
	EventAt int64    // UTC ms
	Run     runs.Run // the one that decides, else the newest of the root; zero if there is none
	Orphan  runs.Orphan
}

// Flagged reports whether the session and its runs contradict each other for long enough to be noticed, and not yet for
// so long that it counts as the end.
func (r Reading) Flagged(now int64) bool {
	d := r.Orphan.Diverged(now)
	return d >= OrphanFlagged && d < OrphanEnded
}

// Read is the state of a session: a function of its last correlated event, the clock and the process proof alone. A clock
// that stepped back counts as one that stood still.
func Read(c runs.Conversation, held Held, now int64) Reading {
	r := rest(c.Newest, Idle)
	r.Orphan = c.Orphan(now)
	if len(c.Live) > 0 {
		r = pressing(c.Live, now)
		r.Orphan = c.Orphan(now)
	}
	switch {
	case r.Orphan.Diverged(now) >= OrphanEnded:
		r.State, r.Since = Ended, r.Orphan.Since
	case len(c.Live) > 0:
	case !c.Stretch.Open():
		r.State, r.Since = Ended, c.Stretch.EndedAt
		if c.Stretch.Basis == runs.Observed {
			r.Event, r.EventAt = runs.OnSessionEnd.String(), c.Stretch.EndedAt
		}
	case c.Host == process.Gone:
		r.State, r.Since = Offline, c.SeenAt // when it went nobody saw
	case c.Newest.Outcome == runs.Lost:
		r.State = Lost
	case held.IssueID != 0:
		r.State = YourTurn
	}
	if r.Since == 0 {
		r.Since = cmp.Or(c.Stretch.OpenedAt, c.SeenAt)
	}
	return r
}

// rest is the reading of a session that rests on a run that is over: on its end, where an event reported that.
func rest(newest runs.Run, s State) Reading {
	r := Reading{State: s, Since: newest.EndedAt, Event: newest.LastKind.String(), EventAt: newest.LastSeenAt, Run: newest}
	switch newest.Reason {
	case runs.ReasonStop:
		r.Event, r.EventAt = runs.OnStop.String(), newest.EndedAt
	case runs.ReasonFailure:
		r.Event, r.EventAt = runs.OnFailure.String(), newest.EndedAt
	case runs.ReasonInterrupt:
		r.Event, r.EventAt = runs.OnInterrupt.String(), newest.EndedAt
	}
	return r
}

// pressing is the reading of the live run that presses most. Among equals the one that was heard of last decides: its
// event is what the state of the session rests on.
func pressing(live []runs.Run, now int64) Reading {
	rank := States()
	best := readRun(live[0], now)
	for _, r := range live[1:] {
		next := readRun(r, now)
		if cmp.Or(
			cmp.Compare(slices.Index(rank, next.State), slices.Index(rank, best.State)),
			cmp.Compare(best.EventAt, next.EventAt), cmp.Compare(best.Run.ID, next.Run.ID),
		) < 0 {
			best = next
		}
	}
	return best
}

// readRun is the reading of a live run.
func readRun(r runs.Run, now int64) Reading {
	out := Reading{Since: r.LastSeenAt, Event: r.LastKind.String(), EventAt: r.LastSeenAt, Run: r}
	switch {
	case r.Asks == runs.AsksApproval && !r.SawStop:
		out.State, out.Since = NeedsApproval, r.AsksAt
	case r.Asks == runs.AsksAnswer && !r.SawStop:
		out.State, out.Since = NeedsAnswer, r.AsksAt
	case r.State == runs.Probing:
		out.State = Asked
	case r.State == runs.Waiting:
		out.State = Waiting
	case now-r.LastSeenAt <= WorkingFor:
		out.State = Working
	default:
		out.State = Quiet
	}
	return out
}
