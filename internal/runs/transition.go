package runs

import (
	"context"
	"errors"

	"board/internal/machine"
	"board/internal/store"
)

func record(tx *store.Tx, r Run, event, from, actor string) {
	detail := map[string]string{}
	if r.State == Ended {
		detail["outcome"], detail["basis"], detail["reason"] = string(r.Outcome), string(r.Basis), r.Reason
	}
	tx.AppendLater(store.Entry{
		Entity: "run", EntityID: r.ID, ProjectID: r.ProjectID, Event: event, From: from, To: string(r.State), Revision: r.Revision,
		Actor: actor, RunID: r.ID, Detail: detail,
	})
}

// step asks the machine for the first of the events that it allows, and changes r accordingly. It answers false if it
// allows none. Nothing is stored.
func step(ctx context.Context, r *Run, f Facts, at int64, reason string, events ...Event) (Event, bool, error) {
	f.Run = *r
	m := Machine()
	for _, ev := range events {
		to, err := m.Fire(ctx, r.State, ev, f)
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
	before := r
	at := f.Now
	if ev == Expire {
		if !f.Heard {
			var err error
			if r, err = looks(nil).proved(ctx, tx, r, f.Now); err != nil {
				return r, err
			}
		}
		if e := r.At(f.Now); reason == "" {
			reason, at = e.Reason, e.EndedAt
		}
	}
	_, ok, err := step(ctx, &r, f, at, reason, ev)
	if err != nil || !ok {
		return r, err
	}
	if err := saveRun(ctx, tx, before, &r); err != nil {
		return r, err
	}
	record(tx, r, string(ev), string(before.State), actor)
	return r, nil
}
