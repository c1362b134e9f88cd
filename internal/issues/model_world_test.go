package issues

// What hosts and the clock do to the lines of the model.

func (m *model) live(who int) bool {
	l := m.lines[who]
	return l.seen && !l.over && m.now < l.until
}

func rootOf(who int) int {
	if who == sub {
		return ann
	}
	return who
}

func (m *model) alive(who int) {
	l := &m.lines[who]
	l.over, l.last, l.until = false, m.now, m.now+mLease
	if l.stopped {
		l.until = m.now + mQuiet
	}
	if who == sub && m.live(ann) {
		m.lines[ann].until = max(m.lines[ann].until, m.now+mLease)
	}
}

func (m *model) prompt(who int, byUser bool) {
	l := &m.lines[who]
	l.seen, l.gone, l.rev, l.stopped = true, false, 1, false
	if who == ann {
		m.lines[sub].gone = false
	}
	if byUser {
		l.prompts++
	}
	m.alive(who)
}

func (m *model) startSub() {
	l := &m.lines[sub]
	if !l.seen {
		l.seen, l.rev, l.gone = true, 1, m.lines[ann].gone
	}
	m.alive(sub)
}

func (m *model) end(who int) {
	l := &m.lines[who]
	l.over, l.last = true, m.now
	l.stopped = who == sub
	if who == sub && m.live(ann) {
		m.lines[ann].until = max(m.lines[ann].until, m.now+mLease)
	}
}

func (m *model) endSession(who int) {
	for w := range m.lines {
		if rootOf(w) == who && m.lines[w].seen {
			m.lines[w].over, m.lines[w].gone = true, true
		}
	}
}

func (m *model) edit(who int) {
	m.alive(who)
	m.lines[rootOf(who)].edits++
}
