package issues

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"board/internal/fault"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// situation is an Issue in a state, with all that the rules can tell of it. Line 1 is ann's, 2 bob's, 3 her subagent's.
type situation struct {
	name  string
	set   func(*issueRow)
	claim ClaimState
	away  bool // ann's session was sent away
}

func situations() []situation {
	held := func(line int64) func(*issueRow) {
		return func(r *issueRow) { r.State, r.HolderLine, r.LastLine = InProgress, line, line }
	}
	paused := func(by int64, why PauseReason, person bool) func(*issueRow) {
		return func(r *issueRow) { r.State, r.LastLine, r.PauseReason, r.PausedByPerson = Paused, by, why, person }
	}
	state := func(s State) func(*issueRow) { return func(r *issueRow) { r.State = s } }
	return []situation{
		{name: "unborn", set: state(unborn)},
		{name: "todo", set: state(Todo)},
		{name: "todo, blocked", set: func(r *issueRow) { r.State, r.OpenBlockers = Todo, 1 }},
		{name: "todo, archived", set: func(r *issueRow) { r.State, r.Archived = Todo, true }},
		{name: "todo, held back", set: func(r *issueRow) { r.State, r.Hold = Todo, true }},
		{name: "todo, taken from ann", set: func(r *issueRow) { r.State, r.LastLine = Todo, 1 }, away: true},
		{name: "in_progress, ann works", set: held(1), claim: Active},
		{name: "in_progress, reserved for ann", set: held(1), claim: Reserved},
		{name: "in_progress, ann's claim lapsed", set: held(1), claim: Lapsed},
		{name: "in_progress, sub works", set: held(3), claim: Active},
		{name: "in_progress, reserved for sub", set: held(3), claim: Reserved},
		{name: "in_progress, nobody's", set: state(InProgress), claim: Lapsed},
		{name: "paused by ann, handoff", set: paused(1, Handoff, false)},
		{name: "paused by ann, question", set: paused(1, Question, false)},
		{name: "paused by sub, blocked", set: paused(3, BlockedBy, false)},
		{name: "paused by a person, was ann's", set: paused(1, Handoff, true), away: true},
		{name: "in_review, ann asked", set: func(r *issueRow) { r.State, r.LastLine, r.RequestedAt = InReview, 1, 1 }},
		{name: "done", set: state(Done)},
		{name: "done, archived", set: func(r *issueRow) { r.State, r.Archived = Done, true }},
		{name: "canceled", set: state(Canceled)},
	}
}

// outcome is what the machine answers to an event, in a word.
func outcome(s situation, who int, ev Event) string {
	row := issueRow{Revision: 5}
	s.set(&row)
	f := facts{
		event: ev, key: "PRE-1", issue: row, person: who == person, name: castName(who), claim: s.claim, reason: "because", pause: Handoff,
		force: false, issueRevision: 5, lastRun: row.LastLine,
	}
	if who != person {
		f.line, f.run, f.root, f.proven = int64(who+1), int64(who+1), who != sub, true
		f.child = who == ann && row.HolderLine == 3
		f.rootHolds = who == sub && row.HolderLine == 1
		f.sentAway = s.away && who != bob
		if row.LastLine == f.line {
			f.once = &claimRow{EndedBy: "x", EndedAs: "x"}
		}
	}
	ch, repeat, err := decide(context.Background(), table(rules()), f)
	switch {
	case err != nil:
		return string(fault.CodeOf(err))
	case repeat:
		return "repeat"
	case ch.row.HolderLine != 0:
		return fmt.Sprintf("→ %s (%s)", ch.row.State, castName(int(ch.row.HolderLine-1)))
	}
	return "→ " + string(ch.row.State)
}

// TestMatrix shows what every event does in every state, for everybody who could cause it.
func TestMatrix(t *testing.T) {
	var b strings.Builder
	events := table(rules()).Events()
	for _, s := range situations() {
		fmt.Fprintf(&b, "## %s\n", s.name)
		for _, ev := range events {
			fmt.Fprintf(&b, "%-16s", ev)
			for _, who := range []int{ann, bob, sub, person} {
				fmt.Fprintf(&b, " %s: %-26s", castName(who), outcome(s, who, ev))
			}
			s := strings.TrimRight(b.String(), " ")
			b.Reset()
			b.WriteString(s + "\n")
		}
	}
	golden(t, "matrix.golden", b.String())
}

func TestMachineDoc(t *testing.T) {
	doc := MachineDoc()
	for _, s := range append([]State{unborn}, States()...) {
		for _, ev := range table(rules()).Events() {
			name := string(s)
			if s == unborn {
				name = "–"
			}
			if !strings.Contains(doc, fmt.Sprintf("| %s | %s | ", name, ev)) {
				t.Errorf("no row for %s in %q", ev, name)
			}
		}
	}
	golden(t, "machine.golden", doc)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			t.Fatalf("%s differs from line %d on (run with -update and look at the difference):\n%s", path, i+1, strings.Join(g[min(i, len(g)):min(i+3, len(g))], "\n"))
		}
	}
}
