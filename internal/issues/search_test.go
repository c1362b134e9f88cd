package issues

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"board/internal/fault"
)

// node is one situation of the search: the Issues, who was sent away, and what the lines are to the rules.
type node struct {
	rows  []issueRow
	away  [][2]int
	owed  [][2]bool // kept by the search itself: a person took the Issue from that session, and its user has not spoken
	lines [3]mLine
	from  int    // the node before
	how   string // and the step that led here
}

const searchNow = 10 * mReserve

// The standing of a line, as far as the rules can tell.
const (
	lives  = iota
	rests  // its run ended a moment ago
	lapses // and long ago
	leaves // its session is over
)

func standing(k int) mLine {
	switch k {
	case lives:
		return mLine{seen: true, until: searchNow + mLease, last: searchNow}
	case rests:
		return mLine{seen: true, over: true, last: searchNow}
	case lapses:
		return mLine{seen: true, over: true, last: searchNow - 2*mReserve}
	}
	return mLine{seen: true, over: true, last: searchNow, gone: true}
}

func (n *node) stands(who int) int {
	for k := range 4 {
		if n.lines[who] == standing(k) {
			return k
		}
	}
	panic("a line stands nowhere")
}

func (n *node) key() string {
	b := make([]byte, 0, 64)
	for i, r := range n.rows {
		flags := byte(0)
		for k, on := range []bool{r.Archived, r.Hold, r.PausedByPerson, r.ChangesRequested, n.away[i][0] == 0, n.away[i][1] == 0, n.owed[i][0], n.owed[i][1]} {
			if on {
				flags |= 1 << k
			}
		}
		b = append(b, byte(slices.Index(States(), r.State)), flags, byte(r.HolderLine), byte(r.LastLine),
			byte(slices.Index(PauseReasons(), r.PauseReason)+1), byte(r.LastMoveLine))
	}
	for who := range n.lines {
		b = append(b, byte(n.stands(who)))
	}
	return string(b)
}

func (n *node) copy() *node {
	c := *n
	c.rows, c.away, c.owed = slices.Clone(n.rows), slices.Clone(n.away), slices.Clone(n.owed)
	return &c
}

// search is a breadth-first search over every move of the cast on a few Issues.
type search struct {
	t     *testing.T
	sim   *simulation
	nodes []*node
	back  map[int][]int // edges, reversed
	seen  map[string]int
}

// searchSteps are the moves of people and agents with the arguments that make a difference. Left out is what the walk
// shows to be the same as something here or to have no influence: resume by a run, the hold flag, people's moves by runs.
func searchSteps(issues int) []step {
	var out []step
	for n := range issues {
		for who := range 3 {
			for _, ev := range []Event{BeginWork, Unclaim, RequestClosure} {
				out = append(out, step{who: who, ev: ev, n: n})
			}
			out = append(out, step{who: who, ev: Pause, n: n, pause: Handoff}, step{who: who, ev: Pause, n: n, pause: Question})
		}
		for _, ev := range []Event{Resume, Approve, RequestChanges, Close, Reopen, Cancel, Archive, Unarchive} {
			out = append(out, step{who: person, ev: ev, n: n})
		}
		out = append(out, step{who: person, ev: Pause, n: n, pause: Handoff}, step{who: person, ev: Release, n: n, force: true})
	}
	return out
}

func (s *search) add(n *node, from int, how string) {
	k := n.key()
	id, ok := s.seen[k]
	if !ok {
		id = len(s.nodes)
		n.from, n.how = from, how
		s.nodes = append(s.nodes, n)
		s.seen[k] = id
	}
	if from != id {
		s.back[id] = append(s.back[id], from)
	}
}

func (s *search) fail(id int, format string, args ...any) {
	s.t.Helper()
	var path []string
	for n := id; n > 0; n = s.nodes[n].from {
		path = append(path, s.nodes[n].how)
	}
	slices.Reverse(path)
	s.t.Fatalf("%s\nafter %v", fmt.Sprintf(format, args...), path)
}

// load puts a situation on the stage of the simulation.
func (s *search) load(n *node) {
	s.sim.rows, s.sim.away = slices.Clone(n.rows), slices.Clone(n.away)
	s.sim.m.lines = n.lines
	for i := range s.sim.told {
		s.sim.told[i] = [2]int64{}
		s.sim.once[i] = [3]*claimRow{}
	}
}

func (s *search) run(issues, most int) {
	steps := searchSteps(issues)
	m := newModel(searchNow, issues)
	s.sim = newSimulation(m, rules())
	s.seen, s.back = map[string]int{}, map[int][]int{}
	first := &node{rows: slices.Clone(s.sim.rows), away: slices.Clone(s.sim.away), owed: make([][2]bool, issues)}
	for who := range first.lines {
		first.lines[who] = standing(lives)
	}
	s.add(first, 0, "")
	for id := 0; id < min(most, len(s.nodes)); id++ {
		n := s.nodes[id]
		s.invariants(id, n)
		moved := make([]bool, issues) // by anybody
		freed := [3]bool{}            // the line could get rid of what it holds
		for _, st := range steps {
			s.load(n)
			before := s.sim.rows[st.n]
			a, _ := s.sim.call(st)
			if a.code != "" || a.repeat {
				s.refused(id, n, st, a)
				continue
			}
			rows, away := s.sim.rows, s.sim.away
			after := rows[st.n]
			moved[st.n] = moved[st.n] || after.State != before.State
			if st.who < person {
				freed[st.who] = freed[st.who] || before.HolderLine == int64(st.who+1) && after.HolderLine == 0
			}
			s.allowed(id, n, st, before, after)
			next := n.copy()
			next.rows, next.away = rows, away
			for i := range next.rows { // numbers that only grow make no difference to the rules
				r := &next.rows[i]
				r.Revision, r.Fence, r.UpdatedAt, r.ClaimedAt, r.RequestedAt = 1, 0, 0, 0, 0
				r.ClosureRevision, r.ClosureEvidence, r.EvidenceFinal, r.LastReason, r.ShownTo = 1, 0, unfinished, "", ""
				r.ClosureRun, r.HolderRun = 0, 0
			}
			s.settle(n, next, st, before)
			s.add(next, id, describe(st))
		}
		for i, ok := range moved {
			if !ok && !n.rows[i].Archived {
				s.fail(id, "nobody can move Issue %d: %+v", i, n.rows[i])
			}
		}
		for who := range 3 {
			holding := slices.ContainsFunc(n.rows, func(r issueRow) bool { return r.HolderLine == int64(who+1) })
			if holding && n.stands(who) == lives && !freed[who] {
				s.fail(id, "%s is stuck with its Issue", castName(who))
			}
		}
		s.worldly(id, n)
	}
}

// settle keeps the search's own account of what people took from whom.
func (s *search) settle(n, next *node, st step, before issueRow) {
	if st.who != person {
		return
	}
	from := before.HolderLine
	if from == 0 && (st.ev == Release || st.ev == Cancel) {
		from = before.LastLine
	}
	switch st.ev {
	case Resume:
		next.owed[st.n] = [2]bool{}
	case Archive, Unarchive, Hold, Unhold:
	default:
		if from != 0 {
			next.owed[st.n][rootOf(int(from-1))] = true
		}
	}
}

// worldly adds what hosts and the clock can do.
func (s *search) worldly(id int, n *node) {
	put := func(how string, change func(*node)) {
		next := n.copy()
		change(next)
		s.add(next, id, how)
	}
	for who := range 3 {
		if n.stands(who) == lives {
			put("the run of "+castName(who)+" ends", func(x *node) { x.lines[who] = standing(rests) })
		}
		if n.stands(who) == rests {
			put("time passes for "+castName(who), func(x *node) { x.lines[who] = standing(lapses) })
		}
		put("a notification for "+castName(who), func(x *node) { x.lines[who] = standing(lives) })
		if who == sub {
			continue
		}
		put("a prompt for "+castName(who), func(x *node) {
			x.lines[who] = standing(lives)
			for i := range x.rows {
				x.away[i][who], x.owed[i][who] = unspoken, false
			}
		})
		put("the session of "+castName(who)+" ends", func(x *node) {
			x.lines[who] = standing(leaves)
			if who == ann {
				x.lines[sub] = standing(leaves)
			}
		})
	}
}

// invariants hold in every situation.
func (s *search) invariants(id int, n *node) {
	holders := map[int64]bool{}
	for _, r := range n.rows {
		if r.HolderLine == 0 {
			continue
		}
		switch {
		case r.State != InProgress:
			s.fail(id, "an Issue in %s is held", r.State)
		case holders[r.HolderLine]:
			s.fail(id, "line %d holds two Issues", r.HolderLine)
		case r.LastLine != r.HolderLine:
			s.fail(id, "the holder is not the last line")
		}
		holders[r.HolderLine] = true
	}
}

// allowed says what no successful move may do.
func (s *search) allowed(id int, n *node, st step, before, after issueRow) {
	if st.who == person {
		return
	}
	s.load(n)
	own := before.HolderLine == int64(st.who+1)
	rootAsks := st.ev == RequestClosure && st.who == ann && before.HolderLine == sub+1
	switch {
	case n.owed[st.n][rootOf(st.who)]:
		s.fail(id, "%s undoes what a person took from its session", describe(st))
	case before.Archived || before.PausedByPerson || !isOpen(before.State):
		s.fail(id, "%s undoes a person's decision: %+v", describe(st), before)
	case after.Archived != before.Archived || after.Hold != before.Hold:
		s.fail(id, "%s touches a person's flag", describe(st))
	case s.sim.claim(before) == Active && !own && !rootAsks:
		s.fail(id, "%s takes the Issue from a live run", describe(st))
	case !isOpen(after.State):
		s.fail(id, "%s ends an Issue", describe(st))
	}
}

// refused: whoever holds nothing gets what is free, unless a person sent it away.
func (s *search) refused(id int, n *node, st step, a answer) {
	if st.who == person || st.ev != BeginWork || a.repeat || n.stands(st.who) != lives {
		return
	}
	s.load(n)
	r := n.rows[st.n]
	empty := !slices.ContainsFunc(n.rows, func(x issueRow) bool { return x.HolderLine == int64(st.who+1) })
	if empty && ready(r, s.sim.claim(r)) && a.code != fault.ByPerson {
		s.fail(id, "%s is refused with %s, and the Issue is ready", describe(st), a.code)
	}
	if a.code == fault.ByPerson && !r.PausedByPerson && !n.owed[st.n][rootOf(st.who)] {
		s.fail(id, "%s is refused, and no person took the Issue", describe(st))
	}
}

// everyoneEnds checks that from every situation some way leads to all Issues done.
func (s *search) everyoneEnds() {
	reach := make([]bool, len(s.nodes))
	var todo []int
	for id, n := range s.nodes {
		if !slices.ContainsFunc(n.rows, func(r issueRow) bool { return r.State != Done }) {
			reach[id] = true
			todo = append(todo, id)
		}
	}
	for len(todo) > 0 {
		id := todo[0]
		todo = todo[1:]
		for _, p := range s.back[id] {
			if !reach[p] {
				reach[p] = true
				todo = append(todo, p)
			}
		}
	}
	for id, ok := range reach {
		if !ok {
			s.fail(id, "no way leads from here to the end")
		}
	}
}

func TestSearchOfOneIssueFindsNoTrap(t *testing.T) {
	s := &search{t: t}
	s.run(1, math.MaxInt)
	s.everyoneEnds()
	t.Logf("%d situations, all of them", len(s.nodes))
}

// Two Issues have too many situations to see them all; the nearest ones show what a line that holds one may do to another.
func TestSearchOfTwoIssuesFindsNoTrap(t *testing.T) {
	const most = 4000
	s := &search{t: t}
	s.run(2, most)
	t.Logf("the first %d situations and their %d neighbours", most, len(s.nodes)-most)
}
