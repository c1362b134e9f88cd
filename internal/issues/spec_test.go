package issues

import (
	"context"
	"strings"
	"testing"
	"time"

	"board/internal/fault"
	"board/internal/runs"
)

// The rules of SPEC §4 as short stories, on a real store.

func (s *stage) get(key string) Issue {
	s.t.Helper()
	i, err := s.svc.Get(context.Background(), 0, key)
	s.must(err)
	return i
}

func (s *stage) claim(key string, want ClaimState) {
	s.t.Helper()
	if got := s.get(key).Claim.State; got != want {
		s.t.Fatalf("the claim on %s reads %q, want %q", key, got, want)
	}
}

func says(t *testing.T, f *fault.Fault, words ...string) {
	t.Helper()
	all := f.Message + " | " + f.Hint
	for _, w := range words {
		if !strings.Contains(all, w) {
			t.Errorf("%q does not say %q", all, w)
		}
	}
}

func TestAConversationGoesOnWithoutBegging(t *testing.T) {
	s := newStage(t)
	k := s.create("work")
	s.prompt(ann, false)
	s.ok(ann, BeginWork, k)
	s.claim(k, Active)
	before := s.row(k)
	s.end(ann)
	s.claim(k, Reserved)
	s.prompt(ann, true) // a task notification
	s.claim(k, Active)
	s.prompt(ann, false)
	s.end(ann)
	s.endSession(ann)
	s.claim(k, Lapsed)
	s.prompt(ann, false) // the session is resumed
	s.claim(k, Active)
	if after := s.row(k); after != before {
		t.Errorf("the claim was written: %+v, was %+v", after, before)
	}
	s.ok(ann, Pause, k)
}

func TestAClaimLapsesFourHoursAfterTheLastEvent(t *testing.T) {
	s := newStage(t)
	k := s.create("work")
	s.prompt(ann, false)
	s.prompt(bob, false)
	s.ok(ann, BeginWork, k)
	s.clock.Add(50 * time.Minute) // lease over
	s.claim(k, Reserved)
	s.prompt(bob, false)
	f := s.no(fault.Reserved, bob, BeginWork, k)
	says(t, f, "r1 (claude-code)", "2026-03-01T09:00:00Z")
	s.clock.Add(3*time.Hour + 10*time.Minute)
	s.claim(k, Lapsed)
	if i := s.get(k); !i.Abandoned || !i.Ready || i.Stale {
		t.Errorf("abandoned %v, ready %v, stale %v", i.Abandoned, i.Ready, i.Stale)
	}
	s.prompt(ann, false)
	s.claim(k, Active)
	s.clock.Add(5 * time.Hour)
	s.prompt(bob, false)
	s.ok(bob, BeginWork, k)
	s.prompt(ann, false)
	f = s.no(fault.FenceLost, ann, Pause, k)
	says(t, f, "begin_work by r5", "r5 (codex) holds it since", "kanban_note")
	if _, err := s.svc.Comment(context.Background(), s.actor(ann), s.project, k, "I had the half of it"); err != nil {
		t.Error(err)
	}
	s.no(fault.HeldByOther, ann, BeginWork, k)
}

func TestTheLoserLearnsWhoHoldsItAndWhatIsNext(t *testing.T) {
	s := newStage(t)
	k, next := s.create("first"), s.create("second")
	s.prompt(ann, false)
	s.prompt(bob, false)
	s.ok(ann, BeginWork, k)
	f := s.no(fault.HeldByOther, bob, BeginWork, k)
	says(t, f, k, "r1 (claude-code)", "2026-03-01T09:00:00Z", next)
	if r := s.ok(bob, BeginWork, ""); r.Issue.Key != next {
		t.Errorf("got %s, want %s", r.Issue.Key, next)
	}
	if r := s.ok(bob, BeginWork, ""); r.Issue.Key != next || !r.Repeat {
		t.Errorf("a line that holds one gets %s, want its own %s again", r.Issue.Key, next)
	}
	s.no(fault.HoldsOther, bob, BeginWork, s.create("third"))
	s.ok(bob, Unclaim, next)
	s.ok(person, Cancel, next)
	s.ok(person, Cancel, "PRE-3")
	f = s.no(fault.NothingReady, bob, BeginWork, "")
	says(t, f, "no Issue is ready")
}

func TestRepeatsSucceedAndWriteNothing(t *testing.T) {
	for _, ev := range []Event{BeginWork, Resume, Pause, Unclaim, RequestClosure} {
		t.Run(string(ev), func(t *testing.T) {
			s := newStage(t)
			k := s.create("work", "a")
			s.prompt(ann, false)
			if ev != BeginWork {
				s.ok(ann, BeginWork, k)
			}
			old := s.rev(ann)
			s.ok(ann, ev, k)
			before, run := s.row(k), s.rev(ann)
			r := s.ok(ann, ev, k, func(in *input) { in.RunRevision, in.IssueRevision = old, 1 })
			if !r.Repeat || s.row(k) != before || s.rev(ann) != run || r.Run.Revision != run {
				t.Errorf("repeat %v, row %+v, was %+v", r.Repeat, s.row(k), before)
			}
			if ev == BeginWork || ev == Resume {
				return
			}
			s.ok(person, Close, k)
			s.no(fault.FenceLost, ann, ev, k)
		})
	}
}

func TestSubagents(t *testing.T) {
	s := newStage(t)
	k, other := s.create("work"), s.create("other")
	s.prompt(ann, false)
	s.startSub()

	s.ok(ann, BeginWork, k)
	if r := s.ok(sub, BeginWork, k); !r.Repeat || r.Issue.Claim.Run != "r1" {
		t.Errorf("on its root's Issue a subagent claims nothing: %+v", r.Issue.Claim)
	}
	s.no(fault.NotHolder, sub, Pause, k)
	s.no(fault.RootOnly, sub, RequestClosure, k)

	s.ok(sub, BeginWork, other)
	s.no(fault.RootOnly, sub, RequestClosure, other)
	s.ok(ann, Unclaim, k)
	f := s.no(fault.HeldByOther, ann, BeginWork, other)
	says(t, f, "r2 (claude-code)")
	s.no(fault.NotHolder, ann, Unclaim, other)
	s.end(sub)
	s.claim(other, Reserved)
	s.prompt(bob, false)
	s.no(fault.Reserved, bob, BeginWork, other)
	s.ok(ann, BeginWork, other) // its own subagent is done
	if got := s.row(other); got.LastLine != got.HolderLine {
		t.Errorf("%+v", got)
	}

	s.ok(ann, Unclaim, other)
	s.startSub()
	s.ok(sub, BeginWork, other)
	s.ok(sub, Pause, other, func(in *input) { in.PauseReason = Question })
	s.no(fault.Reserved, ann, BeginWork, other)
	s.ok(sub, Resume, other) // its own paused one
	before := s.rev(sub)
	r := s.ok(ann, RequestClosure, other)
	if len(r.Children) != 1 || r.Children[0] != "r2" {
		t.Errorf("the live subagent is not named: %v", r.Children)
	}
	if s.rev(sub) != before+1 {
		t.Error("the subagent's authority did not change")
	}
	s.no(fault.FenceLost, sub, Pause, other)
}

func TestWhatAPersonTookAwayComesBackOnlyAfterTheirNextPrompt(t *testing.T) {
	for _, ev := range []Event{Release, Cancel, Close, Pause} {
		t.Run(string(ev), func(t *testing.T) {
			s := newStage(t)
			k := s.create("work")
			s.prompt(ann, false)
			s.startSub()
			s.prompt(bob, false)
			s.ok(ann, BeginWork, k)
			rev := s.rev(ann)
			s.ok(person, ev, k, func(in *input) { in.Force = true })
			if s.rev(ann) != rev+1 {
				t.Error("the run's authority changed, and its revision did not")
			}
			f := s.no(fault.FenceLost, ann, Unclaim, k)
			says(t, f, string(ev)+" by pat")
			switch ev {
			case Cancel, Close:
				s.ok(person, Reopen, k)
			case Pause:
				s.no(fault.ByPerson, bob, BeginWork, k)
				s.ok(person, Release, k)
			}
			s.no(fault.ByPerson, ann, BeginWork, k)
			s.no(fault.ByPerson, sub, BeginWork, k)
			s.no(fault.NothingReady, ann, BeginWork, "")
			s.prompt(ann, true) // no user said so
			s.no(fault.ByPerson, ann, BeginWork, k)
			s.prompt(ann, false)
			s.ok(ann, BeginWork, k)
		})
	}
}

func TestEverySessionThatWasSentAwayStaysAway(t *testing.T) {
	s := newStage(t)
	k := s.create("work")
	s.prompt(ann, false)
	s.prompt(bob, false)
	for _, who := range []int{ann, bob} {
		s.ok(who, BeginWork, k)
		s.ok(person, Release, k, func(in *input) { in.Force = true })
	}
	s.no(fault.ByPerson, ann, BeginWork, k)
	s.no(fault.ByPerson, bob, BeginWork, k)
	s.prompt(bob, false)
	s.no(fault.ByPerson, ann, BeginWork, k)
	s.ok(bob, BeginWork, k)
}

func TestReleaseOfALiveRunNeedsForce(t *testing.T) {
	s := newStage(t)
	k := s.create("work")
	s.prompt(ann, false)
	s.ok(ann, BeginWork, k)
	f := s.no(fault.HeldByOther, person, Release, k)
	says(t, f, "r1 (claude-code)", "--force")
	if strings.Contains(f.Hint, k) {
		t.Errorf("the hint is a complete destructive command: %s", f.Hint)
	}
	s.end(ann)
	s.ok(person, Release, k)
}

func TestAPersonsResume(t *testing.T) {
	s := newStage(t)
	k, other := s.create("work"), s.create("other")
	s.prompt(ann, false)
	s.ok(ann, BeginWork, k)
	s.ok(person, Pause, k)
	if s.rev(ann) != 3 {
		t.Fatalf("revision %d", s.rev(ann))
	}
	s.ok(person, Resume, k)
	s.claim(k, Active)
	if r, key, err := s.svc.Acting(context.Background(), s.actor(ann)); err != nil || key != k || r.IssueID == 0 {
		t.Errorf("ann acts on %q: %+v %v", key, r, err)
	}
	s.ok(person, Pause, k)
	s.ok(ann, BeginWork, other)
	s.ok(person, Resume, k)
	if i := s.get(k); i.Claim.State != Lapsed || i.Claim.Run != "" {
		t.Errorf("the line is busy, and the claim is %+v", i.Claim)
	}
	s.no(fault.WrongState, person, Resume, k)
	// Release of what the line had last must not touch what it has now.
	s.ok(person, Release, k)
	if _, key, _ := s.svc.Acting(context.Background(), s.actor(ann)); key != other {
		t.Errorf("ann holds %q, want %s", key, other)
	}
	var issue int64
	s.must(s.db.SQL().QueryRow("SELECT issue_id FROM runs WHERE id = ?", s.run[ann].ID).Scan(&issue))
	if issue != s.row(other).ID {
		t.Errorf("the run acts on issue %d", issue)
	}
}

func TestPauseReasonsSayWhoMayGoOn(t *testing.T) {
	s := newStage(t)
	k := s.create("work")
	s.prompt(ann, false)
	s.prompt(bob, false)
	s.ok(ann, BeginWork, k)
	s.no(fault.Invalid, ann, Pause, k, func(in *input) { in.PauseReason = "tired" })
	s.no(fault.Invalid, ann, Pause, k, func(in *input) { in.Reason = "\n " })
	s.ok(ann, Pause, k, func(in *input) { in.PauseReason = Question })
	s.no(fault.Reserved, bob, BeginWork, k)
	if s.get(k).Ready {
		t.Error("a question is not ready")
	}
	s.ok(ann, Resume, k)
	s.ok(ann, Pause, k)
	if i := s.get(k); !i.Ready || i.LastReason != "because" || i.LastReasonOf != Pause {
		t.Errorf("%+v", i)
	}
	s.ok(bob, BeginWork, k)
	s.end(bob)
	s.clock.Add(time.Minute)
	s.prompt(bob, false)
	s.ok(bob, Pause, k, func(in *input) { in.PauseReason = BlockedBy })
	s.clock.Add(25 * time.Hour)
	if !s.get(k).Stale {
		t.Error("nothing for a day, and not stale")
	}
}

func TestOrderOfChecks(t *testing.T) {
	s := newStage(t)
	k := s.create("work", "a")
	s.prompt(ann, false)
	s.prompt(bob, false)
	f := s.no(fault.Invalid, ann, BeginWork, k, func(in *input) { in.RunRevision = 0 })
	says(t, f, "run_revision", "revision 1")
	f = s.no(fault.RunStale, ann, BeginWork, k, func(in *input) { in.RunRevision = 9 })
	says(t, f, "revision 1, not 9")
	s.ok(ann, BeginWork, k)
	s.no(fault.Invalid, ann, RequestClosure, k, func(in *input) { in.IssueRevision = 0 })
	f = s.no(fault.IssueStale, ann, RequestClosure, k, func(in *input) { in.IssueRevision = 1 })
	says(t, f, "revision 2, not 1", "begin_work by r1")
	s.no(fault.CriteriaUnjudged, ann, RequestClosure, k, func(in *input) { in.judgments = nil })
	s.no(fault.CriteriaUnjudged, ann, RequestClosure, k, func(in *input) { in.judgments[0].How = "" })
	s.no(fault.CriteriaUnmet, ann, RequestClosure, k, func(in *input) { in.judgments[0].Verdict = Unmet })
	s.no(fault.Invalid, ann, RequestClosure, k, func(in *input) { in.judgments[0].Verdict = "fine" })
	s.ok(person, Release, k, func(in *input) { in.Force = true })
	// The fence comes before the stale revision, and before the state.
	s.no(fault.FenceLost, ann, RequestClosure, k, func(in *input) { in.RunRevision, in.IssueRevision = 1, 1 })
	s.no(fault.WrongState, bob, Pause, k)
	for _, ev := range []Event{Release, Approve, RequestChanges, Close, Reopen, Cancel, Archive, Unarchive, Hold, Unhold} {
		s.no(fault.PersonOnly, bob, ev, k)
	}
	_, err := s.svc.BeginWork(context.Background(), Actor{Agent: true, Undeclared: true}, MoveCmd{ProjectID: s.project, Key: k})
	if fault.CodeOf(err) != fault.PersonOnly {
		t.Errorf("an undeclared agent begins work: %v", err)
	}
}

func TestARefusedCallIsStillASignOfLife(t *testing.T) {
	s := newStage(t)
	k := s.create("work")
	s.prompt(bob, false)
	s.ok(bob, BeginWork, k)
	proof := &runs.Proof{Host: runs.Codex, Key: runs.Key{Host: runs.Codex, Session: "new", Turn: "t1"}}
	a := Actor{Agent: true, Who: runs.Who{Proof: proof, ProjectID: s.project}}
	_, err := s.svc.BeginWork(context.Background(), a, MoveCmd{ProjectID: s.project, Key: k})
	if fault.CodeOf(err) != fault.HeldByOther {
		t.Fatal(err)
	}
	if r, _, err := s.svc.Acting(context.Background(), a); err != nil || r.State != runs.Running {
		t.Errorf("the proven call registered no run: %v %v", r, err)
	}
	other := s.create("other")
	r, err := s.svc.BeginWork(context.Background(), a, MoveCmd{ProjectID: s.project, Key: other}) // with proof, no revision is needed
	s.must(err)
	if h := r.Issue.History[len(r.Issue.History)-1]; h.Identity != "proven" || h.Actor != r.Run.Short() {
		t.Errorf("%+v", h)
	}
}
