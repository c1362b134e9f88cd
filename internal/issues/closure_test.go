package issues

import (
	"slices"
	"testing"

	"board/internal/fault"
	"board/internal/runs"
)

// A root asks to close what its subagent holds, and has an Issue of its own: what it edits for that must not keep a
// person from approving.
func TestEvidenceIsFixedAtOnceWhereTheSessionHasGoneOnAlready(t *testing.T) {
	s := newStage(t)
	own, subs := s.create("of the root"), s.create("of the subagent")
	s.prompt(ann, false)
	s.startSub()
	s.ok(ann, BeginWork, own)
	s.ok(sub, BeginWork, subs)
	s.edit(sub, "a.go")
	s.ok(ann, RequestClosure, subs)
	s.edit(ann, "b.go")
	s.ok(person, Approve, subs)

	// Whoever holds nothing else is still at it.
	s.edit(ann, "c.go")
	s.ok(ann, RequestClosure, own)
	s.edit(ann, "d.go")
	s.no(fault.ReviewNeeded, person, Approve, own)
}

func TestAClosureNamesTheSubagentThatHeldTheIssueAndThoseThatStillRun(t *testing.T) {
	s := newStage(t)
	k := s.create("work")
	s.prompt(ann, false)
	s.startSub()
	s.ok(sub, BeginWork, k)
	r := s.ok(ann, RequestClosure, k)
	if r.Displaced != "r2" || !slices.Equal(r.Children, []string{"r2"}) {
		t.Errorf("a live subagent held it: displaced %q, children %v", r.Displaced, r.Children)
	}
	s.ok(ann, Resume, k)
	if r = s.ok(ann, RequestClosure, k); r.Displaced != "" || !slices.Equal(r.Children, []string{"r2"}) {
		t.Errorf("the root held it: displaced %q, children %v", r.Displaced, r.Children)
	}
	s.ok(person, RequestChanges, k)
	s.ok(sub, BeginWork, k)
	s.end(sub)
	if r = s.ok(ann, RequestClosure, k); r.Displaced != "r2" || len(r.Children) != 0 {
		t.Errorf("a subagent that ended held it: displaced %q, children %v", r.Displaced, r.Children)
	}
}

func TestActingSaysWhoCallsAlsoWhereTheyMayNot(t *testing.T) {
	s := newStage(t)
	k := s.create("work")
	s.prompt(ann, false)
	s.prompt(bob, false)
	s.ok(bob, BeginWork, k)
	s.end(bob)
	r, key, err := s.svc.Acting(t.Context(), s.actor(bob))
	if err != nil || r.Handle != s.run[bob].Handle || key != k {
		t.Errorf("the run that ended: %+v %q %v", r, key, err)
	}
	a := s.actor(bob)
	a.Who.Proof = &runs.Proof{Host: runs.ClaudeCode, Key: s.key(ann)}
	r, _, err = s.svc.Acting(t.Context(), a)
	if err != nil || r.Handle != s.run[ann].Handle {
		t.Errorf("ann names bob's run: %+v %v", r, err)
	}
	a.Who.Proof.Key.Turn = "never seen"
	if r, _, err = s.svc.Acting(t.Context(), a); fault.CodeOf(err) != fault.RunUnknown || r != nil {
		t.Errorf("nobody is guessed: %+v %v", r, err)
	}
}
