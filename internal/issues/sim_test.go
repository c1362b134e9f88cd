package issues

import (
	"context"
	"slices"
	"time"

	"board/internal/fault"
	"board/internal/machine"
	"board/internal/runs"
)

// simulation is the table, the checks and what follows from them, without a store: fast enough to search all its states
// and to be broken on purpose. Lines are numbered from 1; their liveness is taken from the model's world.
type simulation struct {
	m     *model // the world: clock, runs, sessions
	table machine.Table[State, Event, facts]
	rows  []issueRow
	once  []([3]*claimRow) // by Issue, the newest claim of each line
	away  []([2]int)
	told  [][2]int64 // what the person was shown
}

func newSimulation(m *model, rs []rule) *simulation {
	s := &simulation{m: m, table: table(rs)}
	for n := range m.issues {
		s.rows = append(s.rows, issueRow{ID: int64(n + 1), Number: int64(n + 1), State: Todo, Revision: 1, EvidenceFinal: unfinished})
		s.once = append(s.once, [3]*claimRow{})
		s.away = append(s.away, [2]int{unspoken, unspoken})
		s.told = append(s.told, [2]int64{})
	}
	return s
}

func (s *simulation) world(string, int, time.Duration) {}

func (s *simulation) status(line int64) runs.Status {
	l := s.m.lines[line-1]
	return runs.Status{Live: s.m.live(int(line - 1)), LastEventAt: l.last, SessionEnded: l.gone}
}

func (s *simulation) claim(r issueRow) ClaimState {
	switch {
	case r.State != InProgress:
		return Unclaimed
	case r.HolderLine == 0:
		return Lapsed
	}
	return readClaim(s.m.now, s.status(r.HolderLine), mReserve)
}

func (s *simulation) held(line int64) int {
	return slices.IndexFunc(s.rows, func(r issueRow) bool { return r.HolderLine == line })
}

// pair is what an approval would rest on now.
func (s *simulation) pair(r issueRow) [2]int64 {
	if r.EvidenceFinal != unfinished || r.LastLine == 0 {
		return [2]int64{r.Revision, r.EvidenceFinal}
	}
	return [2]int64{r.Revision, s.m.lines[rootOf(int(r.LastLine-1))].edits}
}

// facts are what a transaction would have read.
func (s *simulation) facts(st step, n int) facts {
	if n < 2 && n == 0 {
		s.rows[0].OpenBlockers = 0
		if s.m.issues[0].blocked {
			s.rows[0].OpenBlockers = 1
		}
	}
	r := s.rows[n]
	f := facts{
		event: st.ev, now: s.m.now, key: FormatKey("PRE", r.Number), issue: r, person: st.who == person, name: castName(st.who),
		claim: s.claim(r), reason: "because", pause: st.pause, force: st.force,
	}
	if st.mute {
		f.reason = ""
	}
	if st.staleIss {
		f.issueRevision = r.Revision + 7
	}
	if f.person {
		if f.pause == "" {
			f.pause = Handoff
		}
		if st.ev == Resume && r.LastLine != 0 {
			h := s.held(r.LastLine)
			f.lastBusy, f.lastRun = h >= 0 && h != n, r.LastLine
		}
		if now := s.pair(r); st.ev == Approve && r.State == InReview && now != [2]int64{r.ClosureRevision, r.ClosureEvidence} && now != s.told[n] {
			f.changed = "something"
		}
		return f
	}
	line := int64(st.who + 1)
	f.line, f.run, f.root, f.runRevisionNow = line, line, st.who != sub, 1
	if !st.noRun {
		f.runRevision = 1
	}
	if st.staleRun {
		f.runRevision = 7
	}
	if st.ev == RequestClosure && !st.staleIss && !st.noIss {
		f.issueRevision = r.Revision
	}
	f.child = st.who == ann && r.HolderLine == sub+1
	f.rootHolds = st.who == sub && r.HolderLine == ann+1
	f.once = s.once[n][st.who]
	f.sentAway = s.away[n][rootOf(st.who)] == s.m.lines[rootOf(st.who)].prompts
	if h := s.held(line); h >= 0 && h != n {
		f.other = FormatKey("PRE", s.rows[h].Number)
	}
	f.evidence = s.m.lines[rootOf(st.who)].edits
	f.differs = st.verdicts
	switch st.verdicts {
	case "missing", "unchecked":
		f.unjudged = []int{2}
	case "unmet":
		f.unmet = []int{2}
	case "stray":
		f.stray = []int{9}
	}
	return f
}

func (s *simulation) call(st step) (answer, error) {
	if st.who != person && agentMove(st.ev) && !s.m.live(st.who) {
		return answer{code: fault.RunEnded}, nil
	}
	n := st.n
	if n < 0 {
		var c fault.Code
		if n, c = s.any(st); c != "" {
			return answer{code: c}, nil
		}
	}
	if !agentMove(st.ev) {
		st.staleRun, st.noRun, st.staleIss = false, false, st.staleIss && st.who == person // the gate is earlier
	}
	f := s.facts(st, n)
	if st.ev == Edit {
		err := f.precede(Edit)
		if err == nil && !f.entitled(Edit) {
			err = f.notHolder()
		}
		if err == nil {
			s.rows[n].Revision++
		}
		return answer{code: fault.CodeOf(err)}, err
	}
	ch, repeat, err := decide(context.Background(), s.table, f)
	if st.ev == Approve && fault.CodeOf(err) == fault.ReviewNeeded {
		s.told[n] = s.pair(s.rows[n])
	}
	if err != nil || repeat {
		return answer{code: fault.CodeOf(err), repeat: repeat}, err
	}
	s.store(n, f, ch)
	return answer{}, nil
}

// any is the Issue of a begin without a key.
func (s *simulation) any(st step) (int, fault.Code) {
	if h := s.held(int64(st.who + 1)); h >= 0 {
		return h, ""
	}
	f := s.facts(st, 0)
	f.once = nil
	if err := f.precede(BeginWork); err != nil {
		return 0, fault.CodeOf(err)
	}
	var found []issueRow
	for n, r := range s.rows {
		if ready(r, s.claim(r)) && s.away[n][rootOf(st.who)] != s.m.lines[rootOf(st.who)].prompts {
			found = append(found, r)
		}
	}
	if len(found) == 0 {
		return 0, fault.NothingReady
	}
	slices.SortFunc(found, byReadiness)
	return int(found[0].ID - 1), ""
}

func (s *simulation) store(n int, f facts, ch change) {
	s.rows[n] = ch.row
	if ch.claimEnds {
		s.once[n][f.issue.HolderLine-1] = &claimRow{Until: s.m.now, EndedBy: f.name, EndedAs: string(f.event)}
	}
	if ch.lift {
		s.away[n] = [2]int{unspoken, unspoken}
	}
	if ch.sendAway {
		root := rootOf(int(ch.displaced - 1))
		s.away[n][root] = s.m.lines[root].prompts
	}
	if ch.row.RequestedAt == 0 {
		s.told[n] = [2]int64{}
	}
	if ch.begins {
		root := rootOf(int(ch.row.HolderLine - 1))
		for k := range s.rows {
			if r := &s.rows[k]; k != n && r.State == InReview && r.LastLine == int64(root+1) && r.EvidenceFinal == unfinished {
				r.EvidenceFinal = s.m.lines[root].edits
			}
		}
		s.once[n][ch.row.HolderLine-1] = &claimRow{}
	}
}

func (s *simulation) views() []view {
	lines := map[int64]int{0: nobody, 1: ann, 2: bob, 3: sub}
	var out []view
	for n := range s.rows {
		r := s.rows[n]
		if n == 0 && s.m.issues[0].blocked {
			r.OpenBlockers = 1
		} else {
			r.OpenBlockers = 0
		}
		out = append(out, seen(r, s.claim(r), ready(r, s.claim(r)), lines))
	}
	return out
}
