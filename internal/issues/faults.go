package issues

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"board/internal/fault"
	"board/internal/machine"
	"board/internal/text"
)

// Answers to agents stay under 400 bytes as a whole, so what a message quotes is cut.
const (
	quotedRunes = 40
	namedRunes  = 24
)

func quote(s string) string { return text.Line(s, quotedRunes) }

func nameOf(s string) string { return text.Line(s, namedRunes) }

// stamp is a time in a message.
func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }

// numbers is "criterion 2" or "criteria 1, 3", cut after eight.
func numbers(ns []int) string {
	word := "criterion "
	if len(ns) > 1 {
		word = "criteria "
	}
	var out []string
	for i, n := range ns {
		if i == 8 {
			out = append(out, "…")
			break
		}
		out = append(out, strconv.Itoa(n))
	}
	return word + strings.Join(out, ", ")
}

// pick chooses the words for the kind of caller: agents call tools, people type commands.
func (f facts) pick(agent, person string) string {
	if f.person {
		return person
	}
	return agent
}

func personOnlyFault() error {
	return fault.New(fault.PersonOnly, "ask the person, or say so in a comment", "this is a person's decision")
}

// refusal turns what the machine says into a fault.
func (f facts) refusal(err error) error {
	var no *machine.GuardError
	if errors.As(err, &no) {
		return no.Err
	}
	var never *machine.RefusedError
	if errors.As(err, &never) {
		if !f.person && !agentMove(f.event) {
			return personOnlyFault()
		}
		return f.wrongState()
	}
	return err
}

// wrongState says what the caller could do in this state instead.
func (f facts) wrongState() error {
	var can []string
	for _, r := range rules() {
		if slices.Contains(r.from, f.issue.State) && f.offers(r.on) && !slices.Contains(can, f.verb(r.on)) {
			can = append(can, f.verb(r.on))
		}
	}
	hint := "possible now: " + strings.Join(can, ", ")
	if len(can) == 0 {
		hint = "only a person can change that"
	}
	return fault.New(fault.WrongState, hint, "%s is %s (revision %d), where %s is not possible", f.key, f.issue.State, f.issue.Revision, f.verb(f.event))
}

// offers reports whether an event is worth a try in a state that has it.
func (f facts) offers(ev Event) bool {
	i := f.issue
	switch ev {
	case Archive, Unarchive:
		return f.person && i.Archived == (ev == Unarchive)
	case Hold, Unhold:
		return f.person && i.Hold == (ev == Unhold)
	}
	switch {
	case i.Archived:
		return false
	case f.person:
		return personMove(ev) && (ev != Resume || i.State == Paused)
	}
	return agentMove(ev)
}

// verb is an event as the caller has to call it.
func (f facts) verb(ev Event) string {
	if f.person && ev == RequestChanges {
		return "reject"
	}
	return string(ev)
}

// saidOtherwise refuses a repeat that is none.
func (f facts) saidOtherwise(what string) error {
	return fault.New(fault.WrongState, "kanban_resume "+f.key+", then kanban_"+string(f.event)+" again; or add it with kanban_note",
		"%s is %s already (revision %d) by your earlier %s, from which this one differs in %s; nothing was written", f.key, f.issue.State, f.issue.Revision, f.event, what)
}

func (f facts) fenceLost() error {
	hint := "stop working on it; kanban_get " + f.key + " shows it, and kanban_note may still comment"
	now := "nobody holds it now"
	if f.issue.HolderLine != 0 {
		now = fmt.Sprintf("%s holds it since %s", f.holder, stamp(f.issue.ClaimedAt))
	}
	return fault.New(fault.FenceLost, hint, "your claim on %s ended at %s: %s by %s; %s", f.key, stamp(f.once.Until), f.once.EndedAs, nameOf(f.once.EndedBy), now)
}

func (f facts) notHolder() error {
	if f.issue.HolderLine == 0 {
		return fault.New(fault.NotHolder, "kanban_begin_work "+f.key+" first", "you do not hold %s (%s, revision %d)", f.key, f.issue.State, f.issue.Revision)
	}
	return fault.New(fault.NotHolder, "kanban_note may comment; kanban_list ready shows what is free", "%s is held by %s since %s", f.key, f.holder, stamp(f.issue.ClaimedAt))
}

func (f facts) runStale() error {
	holds := "you hold nothing"
	switch {
	case f.holds():
		holds = "you hold " + f.key
	case f.other != "":
		holds = "you hold " + f.other
	case f.once != nil && f.once.Until != 0:
		holds = fmt.Sprintf("you hold nothing: your claim on %s ended by %s of %s", f.key, f.once.EndedAs, nameOf(f.once.EndedBy))
	}
	return fault.New(fault.RunStale, "look at the Issue, then call again with run_revision "+strconv.FormatInt(f.runRevisionNow, 10),
		"your run is at revision %d, not %d; %s", f.runRevisionNow, f.runRevision, holds)
}

func (f facts) issueStale() error {
	return fault.New(fault.IssueStale, f.pick("kanban_get "+f.key+", then call again with its revision", "board show "+f.key+", then try again"),
		"%s is at revision %d, not %d; %s", f.key, f.issue.Revision, f.issueRevision, f.since)
}

func (f facts) runRevisionMissing() error {
	return fault.New(fault.Invalid, "pass run_revision as it stands in the line that begins with board: run",
		"run_revision is missing; your run is at revision %d", f.runRevisionNow)
}

func (f facts) issueRevisionMissing() error {
	return fault.New(fault.Invalid, "pass issue_revision as kanban_get shows it", "issue_revision is missing; %s is at revision %d", f.key, f.issue.Revision)
}
