package issues

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"board/internal/fault"
)

// chooser makes the decisions of a walk: rapid, which shrinks them, or a plain source of numbers.
type chooser interface {
	pick(what string, n int) int
	Logf(format string, args ...any)
}

type drawn struct{ *rapid.T }

func (d drawn) pick(what string, n int) int { return rapid.IntRange(0, n-1).Draw(d.T, what) }

// view is what is compared after every step.
type view struct {
	State          State
	Archived, Hold bool
	Changes        bool
	Rev, Fence     int64
	Holder, Last   int
	Pause          PauseReason
	ByPerson       bool
	Claim          ClaimState
	Ready          bool
	Closure        bool
}

func (m *model) view(n int) view {
	i := &m.issues[n]
	return view{
		State: i.state, Archived: i.archived, Hold: i.hold, Changes: i.changes, Rev: i.rev, Fence: i.fence, Holder: i.holder, Last: i.last,
		Pause: i.pause, ByPerson: i.byPerson, Claim: m.claim(i), Ready: m.ready(i), Closure: i.closure,
	}
}

// subject is what the model is compared with.
type subject interface {
	world(event string, who int, d time.Duration)
	call(s step) (answer, error)
	views() []view
}

// walkers of the world, with how often each is tried.
var worldEvents = []string{"prompt", "prompt", "prompt", "host prompt", "end", "start sub", "start sub", "end session", "edit", "edit", "minute", "minute", "fifty minutes", "five hours", "switch"}

// The events that each kind of caller tries, with how often. Now and then one tries what is not its to do.
func tries(who int, strange bool) []Event {
	agent := []Event{BeginWork, BeginWork, BeginWork, Resume, Pause, Unclaim, RequestClosure, RequestClosure, RequestClosure, Edit}
	people := []Event{
		Release, Approve, Approve, RequestChanges, RequestChanges, Close, Reopen, Reopen, Reopen, Cancel, Archive, Unarchive,
		Unarchive, Hold, Unhold, Resume, Resume, Pause, Edit,
	}
	if (who == person) != strange {
		return people
	}
	return agent
}

// walk takes one step with the model and the subject, and says how they differ.
func walk(m *model, s subject, c chooser) error {
	if c.pick("kind", 10) < 3 {
		return walkWorld(m, s, c)
	}
	st := step{who: c.pick("who", 4), n: c.pick("issue", len(m.issues))}
	events := tries(st.who, c.pick("strange", 6) == 0)
	st.ev = events[c.pick("event", len(events))]
	switch c.pick("slip", 16) {
	case 0:
		st.staleRun = true
	case 1:
		st.noRun = true
	case 2:
		st.staleIss = true
	case 3:
		st.noIss = true
	case 4:
		st.mute = true
	case 5:
		st.mute = true
	case 6, 7:
		st.verdicts = []string{"missing", "unmet", "stray", "unchecked"}[c.pick("verdicts", 4)]
	}
	st.pause = []PauseReason{Handoff, Question, BlockedBy, ""}[c.pick("pause", 4)]
	st.force = c.pick("force", 2) == 1
	if st.ev == BeginWork && st.who != person && c.pick("any", 4) == 0 {
		st.n, st.staleIss = -1, false
	}
	want := m.call(st)
	got, err := s.call(st)
	c.Logf("%s → %+v", describe(st), want)
	if got != want {
		return fmt.Errorf("%s: got %+v (%v), the model says %+v", describe(st), got, err, want)
	}
	return differ(m, s, describe(st))
}

func describe(s step) string { return fmt.Sprintf("%s %s %+v", castName(s.who), s.ev, s) }

func walkWorld(m *model, s subject, c chooser) error {
	ev := worldEvents[c.pick("world", len(worldEvents))]
	who := c.pick("of", 3)
	d := time.Duration(0)
	switch ev {
	case "prompt", "host prompt":
		who %= 2
		m.prompt(who, ev == "prompt")
	case "end":
		if !m.live(who) {
			return nil
		}
		m.end(who)
	case "start sub":
		if !m.lines[ann].seen {
			return nil
		}
		m.startSub()
	case "end session":
		who %= 2
		if !m.lines[who].seen {
			return nil
		}
		m.endSession(who)
	case "edit":
		if !m.live(who) {
			return nil
		}
		m.edit(who)
	case "minute":
		d = time.Minute
	case "fifty minutes":
		d = 50 * time.Minute
	case "five hours":
		d = 5 * time.Hour
	case "switch":
		m.issues[0].blocked = !m.issues[0].blocked
	}
	c.Logf("%s of %s", ev, castName(who))
	m.now += d.Milliseconds()
	s.world(ev, who, d)
	return differ(m, s, ev)
}

func differ(m *model, s subject, after string) error {
	got := s.views()
	for n := range m.issues {
		if want := m.view(n); got[n] != want {
			return fmt.Errorf("after %s: Issue %d is %+v, the model says %+v", after, n, got[n], want)
		}
	}
	return nil
}

// onStage is the real thing: events through runs, calls through the Service, SQLite below.
type onStage struct {
	*stage
	keys   []string
	gate   string // blocks keys[0] while it is open
	closed bool
	edits  int
}

func newOnStage(t testing.TB, n int) *onStage {
	s := &onStage{stage: newStage(t)}
	for i := range n {
		s.keys = append(s.keys, s.create(fmt.Sprint("issue ", i), "one", "two"))
	}
	yes := true
	r, err := s.svc.Create(context.Background(), s.actor(person), CreateCmd{ProjectID: s.project, Title: "gate", Hold: &yes})
	s.must(err)
	s.gate = r.Issue.Key
	s.ok(person, Close, s.gate)
	s.closed = true
	s.must(s.svc.write(context.Background(), s.actor(person), func(ctx context.Context, c *call) error {
		return c.blockBy(ctx, s.row(s.keys[0]), []string{s.gate})
	}))
	return s
}

func (s *onStage) world(ev string, who int, d time.Duration) {
	switch ev {
	case "prompt", "host prompt":
		s.prompt(who, ev == "host prompt")
	case "end":
		s.end(who)
	case "start sub":
		s.startSub()
	case "end session":
		s.endSession(who)
	case "edit":
		s.edits++
		s.edit(who, "main.go")
	case "switch":
		if s.closed = !s.closed; s.closed {
			s.ok(person, Close, s.gate)
		} else {
			s.ok(person, Reopen, s.gate)
		}
	}
	s.clock.Add(d)
}

func (s *onStage) call(st step) (answer, error) {
	in := input{MoveCmd: MoveCmd{ProjectID: s.project, Reason: "because", PauseReason: st.pause, Force: st.force}}
	var now int64
	if st.n >= 0 {
		in.Key = s.keys[st.n]
		now = s.row(in.Key).Revision
	}
	if st.ev == RequestClosure {
		in.IssueRevision = now
		in.judgments = []Judgment{{N: 1, Verdict: Met, How: "looked"}, {N: 2, Verdict: NotApplicable, How: "read"}}
	}
	switch {
	case st.staleIss:
		in.IssueRevision = now + 7
	case st.noIss:
		in.IssueRevision = 0
	}
	switch rev := s.rev(st.who); {
	case st.noRun:
	case st.staleRun && st.who != person:
		in.RunRevision = rev + 7
	default:
		in.RunRevision = rev
	}
	if st.mute {
		in.Reason = " "
	}
	switch st.verdicts {
	case "missing":
		in.judgments = in.judgments[:min(1, len(in.judgments))]
	case "unmet":
		for i := range in.judgments {
			in.judgments[i].Verdict = Unmet
		}
	case "stray":
		in.judgments = append(in.judgments, Judgment{N: 9, Verdict: Met, How: "guessed"})
	case "unchecked":
		for i := range in.judgments {
			in.judgments[i].How = " "
		}
	}
	var r Result
	var err error
	if st.ev == Edit {
		s.edits++
		r, err = s.svc.Edit(context.Background(), s.actor(st.who), EditCmd{
			ProjectID: s.project, Key: in.Key, RunRevision: in.RunRevision, IssueRevision: in.IssueRevision, AddLabels: []string{"on"},
			RemoveLabels: s.labels(in.Key),
		})
	} else {
		r, err = s.svc.move(context.Background(), s.actor(st.who), st.ev, in)
	}
	if err != nil {
		brief(s.t, err)
		code := fault.CodeOf(err)
		if code == fault.RunUnknown && s.run[st.who].ID == 0 {
			code = fault.RunEnded // to the rules, a line that was never seen is one without a live run
		}
		return answer{code: code}, err
	}
	return answer{repeat: r.Repeat}, nil
}

// labels makes an edit of the label "on" a change every time.
func (s *onStage) labels(key string) []string {
	if slices.Contains(unlist(s.row(key).Labels), "on") {
		return []string{"on"}
	}
	return nil
}

func (s *onStage) views() []view {
	var out []view
	lines := map[int64]int{0: nobody}
	for who, r := range s.run {
		if r.LineID != 0 {
			lines[r.LineID] = who
		}
	}
	s.must(s.svc.read(context.Background(), func(ctx context.Context, c *call) error {
		out = nil
		var rows []issueRow
		err := c.bun.NewSelect().Conn(c.tx.Tx).Model(&rows).Where("i.number <= ?", len(s.keys)).Order("i.id").Scan(ctx)
		if err != nil {
			return err
		}
		all, err := c.assemble(ctx, rows, false)
		if err != nil {
			return err
		}
		for n, row := range rows {
			out = append(out, seen(row, all[n].Claim.State, all[n].Ready, lines))
		}
		return nil
	}))
	return out
}

func seen(r issueRow, claim ClaimState, ready bool, lines map[int64]int) view {
	return view{
		State: r.State, Archived: r.Archived, Hold: r.Hold, Changes: r.ChangesRequested, Rev: r.Revision, Fence: r.Fence,
		Holder: lines[r.HolderLine], Last: lines[r.LastLine], Pause: r.PauseReason, ByPerson: r.PausedByPerson, Claim: claim, Ready: ready,
		Closure: r.ClosureRun != 0,
	}
}

// TestServiceAgreesWithTheModel walks through the whole machine, claims and sessions included, on a real store.
func TestServiceAgreesWithTheModel(t *testing.T) {
	steps := 0
	rapid.Check(t, func(rt *rapid.T) {
		s := newOnStage(t, 3)
		m := newModel(s.db.Now(), 3)
		m.issues[0].rev = s.row(s.keys[0]).Revision
		n := rapid.IntRange(110, 170).Draw(rt, "steps")
		for range n {
			steps++
			if err := walk(m, s, drawn{rt}); err != nil {
				rt.Fatal(err)
			}
			for who := range s.run {
				if m.live(who) && s.rev(who) != m.lines[who].rev {
					rt.Fatalf("run of %s is at revision %d, the model says %d", castName(who), s.rev(who), m.lines[who].rev)
				}
			}
		}
		if err := s.db.Close(); err != nil {
			rt.Fatal(err)
		}
	})
	t.Logf("%d steps", steps)
	if steps < 10_000 && !t.Failed() && !testing.Short() {
		t.Errorf("only %d steps: run with more checks", steps)
	}
}
