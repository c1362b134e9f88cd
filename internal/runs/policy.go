package runs

import (
	"context"
	"crypto/rand"
	"encoding/hex"
)

// planMode is the permission mode in which an agent only plans.
const planMode = "plan"

// due says whether the policy asks at this Stop (SPEC §5). That it is the first one of its turn, and not probed yet, is
// the machine's guard.
func (v *observer) due(ctx context.Context, r Run) (bool, error) {
	switch {
	case !v.direct, !v.o.CanAsk, r.Kind != Root:
		return false, nil
	case r.Origin == Host && r.Tools == 0: // nothing was done that could need a decision
		return false, nil
	case r.PermissionMode == planMode, r.SawFailure, r.SawInterrupt, r.Decided:
		return false, nil
	}
	policy := v.c.Probe
	if policy == ProbeAuto {
		policy = ProbeAlways
		if !r.Attended {
			policy = ProbeDue // such a host prints the last message of a turn as its result
		}
	}
	if policy == ProbeOff {
		return false, nil
	}
	held, err := heldIssue(ctx, v.tx, r.LineID)
	if err != nil {
		return false, err
	}
	if policy == ProbeDue {
		return held != 0 || r.Edits > 0, nil
	}
	// Always: but a session that did not react to the last probe is left alone while nothing has happened.
	quiet := v.root.ProbedAt != 0 && !v.root.ProbeEffect && !v.root.News && held == 0
	return !quiet || v.o.ReceivedAt-v.root.ProbedAt >= v.c.ProbeGap, nil
}

// ask spends the probe of the turn.
func (v *observer) ask(ctx context.Context, r *Run) (Say, error) {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return Nothing, err
	}
	r.Probes, r.ProbeID = 1, hex.EncodeToString(b[:])
	v.root.ProbedAt = v.o.ReceivedAt
	v.root.ProbeWindow, v.root.ProbeEffect, v.root.News = true, false, false
	v.line = v.root
	return Reminder, SaveLine(ctx, v.tx, v.root)
}
