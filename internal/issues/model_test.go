package issues

import (
	"slices"

	"board/internal/fault"
)

// The model is SPEC §4 written down a second time, as plain code over a few fields. It knows nothing of the table, its
// checks or its facts: where the two disagree, one of them is wrong.

const (
	mLease    = 45 * 60_000
	mQuiet    = 15 * 60_000
	mReserve  = 4 * 3600_000
	nobody    = -1
	unspoken  = -1
	nCriteria = 2 // of every Issue in the model
)

// mLine is a line and what its newest run is to the rules.
type mLine struct {
	seen    bool  // it has a run
	over    bool  // its newest run ended by an event
	until   int64 // else the clock ends it
	stopped bool  // a Stop was seen: 15 min of quiet end it
	last    int64 // last event
	gone    bool  // its session ended
	prompts int   // of its user
	rev     int64 // of the newest run
	edits   int64 // of the session's runs; on roots
}

type mIssue struct {
	state          State
	archived, hold bool
	changes        bool
	blocked        bool // by the blocker that the walk switches
	rev, fence     int64
	holder, last   int
	pause          PauseReason
	byPerson       bool
	move           Event
	mover          int
	held           [3]bool // a line ever held it
	away           [2]int  // prompts of a root when a person sent its session away
	askRev, askEv  int64   // what the closure rested on
	fixed          int64   // evidence when the session went on, -1 if it has not
	toldRev        int64   // what the person was shown, 0 for nothing
	toldEv         int64
	closure        bool
	judged         bool
}

type model struct {
	now    int64
	lines  [3]mLine
	issues []mIssue
}

func newModel(now int64, n int) *model {
	m := &model{now: now}
	for range n {
		m.issues = append(m.issues, mIssue{state: Todo, rev: 1, holder: nobody, last: nobody, mover: nobody, away: [2]int{unspoken, unspoken}, fixed: -1})
	}
	return m
}

// Readings.

func (m *model) claim(i *mIssue) ClaimState {
	switch {
	case i.state != InProgress:
		return Unclaimed
	case i.holder == nobody:
		return Lapsed
	case m.live(i.holder):
		return Active
	case m.lines[i.holder].gone || m.now >= m.lines[i.holder].last+mReserve:
		return Lapsed
	}
	return Reserved
}

func (m *model) ready(i *mIssue) bool {
	if i.hold || i.archived || i.blocked {
		return false
	}
	return i.state == Todo || i.state == InProgress && m.claim(i) == Lapsed || i.state == Paused && i.pause == Handoff && !i.byPerson
}

func (m *model) isAway(who int, i *mIssue) bool {
	return i.away[rootOf(who)] == m.lines[rootOf(who)].prompts
}

// next is the Issue that a line would be handed, or -1.
func (m *model) next(who int) int {
	best := -1
	for n := range m.issues {
		i := &m.issues[n]
		if !m.ready(i) || m.isAway(who, i) {
			continue
		}
		if best < 0 || i.changes && !m.issues[best].changes {
			best = n
		}
	}
	return best
}

func (m *model) holding(who int) int {
	return slices.IndexFunc(m.issues, func(i mIssue) bool { return i.holder == who })
}

// step is one call, as drawn.
type step struct {
	who      int
	ev       Event
	n        int  // Issue; -1: none named
	staleRun bool // says a wrong revision of its run
	noRun    bool // says none
	staleIss bool // says a wrong revision of the Issue
	noIss    bool // says none
	pause    PauseReason
	mute     bool // gives no reason
	force    bool
	verdicts string // "", "missing", "unmet", "stray", "unchecked"
}

// answer is what a call must answer.
type answer struct {
	code   fault.Code
	repeat bool
}

func no(c fault.Code) answer { return answer{code: c} }

var agentEvents = []Event{BeginWork, Resume, Pause, Unclaim, RequestClosure, Edit}

// call says what a call answers, and changes the model if it is allowed.
func (m *model) call(s step) answer {
	if s.who == person {
		return m.people(s)
	}
	if !slices.Contains(agentEvents, s.ev) {
		return no(fault.PersonOnly)
	}
	if !m.live(s.who) {
		return no(fault.RunEnded)
	}
	n := s.n
	if n < 0 {
		if n = m.holding(s.who); n < 0 {
			if c := m.runRevision(s); c != "" {
				return no(c)
			}
			if n = m.next(s.who); n < 0 {
				return no(fault.NothingReady)
			}
		}
	}
	i := &m.issues[n]
	if m.repeated(s, i) {
		if m.otherwise(s, i) {
			return no(fault.WrongState)
		}
		return answer{repeat: true}
	}
	entitled := m.entitled(s, i)
	if s.ev != BeginWork && s.ev != Resume && i.held[s.who] && !entitled {
		return no(fault.FenceLost)
	}
	if c := m.runRevision(s); c != "" {
		return no(c)
	}
	if s.ev == RequestClosure && s.noIss {
		return no(fault.Invalid)
	}
	if s.staleIss {
		return no(fault.IssueStale)
	}
	var c fault.Code
	switch s.ev {
	case Edit:
		if !entitled {
			return no(fault.NotHolder)
		}
		i.rev++
		return answer{}
	case BeginWork, Resume:
		if c = m.take(s.who, n); c == "" {
			m.bind(s.who, n)
		}
	case Pause:
		if c = m.mayPause(s, i, entitled); c == "" {
			m.unbind(s.who, n)
			i.state, i.pause, i.byPerson, i.last = Paused, s.pause, false, s.who
		}
	case Unclaim:
		switch {
		case i.state != InProgress && i.state != Paused:
			c = fault.WrongState
		case !entitled:
			c = fault.NotHolder
		default:
			m.unbind(s.who, n)
			i.state, i.last, i.pause, i.byPerson = Todo, s.who, "", false
		}
	case RequestClosure:
		if c = m.mayAsk(s, i, entitled); c == "" {
			m.unbind(s.who, n)
			i.state, i.last, i.closure, i.judged = InReview, s.who, true, true
			i.askRev, i.askEv = i.rev+1, m.lines[rootOf(s.who)].edits
			if m.holding(s.who) >= 0 {
				i.fixed = i.askEv
			}
		}
	}
	if c != "" {
		return no(c)
	}
	i.move, i.mover = s.ev, s.who
	i.rev++
	return answer{}
}

func (m *model) repeated(s step, i *mIssue) bool {
	if s.ev == BeginWork || s.ev == Resume {
		return i.holder == s.who || s.who == sub && i.holder == ann
	}
	return i.move == s.ev && i.mover == s.who
}

// otherwise: the repeat says something else than the call that took effect, which said all that it has to.
func (m *model) otherwise(s step, i *mIssue) bool {
	return s.ev == Pause && (s.mute || s.pause != i.pause) || s.ev == RequestClosure && s.verdicts != ""
}

func (m *model) runRevision(s step) fault.Code {
	switch {
	case s.noRun:
		return fault.Invalid
	case s.staleRun:
		return fault.RunStale
	}
	return ""
}

func (m *model) entitled(s step, i *mIssue) bool {
	switch {
	case s.ev == Unclaim && i.state == Paused:
		return i.last == s.who && !i.byPerson
	case i.holder == s.who, s.ev == Edit && i.holder == nobody:
		return true
	case s.ev == Edit:
		return false
	case s.who == ann && i.holder == sub:
		return s.ev == RequestClosure || !m.live(sub)
	}
	return false
}

func (m *model) take(who, n int) fault.Code {
	i := &m.issues[n]
	c := m.claim(i)
	switch {
	case i.state == Done || i.state == Canceled, i.archived:
		return fault.WrongState
	case m.isAway(who, i), i.state == Paused && i.byPerson:
		return fault.ByPerson
	case c == Active:
		return fault.HeldByOther
	case c == Reserved && !(who == ann && i.holder == sub):
		return fault.Reserved
	case i.state == Paused && i.pause != Handoff && i.last != who, i.state == InReview && i.last != who:
		return fault.Reserved
	case i.blocked:
		return fault.Blocked
	case m.holding(who) >= 0:
		return fault.HoldsOther
	}
	return ""
}

func (m *model) mayPause(s step, i *mIssue, entitled bool) fault.Code {
	switch {
	case i.state != InProgress:
		return fault.WrongState
	case !entitled:
		return fault.NotHolder
	case s.pause == "" && s.who != person, s.mute:
		return fault.Invalid
	}
	return ""
}

func (m *model) mayAsk(s step, i *mIssue, entitled bool) fault.Code {
	switch {
	case i.state != InProgress:
		return fault.WrongState
	case s.who == sub:
		return fault.RootOnly
	case !entitled:
		return fault.NotHolder
	case s.verdicts == "stray":
		return fault.Invalid
	case s.verdicts == "missing" || s.verdicts == "unchecked":
		return fault.CriteriaUnjudged
	case s.verdicts == "unmet":
		return fault.CriteriaUnmet
	}
	return ""
}

// authority raises the revision of a line's newest run. A root's next prompt is a new run; a subagent has one for good.
func (m *model) authority(who int) {
	if who != nobody && (who == sub || m.live(who)) {
		m.lines[who].rev++
	}
}

func (m *model) bind(who, n int) {
	i := &m.issues[n]
	if i.holder != nobody && i.holder != who {
		m.authority(i.holder)
	}
	m.reset(i)
	i.state, i.holder, i.last, i.changes = InProgress, who, who, false
	i.held[who] = true
	i.fence++
	m.authority(who)
	m.goesOn(who, n)
}

// goesOn: what the session edits from now on belongs to another Issue than those that it asked to close.
func (m *model) goesOn(who, n int) {
	for k := range m.issues {
		i := &m.issues[k]
		if k != n && i.state == InReview && i.last == rootOf(who) && i.fixed < 0 {
			i.fixed = m.lines[rootOf(who)].edits
		}
	}
}

func (m *model) unbind(who, n int) {
	i := &m.issues[n]
	m.authority(i.holder)
	i.holder = nobody
	i.fence++
}

func (m *model) reset(i *mIssue) {
	i.pause, i.byPerson, i.closure = "", false, false
	i.askRev, i.askEv, i.fixed, i.toldRev, i.toldEv = 0, 0, -1, 0, 0
}

// evidence is the number of edits that an Issue in review rests on now.
func (m *model) evidence(i *mIssue) int64 {
	if i.fixed >= 0 {
		return i.fixed
	}
	return m.lines[rootOf(i.last)].edits
}
