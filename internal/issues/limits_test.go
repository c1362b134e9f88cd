package issues

import (
	"context"
	"testing"

	"board/internal/fault"
)

func TestATitleThatNobodySeesIsEmpty(t *testing.T) {
	s := newStage(t)
	k := s.create("t")
	unseen := "\u200b \u200c\u200d\x7f"
	_, err := s.svc.Create(context.Background(), s.actor(person), CreateCmd{ProjectID: s.project, Title: unseen})
	says(t, fault.As(err), "the title is empty")
	_, err = s.svc.Edit(context.Background(), s.actor(person), EditCmd{ProjectID: s.project, Key: k, Title: &unseen})
	says(t, fault.As(err), "the title is empty")
}

func TestWhatAnAgentCreatesIsHeldAlsoWhenItBeginsIt(t *testing.T) {
	s := newStage(t)
	s.prompt(ann, false)
	s.prompt(bob, false)
	r, err := s.svc.Create(context.Background(), s.actor(ann), CreateCmd{ProjectID: s.project, Title: "mine", Begin: true, RunRevision: 1})
	s.must(err)
	k := r.Issue.Key
	s.ok(ann, Unclaim, k)
	if s.get(k).Ready {
		t.Error("an Issue that no person has seen is ready")
	}
	s.no(fault.NothingReady, bob, BeginWork, "")
	s.ok(bob, BeginWork, k) // by its key
	s.ok(person, Unhold, k)
	s.ok(bob, Unclaim, k)
	s.ok(ann, BeginWork, "")
}
