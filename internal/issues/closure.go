package issues

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"board/internal/fault"
	"board/internal/runs"
)

func cleanJudgments(js []Judgment) error {
	seen := map[int]bool{}
	for i := range js {
		j := &js[i]
		switch j.Verdict {
		case Met, Unmet, NotApplicable:
		default:
			return fault.New(fault.Invalid, "", "the verdict on criterion %d is met, unmet or not_applicable", j.N)
		}
		if seen[j.N] {
			return fault.New(fault.Invalid, "give one verdict for each criterion", "criterion %d is judged twice", j.N)
		}
		seen[j.N] = true
		var err error
		if j.How, err = phrase("way a criterion was checked", j.How, MaxCriterionRunes); err != nil {
			return err
		}
	}
	return nil
}

// judge compares the verdicts of a request for closure with the criteria, and counts the evidence it rests on.
func (c *call) judge(ctx context.Context, f *facts, js []Judgment) error {
	rows, err := c.criteria(ctx, c.tx, f.issue.ID)
	if err != nil {
		return err
	}
	given := map[int]Judgment{}
	for _, j := range js {
		given[j.N] = j
	}
	for _, r := range rows {
		j, ok := given[int(r.N)]
		switch {
		case !ok || j.How == "":
			f.unjudged = append(f.unjudged, int(r.N))
		case j.Verdict == Unmet:
			f.unmet = append(f.unmet, int(r.N))
		}
		delete(given, int(r.N))
	}
	for n := range given {
		f.stray = append(f.stray, n)
	}
	slices.Sort(f.stray)
	f.evidence, err = c.evidence(ctx, c.tx, f.issue.ProjectID, c.caller.Root)
	return err
}

// differs says in what a request for closure differs from what the Issue says already, "" for nothing.
func (c *call) differs(ctx context.Context, row issueRow, in input) (string, error) {
	if in.summary != row.ClosureSummary {
		return "the summary", nil
	}
	rows, err := c.criteria(ctx, c.tx, row.ID)
	if err != nil {
		return "", err
	}
	given := map[int]Judgment{}
	for _, j := range in.judgments {
		given[j.N] = j
	}
	var ns []int
	for _, r := range rows {
		if j := given[int(r.N)]; r.Verdict == "" || j.Verdict != r.Verdict || j.How != r.How {
			ns = append(ns, int(r.N))
		}
		delete(given, int(r.N))
	}
	for n := range given {
		ns = append(ns, n)
	}
	if len(ns) == 0 {
		return "", nil
	}
	slices.Sort(ns)
	return numbers(ns), nil
}

// saveVerdicts stores the verdicts, takes the Issue from the subagents that act on it, and names the session's live
// ones: they do not block the closure, and whoever reads it should know of them.
func (c *call) saveVerdicts(ctx context.Context, f facts, in input) ([]string, error) {
	rows, err := c.criteria(ctx, c.tx, f.issue.ID)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		i := slices.IndexFunc(in.judgments, func(j Judgment) bool { return int64(j.N) == r.N })
		if i < 0 {
			continue
		}
		r.Verdict, r.How = in.judgments[i].Verdict, in.judgments[i].How
		if err := c.saveCriterion(ctx, c.tx, r); err != nil {
			return nil, err
		}
	}
	live, err := runs.LiveChildren(ctx, c.tx, c.tx.Now, c.caller.Root.ID)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, r := range live {
		names = append(names, r.Short())
		if r.IssueID == f.issue.ID && r.LineID != f.issue.HolderLine {
			if err := runs.Rebind(ctx, c.tx, r.LineID, r.ID, runs.Displaced, 0); err != nil {
				return nil, err
			}
		}
	}
	return names, nil
}

// since says in a few words what changed an Issue after its closure was requested.
func (c *call) since(ctx context.Context, row issueRow) ([]string, error) {
	rows, err := c.changes(ctx, c.tx, 0, row.ID, 0, 50)
	if err != nil {
		return nil, err
	}
	var parts []string
	more := 0
	for _, h := range rows { // newest first
		switch {
		case h.Revision <= row.ClosureRevision || Event(h.Event) == CommentAdded:
		case len(parts) < 3:
			parts = append(parts, c.words(h))
		default:
			more++
		}
	}
	slices.Reverse(parts)
	if more > 0 {
		parts = append(parts, fmt.Sprintf("and %d earlier changes", more))
	}
	if len(parts) == 0 {
		parts = []string{fmt.Sprintf("revision %d, not %d", row.Revision, row.ClosureRevision)}
	}
	return parts, nil
}

// lastChange says in a few words what changed an Issue last.
func (c *call) lastChange(ctx context.Context, row issueRow) (string, error) {
	rows, err := c.changes(ctx, c.tx, 0, row.ID, 0, 10)
	for _, h := range rows {
		if Event(h.Event) != CommentAdded {
			return "last changed: " + c.words(h), err
		}
	}
	return "it changed", err
}

// words is a change in a few words: edit of title by r9.
func (c *call) words(h historyRow) string {
	what := h.Event
	if f := cmp.Or(details(h.Detail)["fields"], details(h.Detail)["run"]); f != "" {
		what += " of " + quote(f)
	}
	return what + " by " + nameOf(actorName(h.Actor, h.Person, h.RunID))
}

func details(s string) map[string]string {
	out := map[string]string{}
	if err := json.Unmarshal([]byte(s), &out); err != nil {
		return nil
	}
	return out
}

// actorName is who wrote a row of history, a comment or a note.
func actorName(actor, person string, run int64) string {
	switch actor {
	case "run":
		return runs.ShortHandle(run)
	case "agent":
		return undeclared
	}
	return person
}
