package issues

// facts is everything that decides a move, read in the transaction that makes it: who calls, the Issue, and how the two
// relate. The guards of the machine see nothing else, so that a rule can be tested without a database.
type facts struct {
	event Event
	now   int64
	key   string // of the Issue
	issue issueRow

	// The caller. line is 0 for a person.
	person bool
	name   string // as shown: a person's name, or the short handle of the run
	line   int64
	run    int64
	root   bool   // the line is the root of its session
	proven bool   // its host proves who calls
	other  string // key of another Issue that the line holds, "" for none

	// How the caller and the Issue relate.
	claim     ClaimState
	rootHolds bool      // the line is a subagent, and its root holds the Issue
	child     bool      // the line is a root, and a subagent of its session holds the Issue
	sentAway  bool      // a person sent the caller's session away, and its user has not spoken since
	once      *claimRow // the line's newest claim on the Issue, if it ever had one
	lastBusy  bool      // last_line holds another Issue
	lastRun   int64     // newest run of last_line

	// For messages.
	holder   string // who holds the Issue, as shown
	blockers string // keys of the open blockers
	since    string // what changed the Issue last

	// What the caller said.
	runRevision, runRevisionNow int64 // said and true; said is 0 where it may be and was left out
	issueRevision               int64 // 0: not said
	reason                      string
	pause                       PauseReason
	force                       bool
	unjudged, unmet, stray      []int // numbers of criteria; stray ones do not exist
	summary                     string
	evidence                    int64
	changed                     string // approve: what changed since the closure that this person was not yet shown
	differs                     string // a repeated request for closure: what it says otherwise than the first, "" for nothing
}

// holds reports whether the caller's own line holds the Issue.
func (f facts) holds() bool { return f.line != 0 && f.issue.HolderLine == f.line }

// last reports whether the caller's line was the last one to work on the Issue.
func (f facts) last() bool { return f.line != 0 && f.issue.LastLine == f.line }

// entitled reports whether the caller has the hold on the Issue that a move of a holder needs.
func (f facts) entitled(ev Event) bool {
	switch {
	case f.person:
		return true
	case f.issue.State == Paused && ev == Unclaim:
		return f.last() && !f.issue.PausedByPerson
	case ev == RequestClosure:
		return f.holds() || f.child
	case ev == Edit:
		return f.holds() || f.issue.HolderLine == 0
	default:
		// A root may tidy up after a subagent that ended, never take from one that works.
		return f.holds() || f.child && f.claim != Active
	}
}

// repeated reports whether the call already took effect, so that there is nothing to write: an agent whose answer was
// lost calls again with the revisions of before.
func (f facts) repeated(ev Event) bool {
	switch ev {
	case BeginWork, Resume:
		return f.holds() || f.rootHolds
	case Pause, Unclaim, RequestClosure:
		return f.line != 0 && f.issue.LastMove == ev && f.issue.LastMoveLine == f.line
	case Archive, Unarchive:
		return f.person && f.issue.Archived == (ev == Archive)
	case Hold, Unhold:
		return f.person && f.issue.Hold == (ev == Hold)
	}
	return false
}

// otherwise says in what a repeated call differs from the one that took effect, "" for nothing. Such a call is no answer
// that was lost: it says something new, which must not be dropped in silence.
func (f facts) otherwise() string {
	switch {
	case f.event == Pause && f.pause != f.issue.PauseReason:
		return "the reason"
	case f.event == Pause && f.reason != f.issue.LastReason:
		return "the text"
	case f.event == RequestClosure:
		return f.differs
	}
	return ""
}

// precede makes the checks that come before the machine's, in their order: the fence, then the revisions. A caller that
// is told the true reason first needs one call less.
func (f facts) precede(ev Event) error {
	switch ev {
	case Pause, Unclaim, RequestClosure, Edit:
		if f.once != nil && !f.entitled(ev) {
			return f.fenceLost()
		}
	}
	switch {
	case f.runRevision == 0 && f.line != 0 && !f.proven:
		return f.runRevisionMissing()
	case f.issueRevision == 0 && ev == RequestClosure && f.line != 0:
		return f.issueRevisionMissing()
	}
	if f.runRevision != 0 && f.runRevision != f.runRevisionNow {
		return f.runStale()
	}
	if f.issueRevision != 0 && f.issueRevision != f.issue.Revision {
		return f.issueStale()
	}
	return nil
}
