package agents

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"board/internal/issues"
	"board/internal/runs"
	"board/internal/store"
)

// session names a conversation of a host.
type session struct{ host, key string }

// agent is a session with its reading.
type agent struct {
	*runs.Conversation
	Reading
	of        session
	held      Held
	contested []Contest
}

// runs yields the runs that say something of the agent as it is now: those that live, and the newest of its root.
func (a *agent) runs(yield func(*runs.Run) bool) {
	for i := range a.Live {
		if !yield(&a.Live[i]) {
			return
		}
	}
	if !a.Newest.IsLive() {
		yield(&a.Newest)
	}
}

// world is all that the views rest on, as it was at one moment.
type world struct {
	now      int64
	agents   []*agent // what is open or lives, the oldest first
	issues   []issueRow
	issuesOf map[session][]issueRow
	work     []workRow // of runs that are over
	contests []contest
	scopes   map[int64][]scopeRow
	hosts    map[string]hostRow
	prefix   map[int64]string
	runs     map[int64]*runs.Run // whatever something of the above names, as far as it can be read
	live     map[int64]bool      // lines with a live run
	open     map[session]bool    // those that may go on
	degraded []string
}

// see reads the world, in a number of queries that does not depend on its size. project is the one that is asked for, 0
// for all.
func see(ctx context.Context, tx *store.Tx, spool store.Spool, project int64) (*world, error) {
	w := &world{now: tx.Now, issuesOf: map[session][]issueRow{}, runs: map[int64]*runs.Run{}, live: map[int64]bool{}, open: map[session]bool{}}
	list, skipped, err := runs.Conversations(ctx, tx, tx.Now)
	if err != nil {
		return nil, err
	}
	live, known, late := gather(list)
	edits, err := contestedEdits(ctx, tx)
	if err != nil {
		return nil, err
	}
	for _, step := range []func() error{
		func() (err error) { w.issues, err = openIssues(ctx, tx, tx.Now); return err },
		func() (err error) { w.work, err = workWithoutIssue(ctx, tx, tx.Now, live); return err },
		func() (err error) { w.scopes, err = scopes(ctx, tx, known, project != 0 || late); return err },
		func() (err error) { w.hosts, err = hosts(ctx, tx); return err },
		func() (err error) { w.prefix, err = prefixes(ctx, tx); return err },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	w.meet(list)
	more, unread, err := runs.Some(ctx, tx, tx.Now, w.missing())
	if err != nil {
		return nil, err
	}
	for id, r := range more {
		w.runs[id] = &r
	}
	w.judge(edits)
	w.degraded = degraded(skipped+unread, spool.State())
	return w, nil
}

// gather returns the runs that live, those with the newest of each session, and whether the prompt of one of them is still
// missing: what is proven of it does not count yet.
func gather(list []runs.Conversation) (live, known []int64, late bool) {
	live = []int64{} // an empty list of SQL, and no NULL
	for _, c := range list {
		for _, r := range c.Live {
			live, late = append(live, r.ID), late || r.LateStart
		}
		if known = append(known, c.Newest.ID); c.Newest.LateStart {
			late = true
		}
	}
	known = append(known, live...)
	slices.Sort(known)
	return live, slices.Compact(known), late
}

// meet takes the sessions in.
func (w *world) meet(list []runs.Conversation) {
	w.agents = make([]*agent, 0, len(list))
	for i := range list {
		a := &agent{Conversation: &list[i], of: session{list[i].Line.Host, list[i].Line.Session}}
		for r := range a.runs {
			w.runs[r.ID] = r
			w.live[r.LineID] = w.live[r.LineID] || r.IsLive()
		}
		w.agents = append(w.agents, a)
	}
	slices.SortFunc(w.agents, func(a, b *agent) int {
		return cmp.Or(cmp.Compare(a.Stretch.OpenedAt, b.Stretch.OpenedAt), cmp.Compare(a.Line.ID, b.Line.ID), cmp.Compare(a.of.key, b.of.key))
	})
	for _, i := range w.issues {
		if i.Of != (session{}) {
			w.issuesOf[i.Of] = append(w.issuesOf[i.Of], i)
		}
	}
}

// missing returns the runs that something names, and that are not known from their sessions.
func (w *world) missing() (ids []int64) {
	want := func(id int64) {
		if _, known := w.runs[id]; !known && id != 0 {
			ids = append(ids, id)
		}
	}
	for _, i := range w.issues {
		want(i.LastRun)
		want(i.ClosureRun)
	}
	for _, r := range w.work {
		want(r.Run)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// judge reads every session.
func (w *world) judge(edits []editRow) {
	busy := map[stretch]bool{}
	for _, a := range w.agents {
		a.held = w.heldBy(a)
		a.Reading = Read(*a.Conversation, a.held, w.now)
		w.open[a.of] = a.State != Ended && a.State != Offline
		for _, r := range a.Live {
			busy[stretch{a.of, r.Stretch}] = true
		}
	}
	// What an agent does in mid-turn it may still put to an Issue.
	w.work = slices.DeleteFunc(w.work, func(r workRow) bool { return busy[stretch{r.Of, r.Stretch}] })
	w.contest(edits)
}

// stretch is one session from its start to its end.
type stretch struct {
	of session
	n  int64
}

// heldBy is the Issue in progress that a session holds: its root's, else that of one of its subagents.
func (w *world) heldBy(a *agent) (h Held) {
	for _, i := range w.issuesOf[a.of] {
		if i.State == issues.InProgress && i.Holder != 0 && (h.IssueID == 0 || i.Holder == a.Line.ID) {
			h = Held{IssueID: i.ID, Key: i.Key}
		}
	}
	return h
}

// in reports whether a session is of a project, or at work in it.
func (w *world) in(a *agent, project int64) bool {
	if project == 0 || a.ProjectID() == project {
		return true
	}
	for r := range a.runs {
		if slices.ContainsFunc(w.scopes[r.ID], func(s scopeRow) bool { return s.ProjectID == project }) {
			return true
		}
	}
	return false
}

// degraded says why a view is partial.
func degraded(unread int, spool store.SpoolState) (why []string) {
	if unread > 0 {
		why = append(why, counted(unread, "row", "rows")+" cannot be read")
	}
	if spool.Broken != nil {
		why = append(why, "the spool cannot be read")
	}
	if spool.Waiting > 0 {
		why = append(why, counted(spool.Waiting, "event waits", "events wait")+" to be stored")
	}
	return why
}

// counted is a number with its noun.
func counted[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
