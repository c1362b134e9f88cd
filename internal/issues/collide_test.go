package issues

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"board/internal/runs"
)

func TestWhoBeginsLearnsWhoElseIsAtTheSameFiles(t *testing.T) {
	s := newStage(t)
	two := s.addProject("TWO")
	k, theirs := s.create("work"), s.create("theirs")
	begin := func(want ...Collision) {
		t.Helper()
		for _, ev := range []Event{BeginWork, Resume} { // the second one is a repeat
			if r := s.ok(ann, ev, k); !reflect.DeepEqual(r.Collisions, want) {
				t.Errorf("%s: %+v, want %+v", ev, r.Collisions, want)
			}
		}
		s.ok(ann, Unclaim, k)
	}
	s.prompt(ann, false)
	s.startSub()
	s.prompt(bob, false)
	s.edit(bob, "a.go")
	s.edit(bob, "b.go")
	begin()
	s.editIn(ann, two, "a.go") // the same name elsewhere
	begin()
	s.edit(ann, "z.go")
	s.editIn(bob, two, "z.go")
	begin()
	s.edit(ann, "a.go")
	begin(Collision{Run: "r3", Host: "codex", Paths: []string{"a.go"}})
	s.ok(bob, BeginWork, theirs)
	s.edit(sub, "b.go") // a subagent of the session
	begin(Collision{Run: "r3", Host: "codex", Issue: theirs, Paths: []string{"a.go", "b.go"}})
	for i := range 4 {
		s.edit(ann, fmt.Sprint(i))
		s.edit(bob, fmt.Sprint(i))
	}
	begin(Collision{Run: "r3", Host: "codex", Issue: theirs, Paths: []string{"0", "1", "2"}, More: 3})
	if r := s.ok(sub, BeginWork, k); len(r.Collisions) != 1 {
		t.Errorf("a subagent is told, too: %+v", r.Collisions)
	}
	s.ok(person, Release, k, func(in *input) { in.Force = true })
	s.prompt(ann, false)
	if r := s.ok(ann, BeginWork, k); len(r.Collisions) != 1 {
		t.Errorf("the next turn of the session: %+v", r.Collisions)
	}
	if r := s.ok(ann, Pause, k); r.Collisions != nil {
		t.Errorf("who stops needs no forecast: %+v", r.Collisions)
	}
	if r := s.ok(person, Resume, k); r.Collisions != nil {
		t.Errorf("a person begins no work: %+v", r.Collisions)
	}
	s.ok(ann, Unclaim, k)
	s.end(bob)
	begin()
}

func TestWhoBeginsLearnsWhoIsAtTheFilesOfTheIssue(t *testing.T) {
	s := newStage(t)
	k := s.create("work")
	s.prompt(ann, false)
	s.ok(ann, BeginWork, k)
	s.edit(ann, "a.go")
	s.ok(ann, Pause, k)
	s.clock.Add(time.Second)
	s.prompt(bob, false)
	r := s.ok(bob, BeginWork, k) // ann is live, and changed what the Issue is about
	if want := []Collision{{Run: "r1", Host: "claude-code", Paths: []string{"a.go"}}}; !reflect.DeepEqual(r.Collisions, want) {
		t.Errorf("%+v", r.Collisions)
	}
	s.clock.Add(50 * time.Minute) // both leases are over, and nobody wrote that down
	s.prompt(bob, false)
	if r = s.ok(bob, BeginWork, k); r.Collisions != nil {
		t.Errorf("a run that is stored as live, and is over: %+v", r.Collisions)
	}
}

func TestACollisionNamesTheIssueOfTheRootWhereASubagentHasNone(t *testing.T) {
	s := newStage(t)
	theirs := s.create("theirs")
	s.prompt(ann, false)
	s.ok(ann, BeginWork, theirs)
	s.startSub()
	s.edit(sub, "a.go")
	s.prompt(bob, false)
	s.edit(bob, "a.go")
	r := s.ok(bob, BeginWork, s.create("work"))
	if want := []Collision{{Run: "r2", Host: "claude-code", Issue: theirs, Paths: []string{"a.go"}}}; !reflect.DeepEqual(r.Collisions, want) {
		t.Errorf("%+v", r.Collisions)
	}
}

func TestASessionIsAnotherByItsHostOrByItsName(t *testing.T) {
	for _, key := range []runs.Key{
		{Host: runs.ClaudeCode, Session: "s-bob", Turn: "t"},
		{Host: runs.Codex, Session: "s-ann", Turn: "t"},
	} {
		s := newStage(t)
		k := s.create("work")
		s.prompt(ann, false)
		s.edit(ann, "a.go")
		s.see(bob, runs.Observation{Kind: runs.OnPrompt, Key: key})
		s.see(bob, runs.Observation{Kind: runs.OnEdit, Key: key, Edits: []runs.Edit{{ProjectID: s.project, Path: "a.go"}}})
		if r := s.ok(ann, BeginWork, k); len(r.Collisions) != 1 {
			t.Errorf("%v: %+v", key, r.Collisions)
		}
	}
}

func TestWhatASessionDidForSomethingElseIsNoCollision(t *testing.T) {
	s := newStage(t)
	k := s.create("work")
	s.prompt(ann, false)
	s.edit(ann, "old.go")
	s.ok(ann, BeginWork, k)
	s.ok(ann, Unclaim, k)
	s.clock.Add(time.Second)
	s.end(ann)
	s.endSession(ann)
	s.clock.Add(time.Second)
	s.prompt(bob, false)
	s.edit(bob, "later.go")
	s.prompt(ann, false) // another stretch, and not at the Issue
	s.edit(ann, "later.go")
	s.prompt(bob, false)
	if r := s.ok(bob, BeginWork, s.create("other")); len(r.Collisions) != 1 {
		t.Errorf("the session of an earlier turn: %+v", r.Collisions)
	}
	s.clock.Add(time.Second)
	s.end(bob)
	s.endSession(bob)
	s.clock.Add(time.Second)
	s.prompt(bob, false)
	s.ok(bob, Unclaim, "PRE-2")
	if r := s.ok(bob, BeginWork, k); r.Collisions != nil {
		t.Errorf("an earlier stretch, and what was done after the Issue was given back: %+v", r.Collisions)
	}
}

func TestWorkThatAPersonPutToTheIssueCounts(t *testing.T) {
	s := newStage(t)
	s.prompt(ann, false)
	s.edit(ann, "a.go")
	r, err := s.addWork("r1", "")
	s.must(err)
	s.prompt(bob, false)
	if r = s.ok(bob, BeginWork, r.Issue.Key); len(r.Collisions) != 1 || r.Collisions[0].Run != "r1" {
		t.Errorf("%+v", r.Collisions)
	}
}
