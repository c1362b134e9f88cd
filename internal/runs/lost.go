package runs

import "context"

// stopLost counts a root's Stop that belongs to no run: if they become many, the ids of the host's events do not belong
// together any more, and nothing that board shows of it is worth much. A Stop after a turn that had its own is no such
// sign: a person who types !cmd in Claude Code makes a turn without a prompt.
func (v *observer) stopLost(ctx context.Context, named bool) error {
	if v.o.Kind != OnStop || !named {
		return nil
	}
	inRow := true
	if v.root.LastRun != 0 {
		r, ok, err := runByID(ctx, v.tx, v.root.LastRun)
		if err != nil {
			return err
		}
		inRow = !ok || !r.SawStop
	}
	return noteLostStop(ctx, v.tx, v.o.Key.Host, v.o.Version, inRow)
}

// stopFound ends the row of lost Stops.
func (v *observer) stopFound(ctx context.Context) error {
	if v.o.Kind != OnStop || v.s.lost == 0 {
		return nil
	}
	return forgetLostStops(ctx, v.tx, v.o.Key.Host)
}
