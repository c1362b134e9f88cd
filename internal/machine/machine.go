// Package machine turns a typed table of events into a finite-state machine that looplab/fsm runs.
package machine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/looplab/fsm"
)

// Row is one line of a machine's table: in any state of From, event On leads to To if Guard allows it.
// A nil Guard always allows. Who and Note are for the generated documentation.
type Row[S, E ~string, G any] struct {
	On    E
	From  []S
	To    S
	Guard func(G) error
	Who   string
	Note  string
}

// Table is a checked machine. It holds no state: Fire builds an fsm per call and throws it away, because an fsm that
// is kept in an entity gets stuck after a cancelled context or a panicking callback.
type Table[S, E ~string, G any] struct {
	Name    string
	Initial S // the state before the first event, "" where a row creates the entity
	States  []S
	Rows    []Row[S, E, G]
}

// RefusedError says that the table has no row for this event in this state.
type RefusedError struct {
	Machine, Event, State string
	Allowed               []string // events that have a row in this state
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s: %s is not possible in state %q (possible: %s)", e.Machine, e.Event, e.State, strings.Join(e.Allowed, ", "))
}

// GuardError says that a row exists, and its guard refused.
type GuardError struct{ Err error }

func (e *GuardError) Error() string { return e.Err.Error() }

// Unwrap returns the guard's own error.
func (e *GuardError) Unwrap() error { return e.Err }

// New checks the rows and returns the table. It refuses unknown states and two rows for one (state, event).
func New[S, E ~string, G any](name string, initial S, states []S, rows []Row[S, E, G]) (Table[S, E, G], error) {
	t := Table[S, E, G]{Name: name, Initial: initial, States: states, Rows: rows}
	seen := map[string]bool{}
	for _, r := range rows {
		for _, f := range append(slices.Clone(r.From), r.To) {
			if f != initial && !slices.Contains(states, f) {
				return t, fmt.Errorf("machine %s: row %s names unknown state %q", name, r.On, f)
			}
		}
		for _, f := range r.From {
			k := string(f) + "\x00" + string(r.On)
			if seen[k] {
				return t, fmt.Errorf("machine %s: two rows for %s in state %q", name, r.On, f)
			}
			seen[k] = true
		}
	}
	return t, nil
}

// Must is New for tables that are written in the source: a wrong table is a defect.
func Must[S, E ~string, G any](name string, initial S, states []S, rows []Row[S, E, G]) Table[S, E, G] {
	t, err := New(name, initial, states, rows)
	if err != nil {
		panic(err)
	}
	return t
}

// Fire asks the machine what event ev does in state from. The fsm is built from the event's row alone: no other row of
// the table could take part in it.
// It returns the new state, or a *RefusedError or
// *GuardError. The one before_event callback runs the row's guard; nothing happens on enter or after.
func (t Table[S, E, G]) Fire(ctx context.Context, from S, ev E, g G) (S, error) {
	row, ok := t.Row(from, ev)
	if !ok {
		return from, &RefusedError{Machine: t.Name, Event: string(ev), State: string(from), Allowed: text(t.Allowed(from))}
	}
	m := fsm.NewFSM(string(from), fsm.Events{{Name: string(row.On), Src: text(row.From), Dst: string(row.To)}}, fsm.Callbacks{
		"before_event": func(_ context.Context, e *fsm.Event) {
			if row.Guard == nil {
				return
			}
			if err := row.Guard(g); err != nil {
				e.Cancel(&GuardError{Err: err})
			}
		},
	})
	err := m.Event(ctx, string(ev))
	var same fsm.NoTransitionError
	var canceled fsm.CanceledError
	switch {
	case err == nil:
		return S(m.Current()), nil
	case errors.As(err, &canceled):
		return from, canceled.Err
	case errors.As(err, &same) && same.Err == nil:
		return S(m.Current()), nil
	default:
		return from, fmt.Errorf("machine %s: %w", t.Name, err)
	}
}

// Row returns the row for ev in state from.
func (t Table[S, E, G]) Row(from S, ev E) (Row[S, E, G], bool) {
	for _, r := range t.Rows {
		if r.On == ev && slices.Contains(r.From, from) {
			return r, true
		}
	}
	return Row[S, E, G]{}, false
}

// Allowed returns the events that have a row in state from, in the order of the table.
func (t Table[S, E, G]) Allowed(from S) []E {
	var out []E
	for _, r := range t.Rows {
		if slices.Contains(r.From, from) && !slices.Contains(out, r.On) {
			out = append(out, r.On)
		}
	}
	return out
}

// Events returns every event of the table, in its order.
func (t Table[S, E, G]) Events() []E {
	var out []E
	for _, r := range t.Rows {
		if !slices.Contains(out, r.On) {
			out = append(out, r.On)
		}
	}
	return out
}

func text[T ~string](in []T) []string {
	out := make([]string, len(in))
	for i, v := range in {
		out[i] = string(v)
	}
	return out
}
