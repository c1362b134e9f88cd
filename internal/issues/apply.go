package issues

import (
	"context"

	"board/internal/machine"
)

// closedByHand is what history says of a close.
const closedByHand = "closed by hand, nothing judged"

// change is what a move does: the Issue as it will be stored, and what goes with it.
type change struct {
	row       issueRow
	from      State
	claimEnds bool  // the claim that stood is over
	begins    bool  // a claim of row.HolderLine begins
	displaced int64 // the line that loses its hold to somebody else, 0 for none
	sendAway  bool  // and its session must not come back before its user speaks
	lift      bool  // everybody who was sent away may come back
	unjudge   bool  // the verdicts are void
}

// decide is the whole order of a move: it already took effect → nothing to write, or no to what it says anew; the fence;
// the revisions; the machine.
// It reads and writes nothing but its arguments.
func decide(ctx context.Context, t machine.Table[State, Event, facts], f facts) (c change, repeat bool, err error) {
	if f.repeated(f.event) {
		if what := f.otherwise(); what != "" {
			return change{}, false, f.saidOtherwise(what)
		}
		return change{row: f.issue, from: f.issue.State}, true, nil
	}
	if err := f.precede(f.event); err != nil {
		return change{}, false, err
	}
	to, err := t.Fire(ctx, f.issue.State, f.event, f)
	if err != nil {
		return change{}, false, f.refusal(err)
	}
	return f.apply(to), false, nil
}

// apply sets the fields of the Issue for an event that the machine allowed.
func (f facts) apply(to State) change {
	c := change{row: f.issue, from: f.issue.State}
	i := &c.row
	i.Revision++
	i.UpdatedAt = f.now
	switch f.event {
	case Archive, Unarchive:
		i.Archived = f.event == Archive
		return c
	case Hold, Unhold:
		i.Hold = f.event == Hold
		return c
	}

	i.State = to
	i.LastMove, i.LastMoveLine = f.event, f.line
	c.release(f)
	if to != Paused {
		i.PauseReason, i.PausedByPerson = "", false
	}
	if to == Todo || to == InProgress {
		i.clearClosure()
	}
	i.ChangesRequested = i.ChangesRequested && to == Todo

	switch f.event {
	case Pause, Unclaim, Release, RequestChanges, Reopen:
		if f.reason != "" {
			i.LastReason = f.reason
		}
	}
	switch f.event {
	case BeginWork, Resume:
		c.claim(f)
	case Pause:
		i.PauseReason, i.PausedByPerson = f.pause, f.person
	case RequestClosure:
		i.ClosureSummary, i.ClosureRun, i.RequestedAt = f.summary, f.run, f.now
		i.ClosureRevision, i.ClosureEvidence = i.Revision, f.evidence
		if f.other != "" { // the line has gone on already: what it edits from now on belongs to that one
			i.EvidenceFinal = f.evidence
		}
	case RequestChanges:
		i.ChangesRequested = true
		c.unjudge = true
	case Reopen:
		c.unjudge = true
	}
	return c
}

// release ends the claim that stands. The fence rises, so that whatever the former holder still sends is late. A person
// who takes an Issue away displaces the line that had it, also where it had only the right to come back to it.
func (c *change) release(f facts) {
	i := &c.row
	held := i.HolderLine
	i.Fence++
	c.claimEnds = held != 0
	if held != f.line {
		c.displaced = held
	}
	if f.person {
		if held == 0 && (f.event == Release || f.event == Cancel) {
			c.displaced = i.LastLine
		}
		c.sendAway = c.displaced != 0
	}
	i.HolderLine, i.HolderRun, i.ClaimedAt = 0, 0, 0
	if f.line != 0 {
		i.LastLine = f.line
	}
}

// claim gives the Issue to the caller's line; a person gives it back to the line that had it, unless that one is busy.
func (c *change) claim(f facts) {
	i := &c.row
	i.HolderLine, i.HolderRun = f.line, f.run
	if f.person {
		c.lift, c.sendAway, c.displaced = true, false, 0
		i.HolderLine, i.HolderRun = i.LastLine, f.lastRun
		if f.lastBusy {
			i.HolderLine, i.HolderRun = 0, 0
		}
	}
	if i.HolderLine != 0 {
		i.ClaimedAt = f.now
		c.begins = true
	}
}

// clearClosure forgets a request to close that no longer stands. History keeps it.
func (i *issueRow) clearClosure() {
	i.ClosureSummary, i.ClosureRun, i.RequestedAt = "", 0, 0
	i.ClosureRevision, i.ClosureEvidence, i.EvidenceFinal, i.ShownTo = 0, 0, unfinished, ""
}
