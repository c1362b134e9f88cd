package runs

import "context"

func (v *observer) subagentStart(ctx context.Context, r *Run) (Say, error) {
	r.LateStart = false
	if err := v.parent(ctx, r); err != nil {
		return Nothing, err
	}
	if !v.direct || r.ContextSent || r.Kind != Subagent {
		return Nothing, nil
	}
	r.ContextSent = true
	return SubagentRules, nil
}

// parent finds the root of a subagent: the turn that the host names at its start, else the session's only live
// root when the child is first seen, else none. It gives the Issue to show, nothing else.
func (v *observer) parent(ctx context.Context, r *Run) error {
	if v.o.Kind == OnSubagentStart && (r.Host == ClaudeCode || r.Host == OpenCode) && v.o.RawTurn != "" {
		p, ok, err := runByKey(ctx, v.tx, v.root, v.o.RawTurn)
		if err != nil {
			return err
		}
		if ok {
			r.ParentID, r.ParentBasis = p.ID, "named"
			return nil
		}
	}
	if r.ParentID != 0 || r.NEvents > 0 {
		return nil
	}
	live, err := v.liveRoots(ctx)
	if err != nil || len(live) != 1 {
		return err
	}
	r.ParentID, r.ParentBasis = live[0].ID, "only_live_root"
	return nil
}

func (v *observer) liveRoots(ctx context.Context) ([]Run, error) {
	if !v.s.live {
		return nil, nil
	}
	all, err := storedLive(ctx, v.tx, v.root.ID)
	if err != nil {
		return nil, err
	}
	live := all[:0]
	for _, r := range all {
		if r, err = asOf(ctx, v.tx, r, v.tx.Now); err != nil {
			return nil, err
		}
		if r.IsLive() {
			live = append(live, r)
		}
	}
	return live, nil
}

// abandonChildren ends subagents that a root's Stop does not list among its background work. Only the newest turn may
// say so: a Stop that comes late knows nothing of children that began since.
func (v *observer) abandonChildren(ctx context.Context, r Run) error {
	if !v.o.TasksListed || !v.direct || !v.s.children {
		return nil
	}
	live, err := sessionLive(ctx, v.tx, r.Host, r.Session)
	if err != nil {
		return err
	}
	listed := map[string]bool{}
	for _, t := range v.o.Tasks {
		listed[FitKey(t.ID)] = true
	}
	newer, err := newerRoot(ctx, v.tx, r)
	if err != nil || newer {
		return err
	}
	for _, child := range live {
		if listed[child.Agent] || !sameProcess(child.HostProcess, r.HostProcess) {
			continue
		}
		if err := endOther(ctx, v.tx, child, Abandon, ReasonParentEnded, v.o.ReceivedAt); err != nil {
			return err
		}
	}
	return nil
}

// renewRoots renews the leases of the live roots of a subagent's session: its work is theirs.
func (v *observer) renewRoots(ctx context.Context) error {
	live, err := v.liveRoots(ctx)
	if err != nil {
		return err
	}
	for _, r := range live {
		if !sameProcess(r.HostProcess, v.o.Process) {
			continue
		}
		before := r
		r.LeaseUntil = max(r.LeaseUntil, v.o.ReceivedAt+v.c.Lease)
		if r.Asks != AsksNothing && (v.direct || v.o.ReceivedAt >= r.AsksAt) {
			if err := v.answered(ctx, &r); err != nil {
				return err
			}
		}
		if err := saveRun(ctx, v.tx, before, &r); err != nil {
			return err
		}
	}
	return nil
}

// answered clears what a root's notice asked for on behalf of its subagent: hosts do not say for whom they ask. While more
// than one is at work, the event may be of another one.
func (v *observer) answered(ctx context.Context, root *Run) error {
	live, err := sessionLive(ctx, v.tx, root.Host, root.Session)
	if err != nil {
		return err
	}
	children := 0
	for _, r := range live {
		if r.Kind == Subagent {
			children++
		}
	}
	if children <= 1 && v.o.Kind != OnNotice {
		root.Asks, root.AsksAt = AsksNothing, 0
	}
	return nil
}

func sameProcess(a, b string) bool { return a == "" || b == "" || a == b }
