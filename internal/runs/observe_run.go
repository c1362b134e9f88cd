package runs

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"strings"

	"board/internal/machine"
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
}

// observer is one observation on its way through a transaction.
type observer struct {
	tx     *store.Tx
	o      Observation
	c      Config
	direct bool
	root   Line
	line   Line
	known  bool // the root line existed before
}

// Observe stores one observation and does to the runs what it means. It is a no-op for one that was stored before.
func Observe(ctx context.Context, tx *store.Tx, o Observation) (Result, error) {
	v := observer{tx: tx, o: o, direct: !o.Spooled}
	if v.o.ReceivedAt == 0 {
		v.o.ReceivedAt = tx.Now
	}
	var err error
	if v.root, v.known, err = findLine(ctx, tx, o.Key.Host, o.Key.Session, ""); err != nil {
		return Result{}, err
	}
	var r Result
	if !v.known && o.ProjectID == 0 && len(o.Edits) == 0 {
		r = Result{Disposition: OutOfScope, Why: NoProject}
	} else if o.Kind.sessionLevel() {
		r, err = v.session(ctx)
	} else {
		r, err = v.run(ctx)
	}
	if err != nil {
		return Result{}, err
	}
	if err := CountEvent(ctx, tx, o.Key.Host, o.Name); err != nil {
		return Result{}, err
	}
	switch r.Disposition {
	case Duplicate, Conflicting, OutOfScope, Unattributed:
		err = CountEvent(ctx, tx, o.Key.Host, r.Disposition.String())
	}
	return r, err
}

// lines makes the lines of the observation, once it is certain that it will be stored.
func (v *observer) lines(ctx context.Context) (err error) {
	if v.root.ID == 0 {
		if v.root, err = ensureLine(ctx, v.tx, v.o.Key.Host, v.o.Key.Session, ""); err != nil {
			return err
		}
	}
	v.line = v.root
	if v.o.Key.Agent != "" {
		v.line, err = ensureLine(ctx, v.tx, v.o.Key.Host, v.o.Key.Session, v.o.Key.Agent)
	}
	return err
}

// run handles an observation that carries a run key.
func (v *observer) run(ctx context.Context) (Result, error) {
	ok, err := v.countedTurn(ctx)
	if err != nil {
		return Result{}, err
	}
	var r Run
	found := false
	if l, has, err := findLine(ctx, v.tx, v.o.Key.Host, v.o.Key.Session, v.o.Key.Agent); err != nil {
		return Result{}, err
	} else if has {
		if r, found, err = runByKey(ctx, v.tx, l.ID, v.o.Key.Turn); err != nil {
			return Result{}, err
		}
	}
	if !found && v.o.Kind.Registers() && v.o.ProjectID == 0 && len(v.o.Edits) == 0 {
		return Result{Disposition: OutOfScope, Why: NoProject}, nil
	}
	if err := v.lines(ctx); err != nil {
		return Result{}, err
	}
	project := v.o.ProjectID
	if r.ProjectID != 0 {
		project = r.ProjectID
	}
	if v.c, err = Settings(ctx, v.tx, v.o.Key.Host, project); err != nil {
		return Result{}, err
	}
	res := Result{Disposition: Applied, Run: r, Line: v.line, Root: v.root}
	id := v.o.eventID(r.ordinal(v.o.Kind))
	if done, d, why, err := v.seen(ctx, id); err != nil || done {
		res.Disposition, res.Why = d, why
		return res, err
	}
	if !found && !v.o.Kind.Registers() {
		res.Disposition, res.Why = Unattributed, UnknownKey
		if !ok {
			res.Why = NoTurnID
		}
		return res, insertEvent(ctx, v.tx, v.line.ID, 0, id, v.o, res.Disposition, res.Why)
	}
	if !found {
		if r, err = v.register(ctx); err != nil {
			return res, err
		}
	}
	before := r
	if r, err = v.meet(ctx, r); err != nil {
		return res, err
	}
	if res.Disposition, res.Why, res.Say, err = v.apply(ctx, &r); err != nil {
		return res, err
	}
	r.count(v.o)
	if !found {
		if err := v.adopt(ctx, &r); err != nil {
			return res, err
		}
	}
	if err := v.save(ctx, &r, before, found); err != nil {
		return res, err
	}
	if err := insertEvent(ctx, v.tx, v.line.ID, r.ID, id, v.o, res.Disposition, res.Why); err != nil {
		return res, err
	}
	if r.Kind == Subagent {
		if err := v.renewRoots(ctx); err != nil {
			return res, err
		}
	}
	res.Run, res.Line, res.Root = r, v.line, v.root
	return res, nil
}

// seen reports whether the id was stored before.
func (v *observer) seen(ctx context.Context, id [16]byte) (bool, Disposition, Why, error) {
	content, ok, err := stored(ctx, v.tx, v.line.ID, id)
	if err != nil || !ok {
		return false, 0, NoReason, err
	}
	if c := v.o.content(); v.o.GivenID != "" && string(content) != string(c[:]) {
		return true, Conflicting, OtherBody, nil
	}
	return true, Duplicate, SameID, nil
}

// countedTurn gives a root's event without a turn id the key of a counted turn: a host version that sends none still
// gets runs, without correlation. A prompt opens the next one, unless nothing was seen since the last prompt: then it
// is its double. It answers false if there is no turn that the event could belong to.
func (v *observer) countedTurn(ctx context.Context) (bool, error) {
	if v.o.RawTurn != "" || v.o.Key.Turn != "" || v.o.Key.Agent != "" {
		return true, nil
	}
	newest, ok, err := oneRun(ctx, v.tx, `WHERE r.id = ? AND substr(r.turn_key, 1, 1) = ?`, v.root.LastRun, counted)
	if err != nil {
		return false, err
	}
	n := int64(0)
	if ok {
		n = newest.countedN()
	}
	switch {
	case v.o.Kind == OnPrompt && (!ok || newest.NEvents != 1), v.o.Kind.Registers() && !ok:
		v.o.Key.Turn = countedKey(n + 1)
	case ok:
		v.o.Key.Turn = newest.Turn
	default:
		return false, nil
	}
	v.o.RawTurn = v.o.Key.Turn
	return true, nil
}

// register creates the run of the observation's key.
func (v *observer) register(ctx context.Context) (Run, error) {
	handle, err := newHandle()
	if err != nil {
		return Run{}, err
	}
	r := Run{
		Handle: handle, LineID: v.line.ID, Host: v.line.Host, Session: v.line.Session, Agent: v.line.Agent, Turn: v.o.Key.Turn,
		ProjectID: v.o.ProjectID, Kind: Root, Origin: User, Revision: 1, Version: 1, AgentType: v.o.AgentType,
		HostProcess: v.o.Process, HostVersion: v.o.Version, PermissionMode: v.o.PermissionMode, Attended: !v.o.Unattended,
		Direct: v.direct, LateStart: v.o.Kind == OnTool || v.o.Kind == OnEdit, StartedAt: v.o.ReceivedAt,
		Person: v.tx.Person, Machine: v.tx.Machine,
	}
	if v.line.Agent != "" {
		r.Kind = Subagent
	}
	if r.State, err = Machine().Fire(ctx, "", Start, Facts{Run: r, Now: v.tx.Now}); err != nil {
		return Run{}, err
	}
	if r.IssueID, err = heldIssue(ctx, v.tx, v.line.ID); err != nil {
		return Run{}, err
	}
	// A subagent opens a stretch only where there is none: its root's prompt must have been missed.
	if r.Stretch, err = openStretch(ctx, v.tx, v.root, v.direct && r.Kind == Root, v.c); err != nil {
		return Run{}, err
	}
	r.renew(v.o.ReceivedAt, v.direct, v.c)
	if err := insertRun(ctx, v.tx, &r); err != nil {
		return Run{}, err
	}
	v.line.LastRun = r.ID
	if r.Kind == Root {
		v.root.LastRun = r.ID
	}
	return r, SaveLine(ctx, v.tx, v.line)
}

// meet writes down the end of a run that the clock ended since its last event.
func (v *observer) meet(ctx context.Context, r Run) (Run, error) {
	at := v.tx.Now
	if !v.direct {
		at = v.o.ReceivedAt // it was alive when the event happened, if its lease says so
	}
	if r.At(at).State == r.State {
		return r, nil
	}
	return transition(ctx, v.tx, r, Expire, Facts{Now: at}, "", "clock")
}

// adopt applies the events that came before the run was registered. They never probe.
func (v *observer) adopt(ctx context.Context, r *Run) error {
	early, err := waitingEvents(ctx, v.tx, v.line.ID, r.Turn)
	if err != nil {
		return err
	}
	for _, w := range early {
		a := observer{tx: v.tx, o: w.O, c: v.c, direct: false, root: v.root, line: v.line}
		a.o.Spooled = true
		if _, _, _, err := a.apply(ctx, r); err != nil {
			return err
		}
		r.count(a.o)
		v.root = a.root
		if err := markAdopted(ctx, v.tx, v.line.ID, w.Seq, r.ID); err != nil {
			return err
		}
	}
	return nil
}

// save writes the run and, where its state or outcome changed, a history row.
func (v *observer) save(ctx context.Context, r *Run, before Run, found bool) error {
	if err := saveRun(ctx, v.tx, r); err != nil {
		return err
	}
	from := string(before.State)
	event := string(v.o.Kind.String())
	if !found {
		from, event = "", string(Start)
	} else if r.State == before.State && r.Outcome == before.Outcome {
		return nil
	}
	return record(ctx, v.tx, *r, event, from, "host")
}

func record(ctx context.Context, tx *store.Tx, r Run, event, from, actor string) error {
	detail := map[string]string{}
	if r.State == Ended {
		detail["outcome"], detail["basis"], detail["reason"] = string(r.Outcome), string(r.Basis), r.Reason
	}
	return tx.Append(ctx, store.Entry{
		Entity: "run", EntityID: r.ID, ProjectID: r.ProjectID, Event: event, From: from, To: string(r.State), Revision: r.Revision,
		Actor: actor, RunID: r.ID, Detail: detail,
	})
}

// step asks the machine for the first of the events that it allows, and changes r accordingly. It answers false if it
// allows none. Nothing is stored.
func step(ctx context.Context, r *Run, f Facts, at int64, reason string, events ...Event) (Event, bool, error) {
	f.Run = *r
	for _, ev := range events {
		to, err := Machine().Fire(ctx, r.State, ev, f)
		var refused *machine.RefusedError
		var guard *machine.GuardError
		switch {
		case errors.As(err, &refused), errors.As(err, &guard):
			continue
		case err != nil:
			return "", false, err
		}
		switch {
		case to == Ended:
			*r = r.end(at, reason)
		case r.State == Ended:
			r.State, r.EndedAt, r.Reason = to, 0, ""
			*r = r.judge()
		default:
			r.State = to
		}
		return ev, true, nil
	}
	return "", false, nil
}

// transition is step for a run that is not the observation's own: it stores the run and a history row at once.
func transition(ctx context.Context, tx *store.Tx, r Run, ev Event, f Facts, reason, actor string) (Run, error) {
	from := r.State
	at := f.Now
	if ev == Expire {
		if e := r.At(f.Now); reason == "" {
			reason, at = e.Reason, e.EndedAt
		}
	}
	_, ok, err := step(ctx, &r, f, at, reason, ev)
	if err != nil || !ok {
		return r, err
	}
	if err := saveRun(ctx, tx, &r); err != nil {
		return r, err
	}
	return r, record(ctx, tx, r, string(ev), string(from), actor)
}

func newHandle() (string, error) {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	return "run_" + hex.EncodeToString(b[:]), nil
}

// ordinal is the number of stored events of the run of other kinds, for kinds that can come twice with the same ids.
func (r Run) ordinal(k ObservationKind) int64 {
	switch k {
	case OnStop, OnSubagentStop:
		return r.NEvents - r.NStop
	case OnSubagentStart:
		return r.NEvents - r.NStart
	case OnNotice:
		return r.NEvents - r.NNotice
	}
	return 0
}

func (r *Run) count(o Observation) {
	r.NEvents++
	switch o.Kind {
	case OnStop, OnSubagentStop:
		r.NStop++
	case OnSubagentStart:
		r.NStart++
	case OnNotice:
		r.NNotice++
	case OnTool, OnEdit:
		r.Tools++
	}
}

// counted marks the turn keys of counted turns.
const counted = "#"

func countedKey(n int64) string { return counted + itoa(n) }

func (r Run) countedN() int64 {
	var n int64
	for _, d := range strings.TrimPrefix(r.Turn, counted) {
		n = n*10 + int64(d-'0')
	}
	return n
}
