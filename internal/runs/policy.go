package runs

import (
	"crypto/rand"
	"encoding/hex"
)

// planMode is the permission mode in which an agent only plans.
const planMode = "plan"

// due says whether the policy asks at this Stop (SPEC §5). That it is the first one of its turn, and not probed yet, is
// the machine's guard.
func (v *observer) due(r Run) bool {
	switch {
	case !v.direct, !v.o.CanAsk, r.Kind != Root:
		return false
	case r.Origin == Host && r.Tools == 0: // nothing was done that could need a decision
		return false
	case r.PermissionMode == planMode, r.SawFailure, r.SawInterrupt, r.Decided:
		return false
	}
	policy := v.c.Probe
	if policy == ProbeAuto {
		policy = ProbeAlways
		if !r.Attended {
			policy = ProbeDue // such a host prints the last message of a turn as its result
		}
	}
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

// ask spends the probe of the turn.
func (v *observer) ask(r *Run) (Say, error) {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return Nothing, err
	}
	r.Probes, r.ProbeID = 1, hex.EncodeToString(b[:])
	v.root.ProbedAt = v.o.ReceivedAt
	v.root.ProbeWindow, v.root.ProbeEffect, v.root.News = true, false, false
	return Reminder, nil
}
