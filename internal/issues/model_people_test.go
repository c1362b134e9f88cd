package issues

import (
	"slices"

	"board/internal/fault"
)

// people is the model of a person's call.
func (m *model) people(s step) answer {
	i := &m.issues[s.n]
	switch s.ev {
	case Archive, Unarchive:
		if i.archived == (s.ev == Archive) {
			return answer{repeat: true}
		}
	case Hold, Unhold:
		if i.hold == (s.ev == Hold) {
			return answer{repeat: true}
		}
	}
	if s.staleIss {
		return no(fault.IssueStale)
	}
	if c := m.refuse(s, i); c != "" {
		if c == fault.ReviewNeeded {
			i.toldRev, i.toldEv = i.rev, m.evidence(i)
		}
		return no(c)
	}
	i.rev++
	switch s.ev {
	case Archive, Unarchive:
		i.archived = s.ev == Archive
		return answer{}
	case Hold, Unhold:
		i.hold = s.ev == Hold
		return answer{}
	case Edit:
		return answer{}
	case Resume:
		m.giveBack(s.n)
		return answer{}
	}
	m.takeAway(s.ev, i)
	i.move, i.mover = s.ev, nobody
	i.byPerson, i.pause, i.changes = false, "", i.changes && s.ev == Release
	switch s.ev {
	case Pause:
		i.state, i.byPerson, i.pause = Paused, true, s.pause
		if s.pause == "" {
			i.pause = Handoff
		}
	case Release:
		i.state = Todo
	case RequestChanges:
		m.reset(i)
		i.state, i.changes, i.judged = Todo, true, false
	case Approve, Close:
		i.state = Done
	case Cancel:
		i.state = Canceled
	case Reopen:
		m.reset(i)
		i.state, i.judged = Todo, false
	}
	return answer{}
}

// refuse is what stands in a person's way.
func (m *model) refuse(s step, i *mIssue) fault.Code {
	in := func(states ...State) bool { return slices.Contains(states, i.state) }
	wrong := func(ok bool) fault.Code {
		if ok {
			return ""
		}
		return fault.WrongState
	}
	openNow := in(Todo, InProgress, Paused, InReview)
	switch s.ev {
	case BeginWork:
		if openNow {
			return fault.Invalid
		}
		return fault.WrongState
	case Unclaim:
		if in(InProgress, Paused) {
			return fault.Invalid
		}
		return fault.WrongState
	case RequestClosure:
		if in(InProgress) {
			return fault.Invalid
		}
		return fault.WrongState
	case Edit:
		return ""
	case Resume:
		if !in(Paused) {
			return fault.WrongState
		}
		if i.blocked {
			return fault.Blocked
		}
		return ""
	case Pause:
		return m.mayPause(s, i, true)
	case Release:
		if !in(InProgress, Paused) {
			return fault.WrongState
		}
		if m.claim(i) == Active && !s.force {
			return fault.HeldByOther
		}
		return ""
	case Approve:
		if !in(InReview) {
			return fault.WrongState
		}
		now := [2]int64{i.rev, m.evidence(i)}
		if now != [2]int64{i.askRev, i.askEv} && now != [2]int64{i.toldRev, i.toldEv} {
			return fault.ReviewNeeded
		}
		return ""
	case RequestChanges:
		if !in(InReview) {
			return fault.WrongState
		}
		if s.mute {
			return fault.Invalid
		}
		return ""
	case Close, Cancel:
		return wrong(openNow && !i.archived)
	case Reopen:
		return wrong(in(Done, Canceled) && !i.archived)
	case Archive, Unarchive:
		return wrong(in(Todo, Done, Canceled))
	case Hold, Unhold:
		return wrong(openNow)
	}
	return fault.WrongState
}

// takeAway clears the claim by a person: the line that had the Issue, or could come back to it, is displaced.
func (m *model) takeAway(ev Event, i *mIssue) {
	from := i.holder
	if from == nobody && (ev == Release || ev == Cancel) {
		from = i.last
	}
	if from != nobody {
		m.authority(from)
		i.away[rootOf(from)] = m.lines[rootOf(from)].prompts
	}
	i.holder = nobody
	i.fence++
}

// giveBack is a person's resume.
func (m *model) giveBack(n int) {
	i := &m.issues[n]
	m.reset(i)
	i.state, i.away, i.changes = InProgress, [2]int{unspoken, unspoken}, false
	i.move, i.mover = Resume, nobody
	i.fence++
	if i.last == nobody {
		return
	}
	if h := m.holding(i.last); h >= 0 {
		return
	}
	i.holder = i.last
	i.held[i.last] = true
	m.authority(i.last)
	m.goesOn(i.last, n)
}
