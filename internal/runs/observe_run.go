package runs

import (
	"context"

	"board/internal/store"
)

// Say is what a host is told in answer to an observation.
type Say int

// The answers.
const (
	Nothing       Say = iota
	Brief             // the first line, and what changed
	Rules             // the first line and the rules of a root
	SubagentRules     // the first line and the rules of a subagent
	Reminder          // the Stop probe
)

// Result says what an observation did.
type Result struct {
	Disposition Disposition
	Why         Why
	Run         Run // zero if it belongs to none
	Line        Line
	Root        Line // the root line of the session; Line itself for a root
	Say         Say
	Config      Config // in force for the run
	Held        int64  // the Issue that the root line holds, 0 for none
	New         bool   // nothing of the line was stored before
	Resumed     int64  // the stretch that ended before the one that this opened, 0 if it opened none or the first
	Text        string // what the Speaker made of it
}

// Speaker makes the text that a host is told. It is called inside the transaction, and may change res.Root.Told.
type Speaker func(ctx context.Context, tx *store.Tx, res *Result) (string, error)

// observer is one observation on its way through a transaction. What changes is collected and stored at the end, each
// row once.
type observer struct {
	tx     *store.Tx
	o      Observation
	c      Config
	direct bool
	speak  Speaker
	s      situation

	root, rootWas   Line
	agent, agentWas Line  // the line of a subagent
	line            *Line // root or agent
	opened          bool  // v.s.stretch is new
	counts          bool  // the turn is a counted one
	scaffold        bool  // part of the answer to the reminder
	asked           [16]byte
	needed          need // what v.s holds
}

// Observe stores one observation and does to the runs what it means. It is a no-op for one that was stored before.
// speak may be nil.
func Observe(ctx context.Context, tx *store.Tx, o Observation, speak Speaker) (Result, error) {
	if o.ReceivedAt == 0 {
		o.ReceivedAt = tx.Now
	}
	v := &observer{tx: tx, o: o, direct: !o.Spooled, speak: speak}
	if err := v.look(ctx, o.needs()); err != nil {
		return Result{}, err
	}
	var r Result
	var err error
	switch {
	case v.root.ID == 0 && v.nowhere():
		r = Result{Disposition: OutOfScope, Why: NoProject}
	case o.Kind.sessionLevel():
		r, err = v.session(ctx)
	default:
		r, err = v.run(ctx)
	}
	if err != nil {
		return Result{}, err
	}
	if age := tx.Now - v.s.seenAt; age >= seenEvery || age < 0 {
		if err := CountEvent(ctx, tx, o.Key.Host, o.Name); err != nil {
			return Result{}, err
		}
	}
	switch d := r.Disposition; {
	case d == Duplicate, d == Conflicting, d == OutOfScope, d == Unattributed, d == Scaffold && o.Kind == OnEdit:
		err = CountEvent(ctx, tx, o.Key.Host, d.String())
	case r.Why == MarkerUnresolved:
		err = CountEvent(ctx, tx, o.Key.Host, r.Why.String())
	}
	return r, err
}

// nowhere reports whether nothing of the observation lies in a registered project.
func (v *observer) nowhere() bool {
	return v.o.ProjectID == 0 && len(v.o.Edits) == 0 && !v.o.Homeless
}

// registers reports whether the observation creates a run of an unseen key. On Cursor the tools of a subagent look like
// those of a conversation that nobody began: only one that is known to be none, and names no turns, begins with work.
func (v *observer) registers() bool {
	if v.o.Empty {
		return false
	}
	if v.o.Key.Host == Cursor && v.o.Kind != OnPrompt {
		return v.o.Kind.Registers() && v.o.Key.Turn == "" && v.root.Rooted
	}
	return v.o.Kind.Registers()
}

// seenEvery is how exactly it is known when an event of a host was seen last.
const seenEvery = 60_000

// look reads the situation and sets the lines up.
func (v *observer) look(ctx context.Context, needed need) (err error) {
	v.asked = v.o.eventID(0)
	v.needed = needed
	if v.s, err = look(ctx, v.tx, v.o, v.asked, needed); err != nil {
		return err
	}
	v.c = v.s.config
	v.root, v.rootWas = v.s.root, v.s.root
	v.line = &v.root
	if v.o.Key.Agent == "" {
		return nil
	}
	v.line = &v.agent
	v.agent = Line{Host: v.o.Key.Host, Session: v.o.Key.Session, Agent: v.o.Key.Agent, RulesDue: true}
	if v.root.ID != 0 {
		l, ok, err := findLine(ctx, v.tx, v.o.Key.Host, v.o.Key.Session, v.o.Key.Agent)
		if err != nil {
			return err
		}
		if ok {
			v.agent = l
		}
	}
	v.agentWas = v.agent
	return nil
}

// lookAgain reads what the observation was not expected to need.
func (v *observer) lookAgain(ctx context.Context) error {
	if v.needed == needAll {
		return nil
	}
	return v.look(ctx, needAll)
}

// identify gives new lines their ids, once it is certain that something will be stored.
func (v *observer) identify(ctx context.Context) error {
	if v.line.ID != 0 {
		return nil
	}
	if err := v.lookAgain(ctx); err != nil {
		return err
	}
	next := v.s.newestLine + 1
	if v.root.ID == 0 {
		v.root.ID = next
		v.s.stretch.LineID = next
		next++
	}
	if v.o.Key.Agent != "" && v.agent.ID == 0 {
		v.agent.ID = next
	}
	return nil
}

// storeLines stores the lines and the stretch.
func (v *observer) storeLines(ctx context.Context) error {
	for _, l := range []struct {
		was Line
		now *Line
	}{{v.rootWas, &v.root}, {v.agentWas, &v.agent}} {
		var err error
		switch {
		case l.now.ID == 0:
		case l.was.ID == 0:
			err = insertLine(ctx, v.tx, l.now)
		default:
			err = saveLine(ctx, v.tx, l.was, l.now)
		}
		if err != nil {
			return err
		}
	}
	if !v.opened {
		return nil
	}
	return v.s.stretch.insert(ctx, v.tx)
}

// run handles an observation that carries a run key.
func (v *observer) run(ctx context.Context) (Result, error) {
	r, found, named, err := v.find(ctx)
	if err != nil {
		return Result{}, err
	}
	if !found && v.o.Kind.Registers() && v.nowhere() {
		return Result{Disposition: OutOfScope, Why: NoProject}, nil
	}
	if v.o.Kind.Registers() && (!found || r.lapsed(v.o.ReceivedAt) || v.direct && !r.Direct) {
		if err := v.lookAgain(ctx); err != nil {
			return Result{}, err
		}
	}
	if r.ProjectID != 0 && r.ProjectID != v.o.ProjectID {
		if v.c, err = Settings(ctx, v.tx, v.o.Key.Host, r.ProjectID); err != nil {
			return Result{}, err
		}
	}
	known := v.line.ID != 0
	if err := v.identify(ctx); err != nil {
		return Result{}, err
	}
	res := Result{Disposition: Applied, Run: r, Line: *v.line, Root: v.root}
	id := v.o.eventID(r.ordinal(v.o.Kind))
	if done, d, why, err := v.seen(ctx, id, known); err != nil || done {
		res.Disposition, res.Why = d, why
		return res, err
	}
	if !found && !v.registers() {
		res.Disposition, res.Why = Unattributed, UnknownKey
		if !named {
			res.Why = NoTurnID
		}
		v.line.Awaits = v.line.Awaits || waits(v.o, res.Disposition, res.Why)
		if err := v.stopLost(ctx, named); err != nil {
			return res, err
		}
		if err := v.storeLines(ctx); err != nil {
			return res, err
		}
		return res, insertEvent(ctx, v.tx, v.o, event{id: id, line: v.line.ID, d: res.Disposition, why: res.Why})
	}
	if !found {
		r, err = v.register(ctx)
	} else {
		r, err = v.meet(ctx, r)
	}
	if err != nil {
		return res, err
	}
	if err := v.stopFound(ctx); err != nil {
		return res, err
	}
	before := r
	if res.Disposition, res.Why, res.Say, err = v.apply(ctx, &r); err != nil {
		return res, err
	}
	r.count(v.o)
	r.last(v.o.Kind, v.o.Asks, v.o.ReceivedAt, v.heard(before))
	e := event{id: id, line: v.line.ID, run: r.ID, n: r.NEvents, then: r.State, d: res.Disposition, why: res.Why}
	if found {
		e.before = before.State
	}
	if known && (!found || v.scaffold && v.o.Kind == OnPrompt) {
		if err := v.adopt(ctx, &r); err != nil {
			return res, err
		}
	}
	if r.Kind == Subagent {
		if err := v.renewRoots(ctx); err != nil {
			return res, err
		}
	}
	res.Run, res.Line, res.Root = r, *v.line, v.root
	if err := v.say(ctx, &res); err != nil {
		return res, err
	}
	if err := v.storeLines(ctx); err != nil {
		return res, err
	}
	if err := v.storeRun(ctx, &r, before, found); err != nil {
		return res, err
	}
	res.Run = r
	return res, insertEvent(ctx, v.tx, v.o, e)
}

// heard is when the last event of a run came, to one that may be older than that. What is delivered now is the last one,
// also where the clock stepped back.
func (v *observer) heard(r Run) int64 {
	if v.direct {
		return 0
	}
	return r.LastSeenAt
}

// say asks for the text, if there is anything to say.
func (v *observer) say(ctx context.Context, res *Result) (err error) {
	if res.Say == Nothing || v.speak == nil {
		return nil
	}
	res.Config, res.Held = v.c, v.s.held
	res.New = v.line == &v.root && v.rootWas.ID == 0
	if v.opened {
		res.Resumed = v.s.stretch.N - 1
	}
	res.Text, err = v.speak(ctx, v.tx, res)
	v.root.Told = res.Root.Told
	return err
}

// register makes the run of the observation's key. It is stored with everything else.
func (v *observer) register(ctx context.Context) (Run, error) {
	if v.o.Whereabouts != nil {
		v.o.Whereabouts(&v.o)
	}
	r := Run{
		LineID: v.line.ID, Host: v.line.Host, Session: v.line.Session, Agent: v.line.Agent,
		Turn: v.o.Key.Turn, ProjectID: v.o.ProjectID, Kind: Root, Origin: User, Revision: 1, Version: 1, AgentType: v.o.AgentType,
		HostProcess: v.o.Process, HostVersion: v.o.Version, PermissionMode: v.o.PermissionMode, Attended: !v.o.Unattended,
		Direct: v.direct, LateStart: v.o.lateStart(), StartedAt: v.o.ReceivedAt,
		Person: v.tx.Person, Machine: v.tx.Machine, IssueID: v.s.held,
		ExecutionHost: v.o.ExecutionHost, ExecutionBasis: v.o.ExecutionBasis, HostProof: v.o.Proof,
		Worktree: v.o.Worktree, Branch: v.o.Branch, HeadStart: v.o.Head,
	}
	if r.ExecutionHost == Nowhere && v.root.Remote { // as its host said then
		r.ExecutionHost, r.ExecutionBasis = Cloud, "session_start"
	} else if r.ExecutionHost == Nowhere && v.root.Local {
		r.ExecutionHost, r.ExecutionBasis = Desktop, "session_start"
	}
	r.ID = v.s.newestRun + 1
	var err error
	if r.Handle, err = newHandle(r.ID); err != nil {
		return Run{}, err
	}
	if v.line == &v.agent {
		r.Kind = Subagent
		if r.IssueID, err = heldIssue(ctx, v.tx, v.agent.ID); err != nil {
			return Run{}, err
		}
	}
	if r.State, err = Machine().Fire(ctx, "", Start, Facts{Run: r, Now: v.tx.Now}); err != nil {
		return Run{}, err
	}
	// A subagent opens a stretch only where there is none: its root's prompt must have been missed.
	if r.Stretch, err = v.openStretch(ctx, v.direct && r.Kind == Root); err != nil {
		return Run{}, err
	}
	r.renew(v.o.ReceivedAt, v.direct, v.c)
	v.line.LastRun = r.ID
	v.enter(r)
	return r, scope(ctx, v.tx, r, r.ProjectID)
}

// meet writes down the end of a run that the clock ended since its last event. What a spooled event is about was alive when
// it happened, if its lease says so.
func (v *observer) meet(ctx context.Context, r Run) (Run, error) {
	f := Facts{Now: v.tx.Now}
	if !v.direct {
		f.Now, f.Heard = v.o.ReceivedAt, true
	}
	if !r.lapsed(f.Now) {
		return r, nil
	}
	return transition(ctx, v.tx, r, Expire, f, "", "clock")
}

// storeRun stores the run and, where its state or outcome changed, a history row.
func (v *observer) storeRun(ctx context.Context, r *Run, before Run, found bool) error {
	if !found {
		return insertRun(ctx, v.tx, r) // its event says that it began
	}
	if err := saveRun(ctx, v.tx, before, r); err != nil {
		return err
	}
	if r.State == before.State && r.Outcome != before.Outcome { // the row of the event says only what became of the state
		record(v.tx, *r, v.o.Kind.String(), string(before.State), "host")
	}
	return nil
}
