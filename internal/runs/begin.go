package runs

import "context"

// mayBegin reports whether the observation says of a conversation that it is no subagent, after work of it was seen.
func (v *observer) mayBegin() bool {
	return v.o.Key.Host == Cursor && v.o.Kind == OnSessionStart && v.root.Awaits
}

// begin registers the run of a conversation whose work came before the event that says that it is no subagent: the order
// in which hooks end must not matter. That event speaks for it.
func (v *observer) begin(ctx context.Context, res *Result) error {
	if _, found, err := runByKey(ctx, v.tx, v.root, ""); err != nil || found {
		return err
	}
	early, _, err := waitingEvents(ctx, v.tx, v.root.ID, "")
	if err != nil {
		return err
	}
	for _, w := range early {
		if !w.O.Kind.Registers() || w.O.ProjectID == 0 && len(w.O.Edits) == 0 && !w.O.Homeless {
			continue
		}
		first := *v
		first.o, first.direct, first.line = w.O, false, &v.root
		r, err := first.register(ctx)
		if err != nil {
			return err
		}
		record(v.tx, r, string(Start), "", "host") // the event that registers it came before
		if err := first.adopt(ctx, &r); err != nil {
			return err
		}
		v.s.stretch, v.opened = first.s.stretch, first.opened
		res.Run, res.Disposition, res.Why = r, Applied, NoReason
		return insertRun(ctx, v.tx, &r)
	}
	return nil
}

// adopt applies the events that came before the run was registered. They never probe.
func (v *observer) adopt(ctx context.Context, r *Run) error {
	if !v.line.Awaits {
		return nil
	}
	early, others, err := waitingEvents(ctx, v.tx, v.line.ID, v.o.Key.Turn)
	if err != nil {
		return err
	}
	v.line.Awaits = others
	for _, w := range early {
		a := *v // its lines are not changed: only signs of life and probes do that
		a.o, a.direct = w.O, false
		before, seen := r.State, r.LastSeenAt
		d, _, _, err := a.apply(ctx, r)
		if err != nil {
			return err
		}
		if d != Scaffold {
			d = Adopted
		}
		if a.o.Kind == OnStop {
			if err := takeBackLostStop(ctx, v.tx, a.o.Key.Host, a.o.Version); err != nil {
				return err
			}
		}
		r.count(a.o)
		r.last(a.o.Kind, a.o.Asks, a.o.ReceivedAt, seen)
		e := event{line: v.line.ID, run: r.ID, n: r.NEvents, before: before, then: r.State, d: d}
		if err := markAdopted(ctx, v.tx, w.ID, e); err != nil {
			return err
		}
	}
	return nil
}
