package issues

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"board/internal/fault"
	"board/internal/runs"
	"board/internal/store"
)

// call is one use case on its way through a transaction.
type call struct {
	*Service
	tx     *store.Tx
	actor  Actor
	caller runs.Caller // zero for people and for agents that do not say which run they are
	prefix map[int64]string
	config map[string]runs.Config // by host and project
}

func (s *Service) newCall(ctx context.Context, tx *store.Tx, a Actor) (*call, error) {
	c := &call{Service: s, tx: tx, actor: a, config: map[string]runs.Config{}}
	if a.Person != "" {
		tx.Person = a.Person
	}
	if a.Machine != "" {
		tx.Machine = a.Machine
	}
	var err error
	c.prefix, err = s.prefixes(ctx, tx)
	return c, err
}

// write runs a use case in one immediate transaction. A refused call writes nothing but the sign of life of its caller.
func (s *Service) write(ctx context.Context, a Actor, fn func(context.Context, *call) error) error {
	var refused error
	err := s.db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		refused = nil
		c, err := s.newCall(ctx, tx, a)
		if err != nil {
			return err
		}
		if a.Agent && !a.Undeclared {
			if c.caller, err = runs.Resolve(ctx, tx, a.Who); err != nil {
				return err
			}
		}
		if err := savepoint(ctx, tx); err != nil {
			return err
		}
		err = fn(ctx, c)
		var f *fault.Fault
		if errors.As(err, &f) && f.Code != fault.StoreBusy {
			refused = err
			return rollbackTo(ctx, tx)
		}
		return err
	})
	if err != nil {
		return err
	}
	return refused
}

// read runs fn on a consistent view of the store.
func (s *Service) read(ctx context.Context, fn func(context.Context, *call) error) error {
	return s.db.Read(ctx, func(ctx context.Context, tx *store.Tx) error {
		c, err := s.newCall(ctx, tx, Actor{})
		if err != nil {
			return err
		}
		return fn(ctx, c)
	})
}

// declared reports whether the caller is a run that is known.
func (c *call) declared() bool { return c.caller.Run.ID != 0 }

// name is the caller as shown to others.
func (c *call) name() string {
	switch {
	case c.declared():
		return c.caller.Run.Short()
	case c.actor.Agent:
		return undeclared
	}
	return c.tx.Person
}

// undeclared is how an agent is shown that used the command line without saying which run it is.
const undeclared = "agent, undeclared"

// kind and identity of the caller, for history.
func (c *call) kind() (actor, identity string) {
	switch {
	case c.declared() && c.caller.Proven:
		return "run", "proven"
	case c.declared():
		return "run", "declared"
	case c.actor.Agent:
		return "agent", "undeclared"
	}
	return "person", ""
}

func (c *call) keyOf(r issueRow) string { return FormatKey(c.prefix[r.ProjectID], r.Number) }

func (c *call) settings(ctx context.Context, host string, project int64) (runs.Config, error) {
	k := fmt.Sprintf("%s\x00%d", host, project)
	if got, ok := c.config[k]; ok {
		return got, nil
	}
	got, err := runs.Settings(ctx, c.tx, host, project)
	c.config[k] = got
	return got, err
}

// record appends a row to the history of an Issue. Rows of content name the state too: the last row of an Issue always
// says in which state it is.
func (c *call) record(ctx context.Context, row issueRow, ev Event, from State, detail map[string]string) error {
	actor, identity := c.kind()
	for k, v := range detail {
		if v == "" {
			delete(detail, k)
		}
	}
	return c.tx.Append(ctx, store.Entry{
		Entity: "issue", EntityID: row.ID, ProjectID: row.ProjectID, Event: string(ev), From: string(from), To: string(row.State),
		Revision: row.Revision, Actor: actor, RunID: c.caller.Run.ID, Identity: identity, Detail: detail,
	})
}

// wrote marks a board write by the caller's line, and for a decision that its run made one.
func (c *call) wrote(ctx context.Context, ev Event) error {
	if !c.declared() {
		return nil
	}
	if err := runs.MarkWrite(ctx, c.tx, c.caller.Line.ID); err != nil {
		return err
	}
	switch ev {
	case RequestClosure, Pause, Unclaim:
		return runs.MarkDecision(ctx, c.tx, c.caller.Run.ID)
	}
	return nil
}

// result is the answer to a call: the whole Issue as it is now, and the run with its fresh revision.
func (c *call) result(ctx context.Context, id int64, repeat bool) (Result, error) {
	row, ok, err := c.byID(ctx, c.tx, id)
	if err != nil || !ok {
		return Result{}, errors.Join(err, missing(ok))
	}
	all, err := c.assemble(ctx, []issueRow{row}, true)
	if err != nil {
		return Result{}, err
	}
	r := Result{Issue: all[0], Repeat: repeat}
	if c.declared() {
		run, err := runs.ByID(ctx, c.tx, c.tx.Now, c.caller.Run.ID)
		if err != nil {
			return Result{}, err
		}
		r.Run = &run
	}
	return r, nil
}

func missing(ok bool) error {
	if ok {
		return nil
	}
	return fault.New(fault.Internal, "", "an Issue vanished")
}

// reading says how firmly a line holds an Issue.
func (c *call) reading(ctx context.Context, row issueRow, st map[int64]runs.Status) (ClaimState, error) {
	if row.State != InProgress {
		return Unclaimed, nil
	}
	h, ok := st[row.HolderLine]
	if !ok {
		return Lapsed, nil
	}
	cfg, err := c.settings(ctx, h.Line.Host, row.ProjectID)
	return readClaim(c.tx.Now, h, cfg.Reserve), err
}

// readClaim is the reading of a claim from its line, a pure function of facts and clock.
func readClaim(now int64, h runs.Status, reserve int64) ClaimState {
	switch {
	case h.Live:
		return Active
	case !h.SessionEnded && !h.HostGone && now < h.LastEventAt+reserve:
		return Reserved
	}
	return Lapsed
}

// who is a line as shown: its newest run, and its host.
func who(st runs.Status) string {
	if st.Run.ID == 0 {
		return st.Line.Host
	}
	return st.Run.Short() + " (" + st.Line.Host + ")"
}

// keysOf joins the keys of open blockers.
func openKeys(links []link) []string {
	var out []string
	for _, l := range links {
		if k := FormatKey(l.Prefix, l.Number); isOpen(l.State) && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}
