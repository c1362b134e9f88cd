package issues

import (
	"context"
	"testing"

	"board/internal/fault"
)

// A call is repeated because its answer was lost. One that says something new is no repeat: what it says must not be
// dropped with an answer that sounds like success.

func TestAnotherPauseIsNoRepeat(t *testing.T) {
	for what, change := range map[string]func(*input){
		"the reason": func(in *input) { in.PauseReason = Question },
		"the text":   func(in *input) { in.Reason = "because of rain" },
	} {
		t.Run(what, func(t *testing.T) {
			s := newStage(t)
			k := s.create("work")
			s.prompt(ann, false)
			s.ok(ann, BeginWork, k)
			s.ok(ann, Pause, k)
			before := s.row(k)
			f := s.no(fault.WrongState, ann, Pause, k, change)
			says(t, f, what, "paused already", "nothing was written", "kanban_resume "+k, "kanban_pause again")
			if s.row(k) != before {
				t.Error("it was written")
			}
			if r := s.ok(ann, Pause, k, func(in *input) { in.Reason = " because\n" }); !r.Repeat {
				t.Error("the same pause is no repeat")
			}
			s.ok(ann, Resume, k) // the way back that was named
			s.ok(ann, Pause, k, change)
		})
	}
}

func TestAnotherRequestForClosureIsNoRepeat(t *testing.T) {
	add := func(s *stage, k string) {
		_, err := s.svc.Edit(context.Background(), s.actor(person), EditCmd{Key: k, AddCriteria: []string{"new"}})
		s.must(err)
	}
	for name, c := range map[string]struct {
		what   string
		before func(s *stage, k string)
		change func(*input)
	}{
		"summary":                     {what: "the summary", change: func(in *input) { in.summary = "done better" }},
		"verdict":                     {what: "criterion 2", change: func(in *input) { in.judgments[1].Verdict = NotApplicable }},
		"how":                         {what: "criterion 1", change: func(in *input) { in.judgments[0].How = "go test" }},
		"unmet":                       {what: "criterion 1", change: func(in *input) { in.judgments[0].Verdict = Unmet }},
		"none":                        {what: "criteria 1, 2", change: func(in *input) { in.judgments = nil }},
		"criterion that is not there": {what: "criterion 9", change: func(in *input) { in.judgments = append(in.judgments, Judgment{9, Met, "x"}) }},
		"new criterion, judged":       {what: "criterion 3", before: add, change: func(*input) {}},
		"new criterion, unjudged":     {what: "criterion 3", before: add, change: func(in *input) { in.judgments = in.judgments[:2] }},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			k := s.create("work", "one", "two")
			s.prompt(ann, false)
			s.ok(ann, BeginWork, k)
			s.ok(ann, RequestClosure, k)
			if c.before != nil {
				c.before(s, k)
			} else if r := s.ok(ann, RequestClosure, k); !r.Repeat {
				t.Error("the same request is no repeat")
			}
			before := s.row(k)
			f := s.no(fault.WrongState, ann, RequestClosure, k, c.change)
			says(t, f, c.what, "in_review already", "nothing was written", "kanban_resume "+k, "kanban_request_closure again")
			if s.row(k) != before {
				t.Error("it was written")
			}
			s.ok(ann, Resume, k) // the way back that was named
			s.ok(ann, RequestClosure, k)
		})
	}
}
