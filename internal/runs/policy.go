package runs

// planMode is the permission mode in which an agent only plans.
const planMode = "plan"

// due says whether the policy asks at this Stop (SPEC §5). That it is the first one of its turn, and not probed yet, is
// the machine's guard.
func (v *observer) due(r Run) bool {
	switch {
	case !v.direct, !v.o.CanAsk, r.Kind != Root:
		return false
	case r.Host == Cursor && !v.root.Local: // elsewhere it is not known what a follow-up does
		return false
	case r.Origin == Host && r.Tools == 0: // nothing was done that could need a decision
		return false
	case r.PermissionMode == planMode, r.SawFailure, r.SawInterrupt, r.Decided:
		return false
	}
	policy := v.c.Probe.of(r)
	if policy == ProbeOff {
		return false
	}
	held := v.s.held
	if policy == ProbeDue {
		return held != 0 || r.Edits > 0
	}
	// Always: but a session that did not react to the last probe is left alone while nothing has happened.
	quiet := v.root.ProbedAt != 0 && !v.root.ProbeEffect && !v.root.News && held == 0
	return !quiet || v.o.ReceivedAt-v.root.ProbedAt >= v.c.ProbeGap
}

// of returns the policy for a run: what the default means for its host.
func (p Policy) of(r Run) Policy {
	switch {
	case p != ProbeAuto:
		return p
	case r.Host == Gemini || r.Host == OpenCode: // on Gemini an Esc looks like an end
		return ProbeOff
	case r.Host == Cursor || !r.Attended: // an unattended host prints the last message of a turn as its result
		return ProbeDue
	}
	return ProbeAlways
}

// ask spends the probe of the turn.
func (v *observer) ask(r *Run) (Say, error) {
	id, err := newProbe(r.ID)
	if err != nil {
		return Nothing, err
	}
	r.Probes, r.ProbeID = 1, id
	v.root.ProbedAt = v.o.ReceivedAt
	v.root.ProbeWindow, v.root.ProbeEffect, v.root.News = true, false, false
	return Reminder, nil
}
