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
