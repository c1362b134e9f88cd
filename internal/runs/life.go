package runs

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
)

// IsLive reports whether the run, as stored, is not over.
func (r Run) IsLive() bool { return r.State != Ended }

// ExpiresAt is when the clock alone ends a live run: the end of its lease, or of the quiet time after a recorded Stop,
// whichever comes first. A run that waits for background work has its lease alone.
func (r Run) ExpiresAt() int64 {
	if r.Deadline > 0 && r.State != Waiting {
		return min(r.Deadline, r.LeaseUntil)
	}
	return r.LeaseUntil
}

// At is the run as it is at now. It is the one place where the clock ends runs: every read goes through it, and a
// writer that meets an expired run stores what it says.
func (r Run) At(now int64) Run {
	if !r.IsLive() || now < r.ExpiresAt() {
		return r
	}
	reason := ReasonLease
	if r.ExpiresAt() < r.LeaseUntil {
		reason = ReasonProbeDeadline
	}
	return r.end(r.ExpiresAt(), reason)
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
