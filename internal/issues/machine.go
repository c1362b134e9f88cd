package issues

import (
	"fmt"
	"slices"
	"strings"

	"board/internal/machine"
)

// rule is one line of the Issue machine. Its checks are kept apart, not folded into one guard, so that a test can take
// away any one of them and show that its absence is noticed.
type rule struct {
	on     Event
	from   []State
	to     State
	who    string
	note   string
	checks []check
}

// check is one named condition of a rule. It returns the fault that tells the caller why not.
type check struct {
	name string
	deny func(facts) error
}

// unborn is the state before create.
const unborn State = ""

// open are the states of an Issue that is neither done nor canceled.
func open() []State { return []State{Todo, InProgress, Paused, InReview} }

func isOpen(s State) bool { return s != Done && s != Canceled }

// rules is the Issue machine: the only place that says how an Issue changes state. The order of a rule's checks is the
// order in which a caller is told what is in the way: first what no call of theirs can change.
func rules() []rule {
	take := []check{notArchived(), notSentAway(), notPausedByPerson(), notHeldByOther(), notReserved(), notBlocked(), holdsNoOther()}
	takeable := []State{Todo, InProgress, Paused, InReview}
	rs := []rule{
		{on: Create, from: []State{unborn}, to: Todo, who: "anyone"},
		{on: BeginWork, from: takeable, to: InProgress, who: "run", note: "claims the Issue", checks: append([]check{runOnly()}, take...)},
		{
			on: Resume, from: takeable, to: InProgress, who: "run; person, from paused only",
			note: "as begin_work; by a person: the claim goes back to the line that had it", checks: append([]check{personFromPaused()}, take...),
		},
		{on: Pause, from: []State{InProgress}, to: Paused, who: "holder; person", checks: []check{holder(), pauseReason(), sentence()}},
		{on: Unclaim, from: []State{InProgress}, to: Todo, who: "holder", checks: []check{runOnly(), holder()}},
		{on: Unclaim, from: []State{Paused}, to: Todo, who: "the line that paused it", checks: []check{runOnly(), holder()}},
		{
			on: Release, from: []State{InProgress, Paused}, to: Todo, who: "person", note: "displaces the session",
			checks: []check{personOnly(), forceIfLive()},
		},
		{
			on: RequestClosure, from: []State{InProgress}, to: InReview, who: "holder, root only",
			checks: []check{runOnly(), rootOnly(), holder(), judged(), met()},
		},
		{on: Approve, from: []State{InReview}, to: Done, who: "person", checks: []check{personOnly(), shown()}},
		{on: RequestChanges, from: []State{InReview}, to: Todo, who: "person", note: "verdicts cleared", checks: []check{personOnly(), sentence()}},
		{on: Close, from: open(), to: Done, who: "person", note: closedByHand, checks: []check{personOnly(), notArchived()}},
		{on: Cancel, from: open(), to: Canceled, who: "person", checks: []check{personOnly(), notArchived()}},
		{on: Reopen, from: []State{Done, Canceled}, to: Todo, who: "person", note: "verdicts cleared", checks: []check{personOnly(), notArchived()}},
	}
	for _, ev := range []Event{Archive, Unarchive} {
		rs = append(rs, flagRules(ev, []State{Todo, Done, Canceled})...)
	}
	for _, ev := range []Event{Hold, Unhold} {
		rs = append(rs, flagRules(ev, open())...)
	}
	return rs
}

// flagRules are the rules of a person's flag, which leaves the state as it
func flagRules(ev Event, states []State) []rule {
	var out []rule
	for _, s := range states {
		out = append(out, rule{on: ev, from: []State{s}, to: s, who: "person", note: "a flag", checks: []check{personOnly()}})
	}
	return out
}

// table builds the machine. It is called with rules() everywhere but in tests that leave a rule or a check out.
func table(rs []rule) machine.Table[State, Event, facts] {
	rows := make([]machine.Row[State, Event, facts], 0, len(rs))
	for _, r := range rs {
		row := machine.Row[State, Event, facts]{On: r.on, From: r.from, To: r.to, Who: r.who, Note: r.note}
		if checks := r.checks; len(checks) > 0 {
			row.Guard = func(f facts) error {
				for _, c := range checks {
					if err := c.deny(f); err != nil {
						return err
					}
				}
				return nil
			}
		}
		rows = append(rows, row)
	}
	return machine.Must("Issue", unborn, States(), rows)
}

// agentMove reports whether runs may make the move at all.
func agentMove(ev Event) bool {
	switch ev {
	case Create, BeginWork, Resume, Pause, Unclaim, RequestClosure, Edit, CommentAdded:
		return true
	}
	return false
}

// personMove reports whether people may make the move at all.
func personMove(ev Event) bool {
	return ev != BeginWork && ev != Unclaim && ev != RequestClosure
}

// MachineDoc returns the Issue machine as Markdown: a Mermaid diagram, and a row for every pair of state and event, so
// that a missing decision shows in review.
func MachineDoc() string {
	rs := rules()
	var b strings.Builder
	b.WriteString("## Issue\n\n```mermaid\nstateDiagram-v2\n")
	for _, r := range rs {
		for _, s := range r.from {
			from := string(s)
			if s == unborn {
				from = "[*]"
			}
			if s != r.to {
				fmt.Fprintf(&b, "    %s --> %s: %s\n", from, r.to, r.on)
			}
		}
	}
	b.WriteString("```\n\n| state | event | to | who | checks | note |\n|---|---|---|---|---|---|\n")
	t := table(rs)
	for _, s := range append([]State{unborn}, States()...) {
		for _, ev := range t.Events() {
			i := slices.IndexFunc(rs, func(r rule) bool { return r.on == ev && slices.Contains(r.from, s) })
			name := string(s)
			if s == unborn {
				name = "–"
			}
			if i < 0 {
				fmt.Fprintf(&b, "| %s | %s | refused | | | |\n", name, ev)
				continue
			}
			var names []string
			for _, c := range rs[i].checks {
				names = append(names, c.name)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", name, ev, rs[i].to, rs[i].who, strings.Join(names, ", "), rs[i].note)
		}
	}
	return b.String()
}
