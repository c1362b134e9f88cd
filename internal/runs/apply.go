package runs

import (
	"context"
	"strconv"

	"board/internal/store"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// apply does to the run what the observation means, in memory; the caller stores it. Other runs that the observation
// ends are stored here.
func (v *observer) apply(ctx context.Context, r *Run) (Disposition, Why, Say, error) {
	switch v.o.Kind {
	case OnPrompt, OnSubagentStart, OnTool, OnEdit:
		return v.alive(ctx, r)
	case OnStop:
		return v.stop(ctx, r)
	case OnFailure:
		return v.ends(ctx, r, &r.SawFailure, Fail, ReasonFailure)
	case OnInterrupt:
		return v.ends(ctx, r, &r.SawInterrupt, Interrupt, ReasonInterrupt)
	case OnSubagentStop:
		return v.ends(ctx, r, &r.SawStop, Stop, ReasonStop)
	default: // a notice changes no state; it renews the lease of a live run
		if !r.IsLive() {
			return Late, TurnOver, Nothing, nil
		}
		r.renew(v.o.ReceivedAt, v.direct, v.c)
		return Applied, NoReason, Nothing, nil
	}
}

// alive handles prompts, subagent starts, tools and edits: signs of life of the exact key.
func (v *observer) alive(ctx context.Context, r *Run) (Disposition, Why, Say, error) {
	newer := false
	if r.State == Ended {
		var err error
		if newer, err = newerRoot(ctx, v.tx, *r); err != nil {
			return 0, 0, Nothing, err
		}
	}
	f := Facts{Now: v.tx.Now, Newer: newer}
	ev, ok, err := step(ctx, r, f, v.o.ReceivedAt, "", Touch, Continue)
	if err != nil {
		return 0, 0, Nothing, err
	}
	d, why := Applied, NoReason
	if !ok {
		d, why = Late, TurnOver
	}
	// A turn that was registered from the spool could not open a stretch after an end: its first direct event does.
	if r.Kind == Root && (ev == Continue || ok && v.direct && !r.Direct) {
		if r.Stretch, err = v.openStretch(ctx, v.direct); err != nil {
			return 0, 0, Nothing, err
		}
	}
	r.renew(v.o.ReceivedAt, v.direct, v.c)
	if v.scaffold {
		return v.scaffolding(r)
	}
	if err := v.describe(ctx, r); err != nil {
		return 0, 0, Nothing, err
	}
	say := Nothing
	switch v.o.Kind {
	case OnPrompt:
		if !v.o.Empty {
			say, err = v.prompt(ctx, r)
		}
	case OnSubagentStart:
		say, err = v.subagentStart(ctx, r)
	default:
		err = v.tool(ctx, r)
	}
	if v.o.Marker != "" && why == NoReason {
		why = MarkerUnresolved
	}
	return d, why, say, err
}

// describe fills in what a late start did not know.
func (v *observer) describe(ctx context.Context, r *Run) error {
	if v.o.AgentType != "" {
		r.AgentType = v.o.AgentType
	}
	if v.o.PermissionMode != "" {
		r.PermissionMode = v.o.PermissionMode
	}
	if r.HostProcess == "" {
		r.HostProcess = v.o.Process
	}
	if r.HostVersion == "" {
		r.HostVersion = v.o.Version
	}
	if r.HostProof == "" {
		r.HostProof = v.o.Proof
	}
	if r.HeadStart == "" && r.Worktree == "" && r.NEvents <= 1 {
		r.Worktree, r.Branch, r.HeadStart = v.o.Worktree, v.o.Branch, v.o.Head
	}
	if r.ProjectID == 0 && v.o.Kind == OnPrompt {
		r.ProjectID = v.o.ProjectID // a late start by an edit has no home until its prompt says where it runs
		return scope(ctx, v.tx, *r, r.ProjectID)
	}
	return nil
}

// prompt handles the prompt of a root turn, or the task of a subagent (Codex sends one).
func (v *observer) prompt(ctx context.Context, r *Run) (Say, error) {
	r.LateStart = false
	r.Attended = !v.o.Unattended
	v.root.Rooted = v.root.Rooted || r.Host == Cursor && r.Kind == Root
	if r.Kind != Root {
		return Nothing, v.parent(ctx, r)
	}
	if v.o.HostMade {
		r.Origin = Host
	} else {
		v.root.Prompts++
		v.root.LastPromptAt = v.o.ReceivedAt
		v.root.ProbeWindow = false
	}
	say := Nothing
	if v.direct {
		if err := v.supersede(ctx, *r); err != nil {
			return Nothing, err
		}
	}
	if v.direct && v.o.CanSay {
		say = Brief
		if v.root.RulesDue {
			say = Rules
		}
		v.root.RulesDue = false
		r.ContextSent = true
	}
	return say, nil
}

// supersede ends the older live turns of the same session and host process: a new prompt means that they are over.
func (v *observer) supersede(ctx context.Context, r Run) error {
	if !v.s.live {
		return nil
	}
	olds, err := sessionLive(ctx, v.tx, r.Host, r.Session) // the machine knows that only roots are superseded
	if err != nil {
		return err
	}
	for _, old := range olds {
		if old.ID >= r.ID {
			continue
		}
		ev := Supersede
		if !sameProcess(old.HostProcess, r.HostProcess) {
			ev = Expire // of a process that is gone, for one: the session was resumed in another
		}
		if err := endOther(ctx, v.tx, old, ev, ReasonSuperseded, v.o.ReceivedAt); err != nil {
			return err
		}
	}
	return nil
}

// endOther ends a run for something that happened outside of it, if the clock did not do so before.
func endOther(ctx context.Context, tx *store.Tx, r Run, ev Event, reason string, at int64) error {
	r, err := transition(ctx, tx, r, Expire, Facts{Now: at}, "", "clock")
	if err != nil || !r.IsLive() || ev == Expire {
		return err
	}
	_, err = transition(ctx, tx, r, ev, Facts{Now: at}, reason, "host")
	return err
}

// tool handles a tool or edit event.
func (v *observer) tool(ctx context.Context, r *Run) error {
	if r.Kind == Subagent {
		if err := v.parent(ctx, r); err != nil {
			return err
		}
	}
	if v.o.Announces && v.o.CallID != "" {
		if err := noteCall(ctx, v.tx, r.Host, v.o.CallID, r.ID); err != nil {
			return err
		}
	}
	if !v.o.OwnTool {
		r.Decided = false
	}
	r.Outside += int64(v.o.Outside)
	if len(v.o.Edits) == 0 {
		return nil
	}
	r.Edits++
	for _, e := range v.o.Edits {
		if err := noteEdit(ctx, v.tx, r.ID, e, v.o.ReceivedAt); err != nil {
			return err
		}
		if e.ProjectID == r.ProjectID {
			continue // on record since the run was registered
		}
		if err := scope(ctx, v.tx, *r, e.ProjectID); err != nil {
			return err
		}
	}
	if v.root.ProbedAt != 0 {
		v.root.News = true
	}
	return nil
}

// ends handles an explicit end other than a root's Stop. It replaces the outcome of an end that was only inferred.
func (v *observer) ends(ctx context.Context, r *Run, fact *bool, ev Event, reason string) (Disposition, Why, Say, error) {
	was, outcome := *fact, r.Outcome
	*fact = true
	r.headNow(v.o)
	_, ok, err := step(ctx, r, Facts{Now: v.tx.Now}, v.o.ReceivedAt, reason, ev)
	if err != nil {
		return 0, 0, Nothing, err
	}
	r.LastSeenAt = max(r.LastSeenAt, v.o.ReceivedAt)
	if ok {
		return Applied, NoReason, Nothing, nil
	}
	*r = r.judge()
	if was && r.Outcome == outcome {
		return Late, TurnOver, Nothing, nil
	}
	return Applied, NoReason, Nothing, nil
}

// stop handles the Stop of a root turn: background, probe or end, whichever the machine allows first.
func (v *observer) stop(ctx context.Context, r *Run) (Disposition, Why, Say, error) {
	f := Facts{Now: v.tx.Now, Continuation: v.o.Continuation}
	for _, t := range v.o.Tasks {
		earlier, err := noteTask(ctx, v.tx, v.root.ID, r.ID, t.ID)
		if err != nil {
			return 0, 0, Nothing, err
		}
		f.NewBackground = f.NewBackground || !earlier
	}
	if v.o.PermissionMode != "" {
		r.PermissionMode = v.o.PermissionMode
	}
	f.ProbeDue = v.due(*r)
	was, outcome := r.SawStop, r.Outcome
	r.SawStop = true
	r.headNow(v.o)
	f.Run = *r
	ev, ok, err := step(ctx, r, f, v.o.ReceivedAt, ReasonStop, Background, Probe, Stop)
	if err != nil {
		return 0, 0, Nothing, err
	}
	say := Nothing
	switch {
	case !ok:
		*r = r.judge()
		r.SawForeground = true
		r.LastSeenAt = max(r.LastSeenAt, v.o.ReceivedAt)
		if was && r.Outcome == outcome {
			return Late, TurnOver, Nothing, v.abandonChildren(ctx, *r)
		}
		return Applied, NoReason, Nothing, v.abandonChildren(ctx, *r)
	case ev == Probe:
		if say, err = v.ask(r); err != nil {
			return 0, 0, Nothing, err
		}
	}
	if ev != Background {
		r.SawForeground = true
	}
	if r.IsLive() {
		r.renew(v.o.ReceivedAt, v.direct, v.c)
	} else {
		r.LastSeenAt = max(r.LastSeenAt, v.o.ReceivedAt)
	}
	return Applied, NoReason, say, v.abandonChildren(ctx, *r)
}
