package runs

import "context"

// stopLost counts a root's Stop that belongs to no run: if they become many in a row, the ids of the host's events do not
// belong together any more, and nothing that board shows of it is worth much. One is a sign of that only where the newest
// turn of its session has not ended, and once for each: who types !cmd in Claude Code makes Stops without a prompt.
func (v *observer) stopLost(ctx context.Context, named bool) error {
	if v.o.Kind != OnStop || !named {
		return nil
	}
	inRow := v.o.Key.Host != ClaudeCode // before any turn: there it may be !cmd, elsewhere its prompt is lost too
	if last := v.root.LastRun; last != 0 {
		r, ok, err := runByID(ctx, v.tx, last)
		if err != nil {
			return err
		}
		inRow = ok && last != v.root.LostOf && !r.SawStop && !r.SawFailure && !r.SawInterrupt
	}
	if inRow {
		v.root.LostOf = v.root.LastRun
	}
	return noteLostStop(ctx, v.tx, v.o.Key.Host, v.o.Version, inRow)
}

// stopFound ends the row of lost Stops.
func (v *observer) stopFound(ctx context.Context) error {
	if v.o.Kind != OnStop || v.s.lost == 0 {
		return nil
	}
	return forgetLostStops(ctx, v.tx, v.o.Key.Host, v.o.Version)
}
