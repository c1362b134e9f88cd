package agents

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"board/internal/process"
	"board/internal/runs"
)

// The shown state is a function of the last correlated event, the clock and the process proof. The model below is that
// function a second time: it remembers events, and nothing of the store, of the machine or of rows.

// mrun is a run as its events tell it.
type mrun struct {
	key       runs.Key
	child     bool
	host      *mhost
	last      int64 // the last event
	renewed   int64 // the last event of it or, for a root, of its subagents
	asks      runs.Ask
	stopped   bool   // a Stop was reported
	asked     bool   // the reminder was given
	answered  bool   // a Stop was reported that was no background one
	doing     string // running, asked, waiting, over
	lost      bool   // over because of silence in mid-turn
	stretch   int
	stopAgain bool // the last event was a Stop: another one would be the same event
}

// mhost is the process of a host: nil is one of which nothing is known.
type mhost struct {
	*host
	gone bool
}

func (h *mhost) isGone() bool { return h != nil && h.gone }

// over reports whether the run is over at now, and whether silence ended it.
func (r *mrun) over(now int64) (over, lost bool) {
	if r.doing == "over" {
		return true, r.lost
	}
	if r.host.isGone() {
		return true, false
	}
	lease := r.renewed + 45*minute
	if r.host != nil {
		lease = max(lease, r.last+12*hour)
	}
	if r.stopped && r.doing != "waiting" && now >= min(lease, r.last+15*minute) {
		return true, false
	}
	return now >= lease, now >= lease && !r.stopped
}

// end writes the end down, as every event does that meets it.
func (r *mrun) end(now int64) bool {
	over, lost := r.over(now)
	if over {
		r.doing, r.lost = "over", lost
	}
	return over
}

func (r *mrun) state(now int64) State {
	switch {
	case r.asks == runs.AsksApproval && !r.stopped:
		return NeedsApproval
	case r.asks == runs.AsksAnswer && !r.stopped:
		return NeedsAnswer
	case r.doing == "asked":
		return Asked
	case r.doing == "waiting":
		return Waiting
	case now <= r.last+90*second:
		return Working
	}
	return Quiet
}

// msession is a session as its events tell it.
type msession struct {
	name      string
	host      *mhost
	runs      []*mrun
	turns     int
	turn      *mrun // the newest
	stretch   int
	open      bool
	openedAt  int64
	endedAt   int64
	probedAt  int64
	held      bool
	processes int
	children  int // subagents that were at work before this event
}

func (m *msession) live(now int64) (all []*mrun) {
	for _, r := range m.runs {
		if over, _ := r.over(now); !over {
			all = append(all, r)
		}
	}
	return all
}

// seen is when anything was heard of the session: of a turn that is over, and of an older one, its end says all.
func (m *msession) seen(now int64) int64 {
	at := max(m.openedAt, m.turn.last, m.turn.renewed)
	for _, r := range m.runs {
		if over, _ := r.over(now); r.child || !over || !m.open {
			at = max(at, r.last)
		}
	}
	return at
}

// hostGone reports whether nothing of the stretch is known to have another end than that of its processes.
func (m *msession) hostGone() bool {
	for _, r := range m.runs {
		if !r.child && r.stretch == m.stretch && !r.host.isGone() {
			return false
		}
	}
	return m.turn.host.isGone()
}

// diverged is since when the session and its runs contradict each other, 0 if they do not.
func (m *msession) diverged(now int64) int64 {
	live := len(m.live(now)) > 0
	switch {
	case live && !m.open:
		return max(m.endedAt, m.seen(now))
	case live || !m.open:
	case m.hostGone():
		return m.seen(now)
	case now >= m.seen(now)+24*hour:
		return m.seen(now) + 24*hour
	}
	return 0
}

func (m *msession) state(now int64) State {
	live := m.live(now)
	if since := m.diverged(now); since != 0 && now-since >= 600*second {
		return Ended
	}
	if len(live) > 0 {
		best := live[0].state(now)
		for _, r := range live {
			if s := r.state(now); slices.Index(States(), s) < slices.Index(States(), best) {
				best = s
			}
		}
		return best
	}
	_, lost := m.turn.over(now)
	switch {
	case !m.open:
		return Ended
	case m.hostGone():
		return Offline
	case lost:
		return Lost
	case m.held:
		return YourTurn
	}
	return Idle
}

// conclude ends a stretch that silence ended, or the end of its host.
func (m *msession) conclude(now int64) {
	roots := slices.ContainsFunc(m.live(now), func(r *mrun) bool { return !r.child })
	last := m.openedAt
	for _, r := range m.runs {
		last = max(last, r.last, r.renewed)
	}
	switch {
	case !m.open:
	case !roots && m.turn != nil && m.hostGone():
		m.open, m.endedAt = false, last
	case now >= last+24*hour:
		m.open, m.endedAt = false, last+24*hour
	}
}

// begin opens the next stretch where the last one is over: a turn does, and no subagent.
func (m *msession) begin(now int64) {
	if m.conclude(now); !m.open {
		m.stretch, m.open, m.openedAt, m.probedAt = m.stretch+1, true, now, 0
	}
}

// heard is an event of a run, which it keeps alive.
func (m *msession) heard(r *mrun, now int64, asks runs.Ask) {
	r.last, r.renewed, r.asks, r.stopAgain = now, now, asks, false
	if r.child {
		m.renewTurns(now)
	}
}

// renewTurns is what an event of a subagent means for its session. A dialog was for the subagent, unless there are others
// that it may have been for.
func (m *msession) renewTurns(now int64) {
	for _, t := range m.live(now) {
		if !t.child {
			t.renewed = max(t.renewed, now)
			if m.children <= 1 {
				t.asks = runs.AsksNothing
			}
		}
	}
}

// world of the model.
type mworld struct {
	*scene
	rt       *rapid.T
	sessions []*msession
	hosts    func() *host
}

func (w *mworld) send(m *msession, o runs.Observation) runs.Result {
	m.children = 0
	for _, r := range m.runs {
		if r.child && r.doing != "over" {
			m.children++
		}
	}
	if o.Kind == runs.OnSessionEnd {
		o.Key = runs.Key{Session: m.name}
		o.Detail = "exit"
	}
	o.Process = fmt.Sprint(m.processes)
	if m.host != nil {
		o.Proof = m.host.proof
	}
	return w.observe(o)
}

func TestTheShownStateFollowsFromEventsClockAndProof(t *testing.T) {
	spare := []*host{}
	self := &host{proof: proofOf(os.Getpid())} // one that nobody kills
	if process.Look(self.proof) != process.Alive {
		t.Skip("nothing can be proven of processes here")
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := newScene(t)
		w := &mworld{scene: s, rt: rt}
		used := 0
		w.hosts = func() *host { // reused from check to check: each has a store of its own
			for used >= len(spare) {
				spare = append(spare, newHost(t))
			}
			used++
			return spare[used-1]
		}
		// Every turn is asked at its end, where the host can be asked.
		s.exec(`INSERT INTO config (project_id, host, key, value) VALUES (0, '', 'probe', 'always'), (0, '', 'probe_gap', '0s')`)
		for i := range 3 {
			m := &msession{name: fmt.Sprint("s", i)}
			switch i {
			case 0:
				m.host = &mhost{host: self}
			case 1:
				m.host = &mhost{host: w.hosts()}
			}
			w.sessions = append(w.sessions, m)
		}
		killed := map[*host]bool{}
		defer func() { spare = slices.DeleteFunc(spare, func(h *host) bool { return killed[h] }) }()
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			w.wait(rapid.SampledFrom(pauses()).Draw(rt, "wait"))
			w.compare()
			w.step(w.sessions[rapid.IntRange(0, 2).Draw(rt, "session")], killed)
			w.compare()
		}
		if i := slices.IndexFunc(w.look(Filter{}).Agents, func(a Agent) bool { return a.State == Ended }); i >= 0 {
			rt.Fatal("an agent is shown that has ended")
		}
	})
}

// pauses are times at which something changes, and others.
func pauses() []time.Duration {
	return []time.Duration{
		0, time.Second, 20 * time.Second, -time.Minute, time.Millisecond, 89 * time.Second, 90 * time.Second, 91 * time.Second,
		119 * time.Second, 120 * time.Second, 599 * time.Second, 600 * time.Second, 15 * time.Minute, 45*time.Minute - time.Millisecond,
		45 * time.Minute, time.Hour, 3 * time.Hour, 12 * time.Hour, 24 * time.Hour,
	}
}

// step lets one thing happen.
func (w *mworld) step(m *msession, killed map[*host]bool) {
	now := w.now()
	what := rapid.SampledFrom([]string{
		"prompt", "tool", "approval", "answer", "stop", "stop in silence", "background", "start", "child", "child stop", "session end",
		"begin work", "begin work", "kill", "kill", "tidy",
	}).Draw(w.rt, "what")
	if m.turn == nil || m.host.isGone() {
		what = "prompt"
	}
	switch what {
	case "tidy":
		w.tidy()
		for _, m := range w.sessions {
			if m.turn != nil {
				m.reap(now)
			}
		}
	case "kill":
		if m.host != nil && m.host.cmd != nil {
			m.host.kill(w.rt)
			m.host.gone, killed[m.host.host] = true, true
		}
	case "begin work":
		if over, _ := m.turn.over(now); !over && !m.held {
			w.begin(w.observed(m.turn), w.issue(web, m.name))
			m.held = true
		}
	case "prompt":
		w.prompted(m, now)
	case "session end":
		w.send(m, runs.Observation{Kind: runs.OnSessionEnd})
		for _, r := range m.runs {
			if !r.end(now) {
				r.doing, r.lost = "over", false
			}
		}
		if m.open {
			m.open, m.endedAt = false, now
		}
	default:
		w.happens(m, what, now)
	}
}

// reap is what the next writer does with what contradicts itself.
func (m *msession) reap(now int64) {
	since := m.diverged(now)
	if since == 0 || now-since < 600*second {
		return
	}
	if m.open {
		m.open, m.endedAt = false, since
		return
	}
	for _, r := range m.live(now) {
		r.doing, r.lost = "over", false
	}
}
