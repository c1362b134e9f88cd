package agents

import (
	"context"
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"board/internal/runs"
	"board/internal/store"
)

// prompted is the next prompt of a session: of another process, where the last one is gone.
func (w *mworld) prompted(m *msession, now int64) {
	if m.host.isGone() {
		m.processes++
		m.host = nil
		if rapid.Bool().Draw(w.rt, "proven") {
			m.host = &mhost{host: w.hosts()}
		}
	}
	m.turns++
	r := &mrun{key: in(m.name, fmt.Sprint("t", m.turns)), host: m.host, doing: "running"}
	w.send(m, runs.Observation{Kind: runs.OnPrompt, Key: r.key})
	m.begin(now)
	for _, old := range m.runs {
		if !old.end(now) && !old.child {
			old.doing, old.lost = "over", false // superseded
		}
	}
	r.stretch = m.stretch
	m.runs, m.turn = append(m.runs, r), r
	m.heard(r, now, runs.AsksNothing)
}

// happens is an event of the newest turn, or of a subagent.
func (w *mworld) happens(m *msession, what string, now int64) {
	r := m.turn
	if what == "child" || what == "child stop" {
		children := slices.DeleteFunc(slices.Clone(m.runs), func(r *mrun) bool { return !r.child })
		if len(children) == 0 {
			return
		}
		r = rapid.SampledFrom(children).Draw(w.rt, "child")
		if r.host != m.host { // of a process that is gone
			return
		}
	}
	switch what {
	case "tool", "child":
		w.send(m, runs.Observation{Kind: runs.OnTool, Key: r.key})
		m.touch(r, now)
	case "approval", "answer":
		w.send(m, runs.Observation{Kind: runs.OnNotice, Key: r.key, Asks: runs.Ask(what)})
		if r.end(now) {
			r.asks, r.stopAgain = runs.Ask(what), false // of a turn that may go on
			return
		}
		m.heard(r, now, runs.Ask(what))
	case "stop", "stop in silence", "background":
		if !r.stopAgain || r.doing == "asked" {
			w.stops(m, r, what, now)
		}
	case "start":
		c := &mrun{key: runs.Key{Session: m.name, Agent: fmt.Sprint("a", len(m.runs))}, child: true, host: m.host, doing: "running", stretch: m.stretch}
		w.send(m, runs.Observation{Kind: runs.OnSubagentStart, Key: c.key})
		m.conclude(now)
		m.runs = append(m.runs, c)
		m.heard(c, now, runs.AsksNothing)
	case "child stop":
		if r.stopAgain {
			return
		}
		w.send(m, runs.Observation{Kind: runs.OnSubagentStop, Key: r.key})
		r.end(now)
		r.stopped, r.doing, r.lost, r.asks, r.stopAgain = true, "over", false, runs.AsksNothing, true
		r.last = max(r.last, now)
		m.renewTurns(now)
	}
}

// touch is a sign of life: it goes on, also where it was over.
func (m *msession) touch(r *mrun, now int64) {
	if r.end(now) && !r.child {
		m.begin(now)
		r.stretch = m.stretch
	}
	r.doing, r.lost = "running", false
	m.heard(r, now, runs.AsksNothing)
}

// stops is the end of a turn: by a host that can be asked to go on, by one that cannot, or with work in the background.
func (w *mworld) stops(m *msession, r *mrun, what string, now int64) {
	o := runs.Observation{Kind: runs.OnStop, Key: r.key, CanAsk: what == "stop", Continuation: r.doing == "asked"}
	if what == "background" {
		o.Tasks, o.TasksListed = []runs.Task{{ID: fmt.Sprint("task", w.n), State: "running"}}, true
	}
	w.send(m, o)
	over := r.end(now)
	r.asks, r.stopAgain = runs.AsksNothing, true
	switch {
	case over:
		r.lost = false
	case what == "background" && !r.asked:
		r.doing = "waiting"
	case o.CanAsk && !r.asked && !r.answered && (m.held || m.probedAt == 0 || now >= m.probedAt):
		r.doing, r.asked, m.probedAt = "asked", true, now
	default:
		r.doing = "over"
	}
	if r.doing != "waiting" {
		r.answered = true
	}
	r.stopped = true
	if r.doing == "over" {
		r.last = max(r.last, now)
	} else {
		r.last, r.renewed = now, now
	}
	if what == "background" { // subagents that it does not list are over
		for _, c := range m.runs {
			if c.child && !c.end(now) {
				c.doing, c.lost = "over", false
			}
		}
	}
}

// observed is the run as the store has it, with its handle.
func (w *mworld) observed(r *mrun) (out runs.Run) {
	err := w.db.Read(context.Background(), func(ctx context.Context, tx *store.Tx) error {
		var id int64
		err := tx.QueryRowContext(ctx, `SELECT r.id, r.handle FROM runs r JOIN lines l ON l.id = r.line_id WHERE l.session_key = ? AND r.turn_key = ?`,
			r.key.Session, r.key.Turn).Scan(&id, &out.Handle)
		out.ID = id
		return err
	})
	if err != nil {
		w.rt.Fatal(err)
	}
	return out
}

// compare looks at every session.
func (w *mworld) compare() {
	now := w.now()
	shown := map[string]State{}
	for _, a := range w.look(Filter{All: true}).Agents {
		shown[a.Session] = a.State
	}
	for _, m := range w.sessions {
		if m.turn == nil {
			continue
		}
		want := m.state(now)
		if got, ok := shown[m.name]; got != want && (ok || want != Ended) {
			w.rt.Fatalf("%s is %q, want %q", m.name, got, want)
		}
	}
}
