package issues

import (
	"context"
	"slices"

	"board/internal/fault"
	"board/internal/runs"
)

// Get returns an Issue in full. Project 0 is any project.
func (s *Service) Get(ctx context.Context, projectID int64, key string) (Issue, error) {
	var out Issue
	err := s.read(ctx, func(ctx context.Context, c *call) error {
		row, err := c.find(ctx, c.tx, projectID, key)
		if err != nil {
			return err
		}
		all, err := c.assemble(ctx, []issueRow{row}, true)
		if err == nil {
			out = all[0]
		}
		return err
	})
	return out, err
}

// Next returns the Issue that would be handed out next, or a nothing_ready fault. Project 0 is any project.
func (s *Service) Next(ctx context.Context, projectID int64) (Issue, error) {
	var out Issue
	err := s.read(ctx, func(ctx context.Context, c *call) error {
		row, err := c.firstReady(ctx, projectID)
		if err != nil {
			return err
		}
		all, err := c.assemble(ctx, []issueRow{row}, true)
		if err == nil {
			out = all[0]
		}
		return err
	})
	return out, err
}

// List returns a page of Issues: ready ones in the order in which they are handed out, others by state.
func (s *Service) List(ctx context.Context, f Filter) (Page, error) {
	for _, st := range f.States {
		if !slices.Contains(States(), st) {
			return Page{}, fault.New(fault.Invalid, "", "%q is no state", quote(string(st)))
		}
	}
	after, err := parseCursor(f.Cursor, f.Ready)
	if err != nil {
		return Page{}, err
	}
	var page Page
	err = s.read(ctx, func(ctx context.Context, c *call) error {
		page = Page{}
		limit := 0
		if f.Limit > 0 {
			limit = f.Limit + 1 // one more tells whether there is another page
		}
		var rows []issueRow
		var err error
		if f.Ready {
			rows, page.Total, err = c.readyRows(ctx, f, after, limit)
		} else {
			rows, page.Total, err = c.rows(ctx, f, after, limit)
		}
		if err != nil {
			return err
		}
		if f.Limit > 0 && len(rows) > f.Limit {
			rows = rows[:f.Limit]
			last := cursorAt(rows[f.Limit-1])
			last.Ready = f.Ready
			page.Next = last.String()
		}
		page.Issues, err = c.assemble(ctx, rows, false)
		return err
	})
	return page, err
}

// rows returns up to limit (0: all) Issues, state by state in the order of the columns, and the number of all of them.
func (c *call) rows(ctx context.Context, f Filter, after *cursor, limit int) ([]issueRow, int, error) {
	counts, err := c.countStates(ctx, c.tx, f)
	if err != nil {
		return nil, 0, err
	}
	var out []issueRow
	total := 0
	reached := after == nil
	for _, st := range States() {
		if len(f.States) > 0 && !slices.Contains(f.States, st) {
			continue
		}
		total += counts[st]
		var from *cursor
		if !reached {
			if st != after.State {
				continue
			}
			reached, from = true, after
		}
		if counts[st] == 0 || limit > 0 && len(out) >= limit {
			continue
		}
		left := 0
		if limit > 0 {
			left = limit - len(out)
		}
		rows, err := c.inState(ctx, c.tx, f, st, from, left)
		if err != nil {
			return nil, 0, err
		}
		out = append(out, rows...)
	}
	return out, total, nil
}

// Counts returns the numbers of a project, or of all with 0.
func (s *Service) Counts(ctx context.Context, projectID int64) (Counts, error) {
	out := Counts{}
	err := s.read(ctx, func(ctx context.Context, c *call) error {
		f := Filter{ProjectID: projectID}
		states, err := c.countStates(ctx, c.tx, f)
		if err != nil {
			return err
		}
		for _, st := range States() {
			states[st] += 0
		}
		t, err := c.tally(ctx, c.tx, projectID)
		if err != nil {
			return err
		}
		again, err := c.freeAgain(ctx, f)
		if err != nil {
			return err
		}
		n, err := c.countReady(ctx, c.tx, f)
		out = Counts{States: states, Ready: int(n) + len(again), ChangesRequested: t.Changes, WaitingOnPerson: t.Waiting, Held: t.Held}
		return err
	})
	return out, err
}

// History returns changes of Issues, newest first.
func (s *Service) History(ctx context.Context, f HistoryFilter) ([]Change, error) {
	var out []Change
	err := s.read(ctx, func(ctx context.Context, c *call) error {
		var id int64
		if f.Key != "" {
			row, err := c.find(ctx, c.tx, f.ProjectID, f.Key)
			if err != nil {
				return err
			}
			id = row.ID
		}
		rows, err := c.changes(ctx, c.tx, f.ProjectID, id, f.Cursor, f.Limit)
		if err != nil {
			return err
		}
		out, err = c.history(ctx, rows)
		return err
	})
	return out, err
}

func (c *call) history(ctx context.Context, rows []historyRow) ([]Change, error) {
	var ids []int64
	for _, h := range rows {
		ids = append(ids, h.EntityID)
	}
	keys, err := c.keysByID(ctx, c.tx, ids)
	if err != nil {
		return nil, err
	}
	out := make([]Change, 0, len(rows))
	for _, h := range rows {
		out = append(out, Change{
			Seq: h.Seq, At: h.At, Event: h.Event, Actor: actorName(h.Actor, h.Person, h.RunID), Person: h.Person, Machine: h.Machine,
			Identity: h.Identity, From: h.FromState, To: h.ToState, Revision: h.Revision, Detail: details(h.Detail), Key: keys[h.EntityID],
		})
	}
	return out, nil
}

// Acting returns the run that an actor is, as it is now, and the key of the Issue to show for it: the one that its line
// holds, or for a subagent without one its root's. It is asked to say who calls, not whether they may: a run that has
// ended is still the one that was named, and who is proven is who calls, whatever run they name. People and undeclared
// agents are no run.
func (s *Service) Acting(ctx context.Context, a Actor) (*runs.Run, string, error) {
	if !a.Agent || a.Undeclared {
		return nil, "", nil
	}
	var run *runs.Run
	var key string
	err := s.read(ctx, func(ctx context.Context, c *call) error {
		run, key = nil, ""
		who, err := runs.Peek(ctx, c.tx, c.tx.Now, a.Who)
		switch fault.CodeOf(err) {
		case fault.RunEnded:
			err = nil
		case fault.NotYourRun:
			a.Who.Handle = ""
			who, err = runs.Peek(ctx, c.tx, c.tx.Now, a.Who)
		}
		if err != nil {
			return err
		}
		run = &who.Run
		for _, line := range []int64{who.Line.ID, who.Root.ID} {
			held, ok, err := c.heldBy(ctx, c.tx, line)
			if err != nil {
				return err
			}
			if ok {
				key = c.keyOf(held)
				return nil
			}
		}
		return nil
	})
	return run, key, err
}
