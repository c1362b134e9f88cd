package issues

import (
	"slices"

	"board/internal/fault"
)

// The checks of the machine's rules. Each says why not, or nil; what the caller may do instead is added where it takes a
// look at the board (see advise).

func runOnly() check {
	return check{"runs only", func(f facts) error {
		if !f.person {
			return nil
		}
		return fault.New(fault.Invalid, "board prompt gives an agent what it needs to begin; board release takes an Issue back",
			"only a run of an agent can do this")
	}}
}

func personOnly() check {
	return check{"people only", func(f facts) error {
		if f.person {
			return nil
		}
		return personOnlyFault()
	}}
}

func personFromPaused() check {
	return check{"people only from paused", func(f facts) error {
		if !f.person || f.issue.State == Paused {
			return nil
		}
		return f.wrongState()
	}}
}

func notArchived() check {
	return check{"not archived", func(f facts) error {
		if !f.issue.Archived {
			return nil
		}
		return fault.New(fault.WrongState, f.pick("kanban_list shows what can be worked on", "board unarchive comes first"), "%s is archived", f.key)
	}}
}

func notSentAway() check {
	return check{"not sent away by a person", func(f facts) error {
		if f.person || !f.sentAway {
			return nil
		}
		return fault.New(fault.ByPerson, "", "a person took %s from your session; it is not yours again until their next prompt", f.key)
	}}
}

func notPausedByPerson() check {
	return check{"not paused by a person", func(f facts) error {
		if f.person || f.issue.State != Paused || !f.issue.PausedByPerson {
			return nil
		}
		return fault.New(fault.ByPerson, "", "a person paused %s (%s); only a person resumes it", f.key, quote(f.issue.LastReason))
	}}
}

func notHeldByOther() check {
	return check{"not held by a live run", func(f facts) error {
		if f.person || f.claim != Active || f.holds() {
			return nil
		}
		return fault.New(fault.HeldByOther, "", "%s is held by %s since %s", f.key, f.holder, stamp(f.issue.ClaimedAt))
	}}
}

func notReserved() check {
	return check{"not reserved for another line", func(f facts) error {
		i := f.issue
		switch {
		case f.person || f.last():
			return nil
		case i.State == InProgress && f.claim == Reserved && !f.child:
			return fault.New(fault.Reserved, "", "%s is kept for %s, which holds it since %s", f.key, f.holder, stamp(i.ClaimedAt))
		case i.State == Paused && i.PauseReason != Handoff:
			return fault.New(fault.Reserved, "", "%s is paused (%s) and kept for the session that paused it", f.key, i.PauseReason)
		case i.State == InReview:
			return fault.New(fault.Reserved, "", "%s waits for a person's review", f.key)
		}
		return nil
	}}
}

func notBlocked() check {
	return check{"not blocked", func(f facts) error {
		if f.issue.OpenBlockers == 0 {
			return nil
		}
		return fault.New(fault.Blocked, f.pick("", "close what blocks it, or board unblock"), "%s is blocked by %s", f.key, f.blockers)
	}}
}

func holdsNoOther() check {
	return check{"line holds no other Issue", func(f facts) error {
		if f.person || f.other == "" {
			return nil
		}
		return fault.New(fault.HoldsOther, "finish it, or kanban_pause or kanban_unclaim "+f.other+" first", "you hold %s, and a line holds one Issue at a time", f.other)
	}}
}

func holder() check {
	return check{"holder", func(f facts) error {
		if f.entitled(f.event) {
			return nil
		}
		return f.notHolder()
	}}
}

func rootOnly() check {
	return check{"root only", func(f facts) error {
		if f.root {
			return nil
		}
		return fault.New(fault.RootOnly, "report to the root agent, which judges and asks", "a subagent cannot request closure")
	}}
}

func pauseReason() check {
	return check{"handoff, question or blocked", func(f facts) error {
		if slices.Contains(PauseReasons(), f.pause) {
			return nil
		}
		return fault.New(fault.Invalid, "", "the reason of a pause is handoff, question or blocked")
	}}
}

func sentence() check {
	return check{"a sentence", func(f facts) error {
		if f.reason != "" {
			return nil
		}
		return fault.New(fault.Invalid, "say it in a sentence: the next one to work on the Issue reads it", "a reason is missing")
	}}
}

func forceIfLive() check {
	return check{"forced while a run is live", func(f facts) error {
		if f.claim != Active || f.force {
			return nil
		}
		return fault.New(fault.HeldByOther, "ask it to stop first, or repeat with --force", "%s works on %s since %s", f.holder, f.key, stamp(f.issue.ClaimedAt))
	}}
}

func judged() check {
	return check{"every criterion judged", func(f facts) error {
		if len(f.stray) > 0 {
			return fault.New(fault.Invalid, "kanban_get "+f.key+" shows the criteria", "%s has no %s", f.key, numbers(f.stray))
		}
		if len(f.unjudged) == 0 {
			return nil
		}
		return fault.New(fault.CriteriaUnjudged, "kanban_request_closure with verdict and how for each", "no verdict, or not how it was checked, for %s of %s (Issue revision %d)",
			numbers(f.unjudged), f.key, f.issue.Revision)
	}}
}

func met() check {
	return check{"no criterion unmet", func(f facts) error {
		if len(f.unmet) == 0 {
			return nil
		}
		return fault.New(fault.CriteriaUnmet, "finish the work first, or kanban_pause with a reason", "you judge %s of %s unmet", numbers(f.unmet), f.key)
	}}
}

func shown() check {
	return check{"shown what changed since", func(f facts) error {
		if f.changed == "" {
			return nil
		}
		return fault.New(fault.ReviewNeeded, "look again, then repeat the command to approve", "%s changed since the closure was requested: %s", f.key, f.changed)
	}}
}
