package issues

import (
	"context"
	"testing"
	"time"

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

// A refusal offers what would go through, by the name under which its reader calls it.
func TestARefusalNamesWhatIsPossibleNow(t *testing.T) {
	s := newStage(t)
	k := s.create("work")
	s.prompt(ann, false)
	hint := func(who int, ev Event) string { t.Helper(); return s.no(fault.WrongState, who, ev, k).Hint }
	if got := hint(person, Approve); got != "possible now: close, cancel, archive, hold" {
		t.Error(got)
	}
	s.ok(person, Hold, k)
	s.ok(person, Archive, k)
	if got := hint(person, Approve); got != "possible now: unarchive, unhold" {
		t.Error(got)
	}
	if got := hint(ann, Pause); got != "only a person can change that" {
		t.Error(got)
	}
	s.ok(person, Unarchive, k)
	f := s.no(fault.WrongState, person, RequestChanges, k)
	says(t, f, "where reject is not possible")
	s.ok(ann, BeginWork, k)
	s.ok(ann, RequestClosure, k)
	if got := hint(person, Release); got != "possible now: approve, reject, close, cancel, unhold" {
		t.Error(got)
	}
}

// A writer that meets a run whose lease is over writes its end down.
func TestWhoTakesALapsedIssueWritesDownTheEndOfTheRunThatHadIt(t *testing.T) {
	s := newStage(t)
	k := s.create("work")
	s.prompt(ann, false)
	s.ok(ann, BeginWork, k)
	s.clock.Add(6 * time.Hour)
	s.prompt(bob, false)
	stored := func() (state, outcome string) {
		s.must(s.db.SQL().QueryRow("SELECT state, outcome FROM runs WHERE id = ?", s.run[ann].ID).Scan(&state, &outcome))
		return state, outcome
	}
	if state, _ := stored(); state != "running" {
		t.Fatalf("the run is stored as %s before anybody met it", state)
	}
	s.ok(bob, BeginWork, k)
	if state, outcome := stored(); state != "ended" || outcome != "lost" {
		t.Errorf("the run is stored as %s %s", state, outcome)
	}
	var rows int
	s.must(s.db.SQL().QueryRow("SELECT count(*) FROM history WHERE entity = 'run' AND entity_id = ? AND to_state = 'ended'", s.run[ann].ID).Scan(&rows))
	if rows != 1 {
		t.Errorf("%d rows of history say so", rows)
	}
}
