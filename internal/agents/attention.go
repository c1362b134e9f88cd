package agents

import (
	"slices"

	"board/internal/issues"
	"board/internal/runs"
)

// Code says why an agent, an Issue or a host wants a person's attention.
type Code string

// The codes.
const (
	CodeNeedsApproval        Code = "needs_approval"
	CodeNeedsAnswer          Code = "needs_answer" // of a dialog, or of an Issue that an agent paused
	CodeClosureWaiting       Code = "closure_waiting"
	CodeLostWithIssue        Code = "lost_with_issue"     // a run was lost in mid-turn or its session is over, and its Issue is in progress
	CodeEditsWithoutIssue    Code = "edits_without_issue" // files were changed, and no Issue says why
	CodeReviewOpen           Code = "review_open"
	CodeGuaranteeUnavailable Code = "guarantee_unavailable" // what it changed cannot be judged
	CodeCorrelationDegraded  Code = "correlation_degraded"  // the events of the host do not belong together any more
	CodeHooksSilent          Code = "hooks_silent"          // the host works, and none of its hooks fires
	CodeContestedPath        Code = "contested_path"        // live runs of different sessions changed the same file
	CodeStaleIssue           Code = "stale_issue"
	CodeOrphan               Code = "orphan"        // a session and its runs contradict each other
	CodeViewDegraded         Code = "view_degraded" // something could not be read, or waits to be stored
)

// Codes returns every code, in the order in which an agent shows them.
func Codes() []Code {
	var all []Code
	for _, r := range rules() {
		all = append(all, r.code)
	}
	return all
}

// lostInRow is from how many Stops on that belonged to no run, one after the other, the correlation counts as lost.
const lostInRow = runs.LostInRow

// rule says when an agent shows a code. Each is a function of what was seen alone.
type rule struct {
	code Code
	of   func(w *world, a *agent) bool
}

func rules() []rule {
	state := func(s State) func(*world, *agent) bool {
		return func(_ *world, a *agent) bool { return a.State == s }
	}
	issue := func(c Code) func(*world, *agent) bool {
		return func(w *world, a *agent) bool {
			return slices.ContainsFunc(w.issuesOf[a.of], func(i issueRow) bool { return w.waits(i) == c })
		}
	}
	return []rule{
		{CodeNeedsApproval, state(NeedsApproval)},
		{CodeNeedsAnswer, either(state(NeedsAnswer), issue(CodeNeedsAnswer))},
		{CodeClosureWaiting, issue(CodeClosureWaiting)},
		{CodeLostWithIssue, issue(CodeLostWithIssue)},
		{CodeEditsWithoutIssue, (*world).editedWithoutIssue},
		{CodeReviewOpen, never}, // nothing opens a review
		{CodeGuaranteeUnavailable, (*world).unjudgeable},
		{CodeCorrelationDegraded, func(w *world, a *agent) bool { return w.hosts[a.of.host].degraded() }},
		{CodeHooksSilent, func(w *world, a *agent) bool { return w.hosts[a.of.host].silent() }},
		{CodeContestedPath, func(_ *world, a *agent) bool { return len(a.contested) > 0 }},
		{CodeStaleIssue, issue(CodeStaleIssue)},
		{CodeOrphan, func(w *world, a *agent) bool { return a.Flagged(w.now) }},
		{CodeViewDegraded, never}, // of the whole view, which says so once
	}
}

func never(*world, *agent) bool { return false }

func either(a, b func(*world, *agent) bool) func(*world, *agent) bool {
	return func(w *world, x *agent) bool { return a(w, x) || b(w, x) }
}

// attention is what an agent shows.
func (w *world) attention(a *agent, all []rule) (codes []Code) {
	for _, r := range all {
		if r.of(w, a) {
			codes = append(codes, r.code)
		}
	}
	return codes
}

// waits says why an Issue waits on a person, "" if it does not: one reason, the most telling one.
func (w *world) waits(i issueRow) Code {
	switch {
	case i.State == issues.InReview:
		return CodeClosureWaiting
	case i.State == issues.Paused && !i.PausedByPerson && w.asks(i):
		return CodeNeedsAnswer
	case i.State == issues.InProgress && w.lost(i):
		return CodeLostWithIssue
	case issues.IsStale(i.State, w.live[i.Holder], max(i.UpdatedAt, i.LineSeenAt), w.now):
		return CodeStaleIssue
	}
	return ""
}

// asks reports whether a paused Issue waits for a person. One that is blocked by Issues waits for them.
func (w *world) asks(i issueRow) bool {
	return i.Pause == issues.Question || i.Pause == issues.BlockedBy && i.Blockers == 0
}

// lost reports whether nobody goes on with an Issue that is in progress: whoever holds it stopped in mid-turn and nobody
// said so, or its session is over.
func (w *world) lost(i issueRow) bool {
	if i.Holder == 0 || w.live[i.Holder] {
		return false
	}
	r := w.runs[i.LastRun]
	return !w.open[i.Of] || r != nil && !r.IsLive() && (r.Outcome == runs.Lost || r.Reason == runs.ReasonHostGone)
}

func (w *world) editedWithoutIssue(a *agent) bool {
	return slices.ContainsFunc(w.work, func(r workRow) bool { return r.Of == a.of && r.Stretch == a.Stretch.N })
}

// unjudgeable reports whether a run of the agent changed files of a project in which it cannot be proven what it did.
func (w *world) unjudgeable(a *agent) bool {
	for r := range a.runs {
		for _, s := range w.scopes[r.ID] {
			if v, _ := s.Reading(*r); s.Edited && v != runs.Supported {
				return true
			}
		}
	}
	return false
}

func (h hostRow) degraded() bool { return h.Lost >= lostInRow }

func (h hostRow) silent() bool { return runs.HooksSilent(h.Hook, h.Witnessed) }
