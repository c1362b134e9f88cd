package runs

import (
	"context"
)

// session handles an observation that carries a session but no run: it speaks for the session's only live root, if at
// all. Only a session's end ends runs.
func (v *observer) session(ctx context.Context) (Result, error) {
	known := v.root.ID != 0
	if v.mayBegin() {
		if err := v.lookAgain(ctx); err != nil {
			return Result{}, err
		}
	}
	if err := v.identify(ctx); err != nil {
		return Result{}, err
	}
	live, err := v.liveRoots(ctx)
	if err != nil {
		return Result{}, err
	}
	res := Result{Disposition: Unattributed, Why: NoLiveRoot, Line: v.root, Root: v.root}
	ordinal := int64(0)
	if len(live) == 1 {
		res.Run = live[0]
	}
	if v.o.Kind == OnCompaction {
		ordinal = res.Run.NEvents
	} else if ordinal, err = sessionEvents(ctx, v.tx, v.o.Key.Host, v.o.Key.Session); err != nil {
		return Result{}, err
	}
	id := v.o.eventID(ordinal)
	if done, d, why, err := v.seen(ctx, id, known); err != nil || done {
		res.Disposition, res.Why = d, why
		return res, err
	}
	if v.o.Kind == OnSessionEnd {
		err = v.sessionEnd(ctx, &res)
	} else {
		err = v.sessionNews(ctx, &res)
	}
	if err != nil {
		return Result{}, err
	}
	if v.mayBegin() {
		if err := v.begin(ctx, &res); err != nil {
			return Result{}, err
		}
	}
	res.Line, res.Root = v.root, v.root
	if err := v.say(ctx, &res); err != nil {
		return Result{}, err
	}
	if err := v.storeLines(ctx); err != nil {
		return Result{}, err
	}
	return res, insertEvent(ctx, v.tx, v.o, event{id: id, line: v.root.ID, run: res.Run.ID, d: res.Disposition, why: res.Why})
}

// sessionNews handles a start, a resume or a compaction: the next context carries the rules again. After a compaction
// the agent has lost them in mid-work, so they are said at once where the host lets us speak.
func (v *observer) sessionNews(ctx context.Context, res *Result) error {
	due := true
	if res.Run.ID != 0 && sameProcess(res.Run.HostProcess, v.o.Process) {
		res.Disposition, res.Why = Applied, NoReason
		r := res.Run
		r.last(v.o.Kind, AsksNothing, v.o.ReceivedAt, v.heard(r))
		r.renew(v.o.ReceivedAt, v.direct, v.c)
		if v.o.Kind == OnCompaction && v.direct && v.o.CanSay {
			res.Say = Rules
			due = false
			r.ContextSent = true
		}
		if err := saveRun(ctx, v.tx, res.Run, &r); err != nil {
			return err
		}
		res.Run = r
	}
	v.root.RulesDue = due
	if v.o.Key.Host == Cursor { // no subagent has a start of its own
		v.root.Rooted, v.root.Local = true, v.root.Local || v.o.Local
		v.root.Remote = v.root.Remote || v.o.ExecutionHost == Cloud
	}
	return nil
}

// sessionEnd ends the live runs of the session and host process, and its stretch unless a run of another process lives.
// It never touches Issues or reviews.
func (v *observer) sessionEnd(ctx context.Context, res *Result) error {
	live, err := sessionLive(ctx, v.tx, v.o.Key.Host, v.o.Key.Session)
	if err != nil {
		return err
	}
	others, ended := false, false
	for _, r := range live {
		if r, err = transition(ctx, v.tx, r, Expire, Facts{Now: v.tx.Now}, "", "clock"); err != nil {
			return err
		}
		if !r.IsLive() {
			continue
		}
		if !sameProcess(r.HostProcess, v.o.Process) || !v.before(r.ID, r.StartedAt) {
			others = true
			continue
		}
		if err := endOther(ctx, v.tx, r, SessionEnd, ReasonSessionEnd, v.o.ReceivedAt); err != nil {
			return err
		}
		ended = true
	}
	if v.s.stretch.N == 0 {
		res.Disposition, res.Why = Unattributed, NoSession
		return nil
	}
	closed, err := v.endStretch(ctx, others)
	switch {
	case err != nil:
		return err
	case ended || closed:
		res.Disposition, res.Why = Applied, NoReason
	case v.direct:
		res.Disposition, res.Why = Late, NothingToEnd
	default:
		res.Disposition, res.Why = Late, StaleSpooled
	}
	return nil
}

// before reports whether something that began with a run had begun when the observation was received. A direct
// delivery is received now; a spooled one knows the newest run of its moment, or at least the time.
func (v *observer) before(runID, began int64) bool {
	switch {
	case v.direct:
		return true
	case v.o.AfterRun != 0:
		return runID <= v.o.AfterRun
	}
	return began <= v.o.ReceivedAt
}
