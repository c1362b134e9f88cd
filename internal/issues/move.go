package issues

import (
	"context"
	"errors"
	"strings"

	"board/internal/fault"
	"board/internal/runs"
)

// facts reads what decides a move of the caller on an Issue.
func (c *call) facts(ctx context.Context, row issueRow, ev Event) (facts, error) {
	f := facts{
		event: ev, now: c.tx.Now, key: c.keyOf(row), issue: row,
		person: !c.actor.Agent, name: c.name(), line: c.caller.Line.ID, run: c.caller.Run.ID,
		root: c.declared() && c.caller.Line.Root(), proven: c.caller.Proven, runRevisionNow: c.caller.Named.Revision,
	}
	st, err := runs.StatusOf(ctx, c.tx, c.tx.Now, row.HolderLine, row.LastLine)
	if err != nil {
		return f, err
	}
	if f.claim, err = c.reading(ctx, row, st); err != nil {
		return f, err
	}
	if h, ok := st[row.HolderLine]; ok {
		f.holder = who(h)
		root, err := runs.RootOf(ctx, c.tx, h.Line)
		if err != nil {
			return f, err
		}
		f.child = f.root && !h.Line.Root() && root.ID == f.line
	}
	f.rootHolds = f.line != 0 && !f.root && row.HolderLine != 0 && row.HolderLine == c.caller.Root.ID
	if err := c.own(ctx, &f); err != nil {
		return f, err
	}
	if row.OpenBlockers > 0 {
		links, err := c.blockersOf(ctx, c.tx, row.ID)
		if err != nil {
			return f, err
		}
		f.blockers = quote(strings.Join(openKeys(links), ", "))
	}
	if f.person && ev == Resume {
		f.lastRun = st[row.LastLine].Run.ID
		busy, ok, err := c.heldBy(ctx, c.tx, row.LastLine)
		if err != nil {
			return f, err
		}
		f.lastBusy = ok && busy.ID != row.ID
	}
	return f, nil
}

// own reads what the caller's line has to do with the Issue, and with others.
func (c *call) own(ctx context.Context, f *facts) (err error) {
	if f.line == 0 {
		return nil
	}
	other, ok, err := c.heldBy(ctx, c.tx, f.line)
	if err != nil {
		return err
	}
	if ok && other.ID != f.issue.ID {
		f.other = c.keyOf(other)
	}
	if f.once, err = c.lastClaim(ctx, c.tx, f.line, f.issue.ID); err != nil {
		return err
	}
	f.sentAway, err = c.sentAway(ctx, c.tx, f.issue.ID, c.caller.Root)
	return err
}

// input is what a caller said to a move, beyond its revisions.
type input struct {
	MoveCmd
	summary   string
	judgments []Judgment
}

func (in *input) clean() (err error) {
	if in.Reason, err = phrase("reason", in.Reason, MaxReasonRunes); err != nil {
		return err
	}
	if in.summary, err = prose("summary", in.summary, MaxSummaryBytes); err != nil {
		return err
	}
	return cleanJudgments(in.judgments)
}

// gate refuses, before anything is read, what no agent may ever do. The rules refuse it too.
func gate(a Actor, ev Event) error {
	if a.Agent && (a.Undeclared || !agentMove(ev)) {
		return personOnlyFault()
	}
	return nil
}

// move is every move but create, and but a begin without a key.
func (s *Service) move(ctx context.Context, a Actor, ev Event, in input) (Result, error) {
	if err := gate(a, ev); err != nil {
		return Result{}, err
	}
	if err := in.clean(); err != nil {
		return Result{}, err
	}
	var out Result
	var look error // approve: what has to be looked at first; it is stored that this person was told
	err := s.write(ctx, a, func(ctx context.Context, c *call) (err error) {
		look = nil
		row, err := c.target(ctx, ev, in)
		if err != nil {
			return err
		}
		out, err = c.make(ctx, row, ev, in)
		if ev == Approve && fault.CodeOf(err) == fault.ReviewNeeded {
			look = err
			return c.tell(ctx, row, in.Heads)
		}
		return err
	})
	return out, errors.Join(err, look)
}

// target is the Issue that a move speaks of.
func (c *call) target(ctx context.Context, ev Event, in input) (issueRow, error) {
	if in.Key != "" || ev != BeginWork || !c.actor.Agent {
		return c.find(ctx, c.tx, in.ProjectID, in.Key)
	}
	held, ok, err := c.heldBy(ctx, c.tx, c.caller.Line.ID)
	if err != nil || ok {
		return held, err
	}
	if err := c.current(in); err != nil {
		return issueRow{}, err
	}
	return c.firstReady(ctx, in.ProjectID)
}

// current makes the check of the run's revision for a caller that names no Issue.
func (c *call) current(in input) error {
	f := facts{event: BeginWork, line: c.caller.Line.ID, proven: c.caller.Proven, runRevision: in.RunRevision, runRevisionNow: c.caller.Named.Revision}
	return f.precede(BeginWork)
}

// make decides a move on an Issue and writes it down.
func (c *call) make(ctx context.Context, row issueRow, ev Event, in input) (Result, error) {
	f, err := c.facts(ctx, row, ev)
	if err != nil {
		return Result{}, err
	}
	f.runRevision, f.issueRevision = in.RunRevision, in.IssueRevision
	f.reason, f.pause, f.force, f.summary = in.Reason, in.PauseReason, in.Force, in.summary
	if ev == Pause && f.person && f.pause == "" {
		f.pause = Handoff // only a person resumes it anyway
	}
	if err := c.prepare(ctx, &f, in); err != nil {
		return Result{}, err
	}
	ch, repeat, err := decide(ctx, c.table, f)
	if err != nil {
		return Result{}, c.advise(ctx, f, err)
	}
	if repeat {
		return c.foresee(ctx, ev, row, true)
	}
	children, err := c.store(ctx, f, ch, in)
	if err != nil {
		return Result{}, err
	}
	out, err := c.foresee(ctx, ev, row, false)
	out.Children = children
	if ev == RequestClosure && f.child {
		out.Displaced = runs.ShortHandle(f.issue.HolderRun)
	}
	return out, err
}

// prepare reads what single events need to know.
func (c *call) prepare(ctx context.Context, f *facts, in input) (err error) {
	if f.repeated(f.event) {
		if f.event == RequestClosure {
			f.differs, err = c.differs(ctx, f.issue, in)
		}
		return err
	}
	if f.issueRevision != 0 && f.issueRevision != f.issue.Revision {
		if f.since, err = c.lastChange(ctx, f.issue); err != nil {
			return err
		}
	}
	switch f.event {
	case RequestClosure:
		return c.judge(ctx, f, in.judgments)
	case Approve:
		return c.compare(ctx, f, in.Heads)
	}
	return nil
}

// store writes a move: the Issue, the claims, the authority of the runs, the Issues that it blocks, and history.
func (c *call) store(ctx context.Context, f facts, ch change, in input) (children []string, err error) {
	row, tx := ch.row, c.tx
	if err := c.update(ctx, tx, &row); err != nil {
		return nil, err
	}
	if ch.claimEnds {
		if err := c.closeClaim(ctx, tx, row.ID, f.issue.Fence, f.name, f.event); err != nil {
			return nil, err
		}
	}
	if err := c.rebind(ctx, f, ch); err != nil {
		return nil, err
	}
	detail := map[string]string{"reason": f.reason, "pause": string(row.PauseReason), "displaced": ""}
	if ch.displaced != 0 && ch.displaced == f.issue.HolderLine {
		detail["displaced"] = f.holder
	}
	switch f.event {
	case Close:
		detail["note"] = closedByHand
	case RequestClosure:
		if children, err = c.saveVerdicts(ctx, f, in); err != nil {
			return nil, err
		}
		detail["children"] = strings.Join(children, ", ")
	}
	if ch.unjudge {
		if err := c.unjudge(ctx, tx, row.ID); err != nil {
			return nil, err
		}
	}
	if isOpen(ch.from) != isOpen(row.State) {
		if err := c.recount(ctx, tx, row.ID, true); err != nil {
			return nil, err
		}
	}
	if err := c.record(ctx, row, f.event, ch.from, detail); err != nil {
		return nil, err
	}
	return children, c.wrote(ctx, f.event)
}

// rebind tells the runs what a move does to their authority.
func (c *call) rebind(ctx context.Context, f facts, ch change) error {
	tx, row := c.tx, ch.row
	if ch.lift {
		if err := c.callBack(ctx, tx, row.ID); err != nil {
			return err
		}
	}
	switch {
	case ch.displaced != 0:
		if err := c.displace(ctx, ch.displaced, f.issue.HolderRun, row.ID, ch.sendAway); err != nil {
			return err
		}
	case ch.claimEnds && !ch.begins:
		if err := runs.Rebind(ctx, tx, f.line, f.run, runs.Unbind, 0); err != nil {
			return err
		}
	}
	if !ch.begins {
		return nil
	}
	if err := c.goOn(ctx, row); err != nil {
		return err
	}
	if err := c.openClaim(ctx, tx, row); err != nil {
		return err
	}
	return runs.Rebind(ctx, tx, row.HolderLine, row.HolderRun, runs.Bind, row.ID)
}

// displace takes a hold, or the right to come back, from a line. It may hold another Issue by now: that one stays.
// Where its runs have expired, their end is written down.
func (c *call) displace(ctx context.Context, line, run, issue int64, away bool) error {
	st, err := runs.StatusOf(ctx, c.tx, c.tx.Now, line)
	if err != nil {
		return err
	}
	if run == 0 {
		run = st[line].Run.ID
	}
	if err := runs.WriteDown(ctx, c.tx, line); err != nil {
		return err
	}
	held, ok, err := c.heldBy(ctx, c.tx, line)
	if err != nil {
		return err
	}
	if ok {
		err = runs.Rebind(ctx, c.tx, line, run, runs.Bind, held.ID)
	} else {
		err = runs.Rebind(ctx, c.tx, line, run, runs.Displaced, 0)
	}
	if err != nil || !away {
		return err
	}
	root, err := runs.RootOf(ctx, c.tx, st[line].Line)
	if err != nil {
		return err
	}
	return c.sendAway(ctx, c.tx, issue, root)
}

// goOn fixes the evidence of Issues in review whose session goes on to another one.
func (c *call) goOn(ctx context.Context, begun issueRow) error {
	l, err := runs.LineByID(ctx, c.tx, begun.HolderLine)
	if err != nil {
		return err
	}
	root, err := runs.RootOf(ctx, c.tx, l)
	if err != nil {
		return err
	}
	rows, err := c.reviewing(ctx, c.tx, root)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.ID == begun.ID {
			continue
		}
		n, err := c.evidence(ctx, c.tx, r.ProjectID, root)
		if err != nil {
			return err
		}
		if err := c.finishEvidence(ctx, c.tx, r.ID, n); err != nil {
			return err
		}
	}
	return nil
}

// advise adds the next step to a refusal: who does not get an Issue learns at once which one is free.
func (c *call) advise(ctx context.Context, f facts, err error) error {
	no := fault.As(err)
	if no.Hint != "" {
		return err
	}
	switch no.Code {
	case fault.HeldByOther, fault.Reserved, fault.ByPerson, fault.Blocked:
	default:
		return err
	}
	out := *no
	out.Hint = "nothing else is ready now"
	next, e := c.firstReady(ctx, f.issue.ProjectID)
	switch {
	case e == nil && next.ID != f.issue.ID:
		out.Hint = "the next ready Issue is " + c.keyOf(next) + ": kanban_begin_work takes it"
	case e != nil && fault.CodeOf(e) != fault.NothingReady:
		return e
	}
	return &out
}
