package runs

import (
	"context"

	"board/internal/process"
	"board/internal/store"
)

// Reasons of ends, stored in runs.reason and shown.
const (
	ReasonStop          = "stop"
	ReasonFailure       = "failure"
	ReasonInterrupt     = "interrupt"
	ReasonSuperseded    = "superseded"
	ReasonSessionEnd    = "session_ended"
	ReasonLease         = "lease"
	ReasonProbeDeadline = "probe_deadline"
	ReasonProbeOff      = "probe_off"
	ReasonParentEnded   = "parent_ended"
	ReasonHostGone      = "host_gone"
	ReasonOrphan        = "orphan"
)

// IsLive reports whether the run, as stored, is not over.
func (r Run) IsLive() bool { return r.State != Ended }

// MaxLease bounds the lease of a run whose host is provably alive: it may be inside one long call of a tool. Milliseconds
// from its last event.
const MaxLease = 12 * 3_600_000

// Lease is when the lease of a live run is over.
func (r Run) Lease() int64 {
	if r.Process == process.Alive {
		return max(r.LeaseUntil, r.LastSeenAt+MaxLease)
	}
	return r.LeaseUntil
}

// ExpiresAt is when the clock alone ends a live run: the end of its lease, or of the quiet time after a recorded Stop,
// whichever comes first. A run that waits for background work has its lease alone.
func (r Run) ExpiresAt() int64 {
	if r.Deadline > 0 && r.State != Waiting {
		return min(r.Deadline, r.Lease())
	}
	return r.Lease()
}

// At is the run as it is at now: a pure function of the run, the clock, and what is known of its host's process. It is
// the one place where clock and process end runs: every read goes through it, and a writer that meets an expired run
// stores what it says.
func (r Run) At(now int64) Run {
	switch {
	case !r.IsLive():
		return r
	case r.Process == process.Gone: // when it went nobody saw
		return r.end(r.LastSeenAt, ReasonHostGone)
	case now < r.ExpiresAt():
		return r
	case r.ExpiresAt() < r.Lease():
		return r.end(r.ExpiresAt(), ReasonProbeDeadline)
	}
	return r.end(r.ExpiresAt(), ReasonLease)
}

// last notes the event that a run was heard of last by. One that happened before what is known already says nothing.
func (r *Run) last(kind ObservationKind, asks Ask, at, seen int64) {
	if at < seen {
		return
	}
	r.LastKind = kind
	if r.Asks != asks {
		r.Asks, r.AsksAt = asks, 0
	}
	if asks != AsksNothing && r.AsksAt == 0 {
		r.AsksAt = at
	}
}

// headNow notes the commit at an end that a host reported.
func (r *Run) headNow(o Observation) {
	if o.Head != "" && o.Worktree == r.Worktree {
		r.HeadEnd = o.Head
	}
}

// hostNow is what is known of the process of the run's host, also of a run that is over.
func (r Run) hostNow() process.State {
	if r.HostProof == "" {
		return process.Unknown
	}
	return process.Look(r.HostProof)
}

// lapsed reports whether the clock, unless the process of its host speaks for it, ended the run by now.
func (r Run) lapsed(now int64) bool {
	r.Process = process.Unknown
	return !r.At(now).IsLive()
}

// looks remembers what was found out of processes: a view of many runs asks the system once for each of their hosts. The
// nil one asks every time.
type looks map[string]process.State

func (k looks) at(proof string) process.State {
	if s, known := k[proof]; known {
		return s
	}
	s := process.Look(proof)
	if k != nil {
		k[proof] = s
	}
	return s
}

// asOf is At for a run that was just read.
func asOf(ctx context.Context, q store.Querier, r Run, now int64) (Run, error) {
	return looks(nil).asOf(ctx, q, r, now)
}

func (k looks) asOf(ctx context.Context, q store.Querier, r Run, now int64) (Run, error) {
	r, err := k.proved(ctx, q, r, now)
	return r.At(now), err
}

// proved finds out what is known of the process of a live run's host. A process that several sessions share proves by its
// life nothing of one of them; that is asked only where the life would make a difference.
func (k looks) proved(ctx context.Context, q store.Querier, r Run, now int64) (Run, error) {
	if !r.IsLive() || r.HostProof == "" {
		return r, nil
	}
	if r.Process = k.at(r.HostProof); r.Process == process.Alive && now >= r.LeaseUntil {
		shared, err := sharedProcess(ctx, q, r)
		if err != nil {
			return r, err
		}
		if shared {
			r.Process = process.Unknown
		}
	}
	return r, nil
}

// end closes the run for a reason. Facts decide the outcome, not the reason, where there are any.
func (r Run) end(at int64, reason string) Run {
	r.State, r.EndedAt, r.Reason = Ended, at, reason
	r.Deadline = 0
	return r.judge()
}

// judge sets outcome and basis of an ended run from the facts seen and, where there are none, from the reason. It does
// not matter in which order the facts came.
func (r Run) judge() Run {
	if r.State != Ended {
		r.Outcome, r.Basis = None, NotEnded
		return r
	}
	r.Basis = Observed
	switch {
	case r.SawStop:
		r.Outcome = Completed
	case r.SawFailure:
		r.Outcome = Failed
	case r.SawInterrupt:
		r.Outcome = Interrupted
	default:
		r.Basis, r.Outcome = Inferred, inferred(r.Reason, r.Host)
	}
	return r
}

func inferred(reason, host string) Outcome {
	switch reason {
	case ReasonLease:
		return Lost
	case ReasonParentEnded:
		return Abandoned
	case ReasonSuperseded:
		// Claude Code fires nothing on Esc (recorded, 2.1.332): the next prompt is the first sign of it.
		if host == ClaudeCode {
			return Interrupted
		}
	}
	return Unknown
}

// renew extends the lease from an event of the run and restarts the quiet time after a recorded Stop. An event that was
// spooled counts from its receipt: it never takes back what a later event gave.
func (r *Run) renew(at int64, direct bool, c Config) {
	lease := at + c.Lease
	if !direct {
		lease, at = max(lease, r.LeaseUntil), max(at, r.LastSeenAt)
	}
	r.LeaseUntil, r.LastSeenAt = lease, at
	if r.SawStop && r.IsLive() {
		r.Deadline = at + c.ProbeDeadline
	}
}
