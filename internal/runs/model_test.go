package runs_test

import (
	"fmt"
)

// model is the AgentRun of SPEC §3, written a second time as plain Go: it knows nothing of the table, of the store or
// of event ids as bytes. A test drives both with the same events and compares them.
type model struct {
	now      int64
	policy   string // always, due, off
	gap      int64
	runs     []*mrun
	byKey    map[string]*mrun
	seen     map[string]bool
	waiting  []mevent
	tasks    map[string]int // first run that listed it
	probedAt int64
	news     bool
	stretch  int // the newest, 0 for none
	open     bool
}

type mrun struct {
	n                            int
	key, proc                    string
	child, host, direct, plan    bool
	state, reason                string
	stop, fail, intr, foreground bool
	probes, tools, edits         int
	lease, deadline              int64
	events, stops, starts        int
}

const (
	lease    = 45 * 60_000
	deadline = 15 * 60_000
)

func newModel(policy string, gap int64) *model {
	return &model{policy: policy, gap: gap, byKey: map[string]*mrun{}, seen: map[string]bool{}, tasks: map[string]int{}, now: 1}
}

func (m *model) key(e mevent) string {
	if e.agent != "" {
		return "agent/" + e.agent
	}
	return "turn/" + e.turn
}

func (r *mrun) expires() int64 {
	if r.deadline != 0 && r.state != "waiting" && r.deadline < r.lease {
		return r.deadline
	}
	return r.lease
}

// tick lets the clock end what it ends. The real one does so on read; the model at once.
func (m *model) tick(r *mrun, now int64) {
	if r.state != "ended" && now >= r.expires() {
		reason := "lease"
		if r.expires() < r.lease {
			reason = "probe_deadline"
		}
		r.end(reason)
	}
}

func (r *mrun) end(reason string) { r.state, r.reason, r.deadline = "ended", reason, 0 }

func (r *mrun) outcome() string {
	switch {
	case r.state != "ended":
		return ""
	case r.stop:
		return "completed"
	case r.fail:
		return "failed"
	case r.intr:
		return "interrupted"
	}
	switch r.reason {
	case "lease":
		return "lost"
	case "parent_ended":
		return "abandoned"
	case "superseded":
		return "interrupted" // on Claude Code
	}
	return "unknown"
}

func same(a, b string) bool { return a == "" || b == "" || a == b }

func (m *model) newer(r *mrun) bool {
	for _, o := range m.runs {
		if !o.child && o.n > r.n && o.direct && same(o.proc, r.proc) {
			return true
		}
	}
	return false
}

// event plays one event and says whether the reminder was asked.
func (m *model) event(e mevent) (probed bool) {
	if e.kind == "session_end" {
		m.sessionEnd(e)
		return false
	}
	r := m.byKey[m.key(e)]
	if id := m.id(e, r); m.seen[id] {
		return false
	} else {
		m.seen[id] = true
	}
	registers := e.kind == "prompt" || e.kind == "host_prompt" || e.kind == "start" || e.kind == "tool" || e.kind == "edit"
	if r == nil && !registers {
		m.waiting = append(m.waiting, e)
		return false
	}
	fresh := r == nil
	if fresh {
		r = &mrun{n: len(m.runs) + 1, key: m.key(e), proc: e.proc, child: e.agent != "", direct: !e.spooled, state: "running"}
		m.runs, m.byKey[r.key] = append(m.runs, r), r
		m.openStretch(!r.child && !e.spooled)
		r.renew(e)
	} else {
		m.tick(r, e.receivedAt)
	}
	if registers {
		m.alive(r, e)
	} else {
		probed = m.explicit(r, e, !e.spooled)
	}
	r.count(e)
	if fresh {
		m.adopt(r)
	}
	if r.child {
		for _, root := range m.runs {
			if m.tick(root, m.now); !root.child && root.state != "ended" && same(root.proc, e.proc) {
				root.lease = max(root.lease, e.receivedAt+lease)
			}
		}
	}
	return probed
}

func (m *model) openStretch(direct bool) {
	if !m.open && (direct || m.stretch == 0) {
		m.stretch, m.open = m.stretch+1, true
		m.probedAt, m.news = 0, false
	}
}

func (m *model) id(e mevent, r *mrun) string {
	ordinal := 0
	if r != nil {
		switch e.kind {
		case "stop", "substop":
			ordinal = r.events - r.stops
		case "start":
			ordinal = r.events - r.starts
		}
	}
	kind := e.kind
	if kind == "host_prompt" {
		kind = "prompt"
	}
	return fmt.Sprint(kind, "|", e.turn, "|", e.agent, "|", e.call, "|", e.flag, "|", ordinal)
}

func (r *mrun) count(e mevent) {
	r.events++
	switch e.kind {
	case "stop", "substop":
		r.stops++
	case "start":
		r.starts++
	case "tool", "edit":
		r.tools++
	}
}

func (r *mrun) renew(e mevent) {
	if e.spooled {
		r.lease = max(r.lease, e.receivedAt+lease)
	} else {
		r.lease = e.receivedAt + lease
	}
	if r.stop && r.state != "ended" {
		r.deadline = e.receivedAt + deadline
	}
}

func (m *model) alive(r *mrun, e mevent) {
	if r.state == "ended" {
		over := !r.stop && (r.fail || r.intr)
		if !over && (r.child || !m.newer(r)) {
			r.state, r.reason = "running", ""
			if !r.child {
				m.openStretch(!e.spooled)
			}
		}
	} else {
		r.state = "running"
		if !r.child && !e.spooled && !r.direct {
			m.openStretch(true)
		}
	}
	r.renew(e)
	if r.proc == "" {
		r.proc = e.proc
	}
	if e.plan {
		r.plan = true
	}
	switch e.kind {
	case "host_prompt":
		r.host = true
		m.supersede(r, e)
	case "prompt":
		m.supersede(r, e)
	case "edit":
		r.edits++
		if m.probedAt != 0 {
			m.news = true
		}
	}
}

func (m *model) supersede(r *mrun, e mevent) {
	if r.child || e.spooled {
		return
	}
	for _, o := range m.runs {
		if m.tick(o, e.receivedAt); !o.child && o.n < r.n && o.state != "ended" && same(o.proc, r.proc) {
			o.end("superseded")
		}
	}
}

// explicit plays an event that ends, or might.
func (m *model) explicit(r *mrun, e mevent, direct bool) (probed bool) {
	switch e.kind {
	case "failure":
		r.fail = true
		if r.state != "ended" {
			r.end("failure")
		}
		return false
	case "interrupt":
		r.intr = true
		if r.state != "ended" {
			r.end("interrupt")
		}
		return false
	case "substop":
		r.stop = true
		if r.state != "ended" {
			r.end("stop")
		}
		return false
	}
	background := false
	for _, t := range e.tasks {
		if first, ok := m.tasks[t]; !ok || first > r.n {
			m.tasks[t] = r.n
		}
		background = background || m.tasks[t] == r.n
	}
	if e.plan {
		r.plan = true
	}
	due := direct && !e.flag && !r.foreground && r.probes == 0 && m.due(r, e)
	wasEnded := r.state == "ended"
	r.stop = true
	switch {
	case wasEnded:
		r.foreground = true
		m.abandon(r, e, direct)
		return false
	case background && (r.state == "running" || r.state == "waiting") && r.probes == 0:
		r.state = "waiting"
	case due:
		r.state, r.probes, probed = "probing", 1, true
		m.probedAt, m.news = e.receivedAt, false
		r.foreground = true
	default:
		r.end("stop")
		r.foreground = true
	}
	if r.state != "ended" {
		r.renew(e)
	}
	m.abandon(r, e, direct)
	return probed
}

func (m *model) abandon(r *mrun, e mevent, direct bool) {
	if !direct || !e.listed || m.newer(r) {
		return
	}
	for _, c := range m.runs {
		if m.tick(c, e.receivedAt); !c.child || c.state == "ended" || !same(c.proc, r.proc) {
			continue
		}
		listed := false
		for _, t := range e.tasks {
			listed = listed || "agent/"+t == c.key
		}
		if !listed {
			c.end("parent_ended")
		}
	}
}

func (m *model) due(r *mrun, e mevent) bool {
	if r.host && r.tools == 0 || r.plan || r.fail || r.intr || m.policy == "off" {
		return false
	}
	if m.policy == "due" {
		return r.edits > 0
	}
	return m.probedAt == 0 || m.news || e.receivedAt-m.probedAt >= m.gap
}

func (m *model) adopt(r *mrun) {
	rest := m.waiting[:0]
	for _, w := range m.waiting {
		if m.key(w) != r.key {
			rest = append(rest, w)
			continue
		}
		w.spooled = true
		m.explicit(r, w, false)
		r.count(w)
	}
	m.waiting = rest
}

func (m *model) sessionEnd(e mevent) {
	total := 0
	for _, r := range m.runs {
		total += r.events
	}
	id := fmt.Sprint("session_end|", e.turn, "|", total)
	if m.seen[id] {
		return
	}
	m.seen[id] = true
	others, newest := false, 0
	for _, r := range m.runs {
		if !r.child {
			newest = r.n
		}
		if m.tick(r, m.now); r.state == "ended" {
			continue
		}
		if !same(r.proc, e.proc) || e.spooled && r.n > e.afterRun {
			others = true
			continue
		}
		r.end("session_ended")
	}
	if !others && !(e.spooled && newest > e.afterRun) {
		m.open = false
	}
}
