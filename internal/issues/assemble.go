package issues

import (
	"context"
	"slices"

	"board/internal/runs"
)

// assemble turns rows into Issues with everything derived, for lists or in full.
func (c *call) assemble(ctx context.Context, rows []issueRow, full bool) ([]Issue, error) {
	var lines, ids, parents []int64
	for _, r := range rows {
		lines = append(lines, r.HolderLine)
		ids = append(ids, r.ID)
		if r.ParentID != 0 {
			parents = append(parents, r.ParentID)
		}
	}
	st, err := runs.StatusOf(ctx, c.tx, c.tx.Now, lines...)
	if err != nil {
		return nil, err
	}
	links, err := c.blockersOf(ctx, c.tx, ids...)
	if err != nil {
		return nil, err
	}
	parentKeys, err := c.keysByID(ctx, c.tx, parents)
	if err != nil {
		return nil, err
	}
	out := make([]Issue, 0, len(rows))
	for _, r := range rows {
		claim, err := c.reading(ctx, r, st)
		if err != nil {
			return nil, err
		}
		i := c.derive(r, claim, st[r.HolderLine])
		i.Parent = parentKeys[r.ParentID]
		for _, l := range links {
			if l.IssueID == r.ID {
				i.BlockedBy = append(i.BlockedBy, FormatKey(l.Prefix, l.Number))
			}
		}
		if full {
			if err := c.fill(ctx, r, &i); err != nil {
				return nil, err
			}
		}
		out = append(out, i)
	}
	return out, nil
}

// derive is what follows from a row, the reading of its claim, and the line that holds it.
func (c *call) derive(r issueRow, claim ClaimState, h runs.Status) Issue {
	i := Issue{
		Key: c.keyOf(r), UUID: r.UUID, ProjectID: r.ProjectID, Title: r.Title, State: r.State, Priority: r.Priority, Rank: r.Rank,
		Type: r.Type, Due: r.Due, Labels: unlist(r.Labels), Links: unlist(r.Links), Hold: r.Hold, Archived: r.Archived,
		Blocked: r.OpenBlockers > 0, BlockedBy: []string{}, Ready: ready(r, claim), Revision: r.Revision,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, PauseReason: r.PauseReason, PausedByPerson: r.PausedByPerson,
		LastReason: r.LastReason, SentBack: r.ChangesRequested,
		Abandoned: r.State == InProgress && claim == Lapsed,
	}
	i.Stale = IsStale(r.State, claim == Active, max(r.UpdatedAt, h.LastEventAt), c.tx.Now)
	if claim != Unclaimed {
		i.Claim = Claim{State: claim, Run: h.Run.Short(), Host: h.Line.Host, Since: r.ClaimedAt, Fence: r.Fence}
	}
	return i
}

// fill adds what only a single Issue shows.
func (c *call) fill(ctx context.Context, r issueRow, i *Issue) (err error) {
	if i.Description, err = c.description(ctx, c.tx, r.ID); err != nil {
		return err
	}
	crit, err := c.criteria(ctx, c.tx, r.ID)
	if err != nil {
		return err
	}
	for _, k := range crit {
		i.Criteria = append(i.Criteria, Criterion{N: int(k.N), Text: k.Text, Verdict: k.Verdict, How: k.How})
	}
	said, err := c.remarks(ctx, c.tx, comments(), r.ID)
	if err != nil {
		return err
	}
	for _, m := range said {
		i.Comments = append(i.Comments, Comment{ID: m.ID, At: m.At, Actor: actorName(m.Actor, m.Person, m.RunID), Text: m.Text})
	}
	if r.ClosureRun != 0 {
		i.Closure = &Closure{
			Summary: r.ClosureSummary, Run: runs.ShortHandle(r.ClosureRun), RequestedAt: r.RequestedAt,
			Revision: r.ClosureRevision, Evidence: r.ClosureEvidence,
		}
	}
	rows, err := c.changes(ctx, c.tx, 0, r.ID, 0, 0)
	if err != nil {
		return err
	}
	slices.Reverse(rows)
	if i.History, err = c.history(ctx, rows); err != nil {
		return err
	}
	for _, h := range i.History {
		switch Event(h.Event) {
		case Pause, Unclaim, Release, RequestChanges, Reopen:
			if h.Detail["reason"] != "" {
				i.LastReasonOf = Event(h.Event)
			}
		}
	}
	return nil
}
