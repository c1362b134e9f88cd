package runs

import (
	"context"
	"fmt"
	"strings"

	"board/internal/fault"
	"board/internal/store"
)

// FirstLine is the first line of every context, reminder and tool answer: which run the reader is, the revision of its
// authority, and the Issue that its line holds ("" for none).
func FirstLine(r Run, key string) string {
	if key == "" {
		key = "none"
	}
	return fmt.Sprintf("board: run %s revision %d issue %s", r.Handle, r.Revision, key)
}

// Resolve finds out who calls, inside the transaction that acts on it. A proven call is a sign of life of its run: it
// registers a run of an unseen key, renews the lease, and may continue an ended run. Without proof the handle says who
// calls. The faults are run_unknown, run_ended and not_your_run.
func Resolve(ctx context.Context, tx *store.Tx, w Who) (Caller, error) {
	proven, ok, err := provenRun(ctx, tx, w)
	if err != nil {
		return Caller{}, err
	}
	if !ok && w.Proof != nil && w.Proof.CallID == "" {
		if proven, ok, err = registerCaller(ctx, tx, w); err != nil {
			return Caller{}, err
		}
	}
	if ok {
		if proven, err = signOfLife(ctx, tx, proven); err != nil {
			return Caller{}, err
		}
	}
	return caller(ctx, tx, tx.Now, w, proven, ok)
}

// Peek is Resolve without writing, for reads: a run of an unseen key is unknown. With run_ended comes who it was.
func Peek(ctx context.Context, q store.Querier, now int64, w Who) (Caller, error) {
	proven, ok, err := provenRun(ctx, q, w)
	if err != nil {
		return Caller{}, err
	}
	return caller(ctx, q, now, w, proven, ok)
}

func provenRun(ctx context.Context, q store.Querier, w Who) (Run, bool, error) {
	if w.Proof == nil {
		return Run{}, false, nil
	}
	if w.Proof.CallID != "" {
		id, err := runOfCall(ctx, q, w.Proof.Host, FitKey(w.Proof.CallID))
		if err != nil || id == 0 {
			return Run{}, false, err
		}
		return runByID(ctx, q, id)
	}
	k := w.Proof.Key.fit()
	l, ok, err := findLine(ctx, q, k.Host, k.Session, k.Agent)
	if err != nil || !ok {
		return Run{}, false, err
	}
	return runByKey(ctx, q, l, k.Turn)
}

func (k Key) fit() Key {
	return Key{Host: k.Host, Session: FitKey(k.Session), Turn: FitKey(k.Turn), Agent: FitKey(k.Agent)}
}

// registerCaller makes the run of a proven call whose key no event has shown yet: a late start.
func registerCaller(ctx context.Context, tx *store.Tx, w Who) (Run, bool, error) {
	k := w.Proof.Key.fit()
	if k.Session == "" || (k.Turn == "") == (k.Agent == "") {
		return Run{}, false, nil
	}
	v := &observer{tx: tx, direct: true, o: Observation{Kind: OnTool, Key: k, RawTurn: k.Turn, ProjectID: w.ProjectID, ReceivedAt: tx.Now}}
	if err := v.look(ctx, needAll); err != nil {
		return Run{}, false, err
	}
	if w.ProjectID == 0 && v.root.ID == 0 {
		return Run{}, false, nil
	}
	known := v.line.ID != 0
	if err := v.identify(ctx); err != nil {
		return Run{}, false, err
	}
	r, err := v.register(ctx)
	if err != nil {
		return Run{}, false, err
	}
	record(tx, r, string(Start), "", "run") // no event says so
	if r.Kind == Subagent {
		if err := v.parent(ctx, &r); err != nil {
			return Run{}, false, err
		}
	}
	if known {
		if err := v.adopt(ctx, &r); err != nil {
			return Run{}, false, err
		}
	}
	if err := v.storeLines(ctx); err != nil {
		return Run{}, false, err
	}
	return r, true, insertRun(ctx, tx, &r)
}

// signOfLife is what a proven call means to its own run.
func signOfLife(ctx context.Context, tx *store.Tx, r Run) (Run, error) {
	c, err := Settings(ctx, tx, r.Host, r.ProjectID)
	if err != nil {
		return r, err
	}
	if r, err = transition(ctx, tx, r, Expire, Facts{Now: tx.Now}, "", "clock"); err != nil {
		return r, err
	}
	before := r
	newer, err := newerRoot(ctx, tx, r)
	if err != nil {
		return r, err
	}
	ev, ok, err := step(ctx, &r, Facts{Now: tx.Now, Newer: newer}, tx.Now, "", Touch, Continue)
	if err != nil {
		return r, err
	}
	if !ok {
		return r, nil
	}
	v := &observer{tx: tx, direct: true, o: Observation{
		Key: Key{Host: r.Host, Session: r.Session, Agent: r.Agent}, Process: r.HostProcess, ProjectID: r.ProjectID, ReceivedAt: tx.Now,
	}}
	if err := v.look(ctx, needAll); err != nil {
		return r, err
	}
	if r.Kind == Root && (ev == Continue || !r.Direct) {
		if r.Stretch, err = v.openStretch(ctx, true); err != nil {
			return r, err
		}
	}
	r.last(OnTool, AsksNothing, tx.Now, 0)
	r.renew(tx.Now, true, c)
	if r.Kind == Subagent {
		if err := v.renewRoots(ctx); err != nil {
			return r, err
		}
	}
	if err := v.storeLines(ctx); err != nil {
		return r, err
	}
	if err := saveRun(ctx, tx, before, &r); err != nil {
		return r, err
	}
	if r.State != before.State || r.Outcome != before.Outcome {
		record(tx, r, string(ev), string(before.State), "run")
	}
	return r, nil
}

// caller puts together who calls from what the proof and the handle say.
func caller(ctx context.Context, q store.Querier, now int64, w Who, proven Run, isProven bool) (Caller, error) {
	named, hasNamed := proven, isProven
	if w.Handle != "" {
		r, ok, err := runByHandle(ctx, q, w.Handle)
		if err != nil {
			return Caller{}, err
		}
		switch {
		case !ok:
			return Caller{}, unknownRun(ctx, q, w)
		case isProven && r.LineID != proven.LineID, !isProven && w.Proof.another(r):
			return Caller{}, fault.New(fault.NotYourRun, "leave run_id out: board knows which run calls",
				"that run_id belongs to another session or subagent")
		}
		named, hasNamed = r, true
	}
	if !hasNamed {
		return Caller{}, unknownRun(ctx, q, w)
	}
	st, err := StatusOf(ctx, q, now, named.LineID)
	if err != nil {
		return Caller{}, err
	}
	if named, err = asOf(ctx, q, named, now); err != nil {
		return Caller{}, err
	}
	if proven, err = asOf(ctx, q, proven, now); err != nil {
		return Caller{}, err
	}
	s := st[named.LineID]
	c := Caller{Run: named, Named: named, Line: s.Line, Proven: isProven, Live: s.Live}
	switch {
	case isProven && proven.IsLive():
		c.Run = proven
	case named.IsLive(): // two processes of one session: the caller is the one that it says
	case s.Live:
		c.Run = s.Run
	case !isProven:
		return c, fault.New(fault.RunEnded, "the next prompt of this session gets a new run; until then only a person can change the board",
			"run %s has ended (%s), and no later one of its session is live", c.Run.Short(), c.Run.Outcome)
	}
	if w.Handle == "" {
		c.Named = c.Run
	}
	c.Root, err = RootOf(ctx, q, s.Line)
	return c, err
}

// another reports whether the proof names another line than the run's, although its own run is not known yet.
func (p *Proof) another(r Run) bool {
	if p == nil || p.CallID != "" {
		return false
	}
	k := p.Key.fit()
	return k.Session != "" && (k.Host != r.Host || k.Session != r.Session || k.Agent != r.Agent)
}

// unknownRun says why nobody is known to call. Whether any hook event was ever seen tells a missing hook from a wrong id.
func unknownRun(ctx context.Context, q store.Querier, w Who) error {
	n, err := NewestRun(ctx, q)
	if err != nil {
		return err
	}
	switch {
	case n == 0:
		return fault.New(fault.RunUnknown, "ask a person to run board host check: the hooks of this agent are not installed, or not trusted",
			"no hook event of any session was ever seen, so no run is known")
	case w.Handle == "":
		return fault.New(fault.RunUnknown, "pass run_id from the line that begins with board: run; if there is none, a person can look with board host check whether the hooks work",
			"the call does not prove which session makes it")
	case !strings.HasPrefix(w.Handle, "run_"):
		return fault.New(fault.RunUnknown, "pass run_id whole, as it stands in the line that begins with board: run",
			"%q is not a run_id", short(w.Handle))
	}
	return fault.New(fault.RunUnknown, "use the run_id of the newest line that begins with board: run", "no run has that run_id")
}

func short(s string) string {
	if len(s) > 24 {
		return strings.ToValidUTF8(s[:24], "") + "…"
	}
	return strings.ToValidUTF8(s, "")
}
