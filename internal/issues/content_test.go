package issues

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"board/internal/fault"
)

func wants(t testing.TB, err error, code fault.Code) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	if err != nil {
		brief(t, err)
	}
}

func ptr[T any](v T) *T { return &v }

func TestLimitsRefuseAndNeverCut(t *testing.T) {
	s := newStage(t)
	ctx := context.Background()
	long := func(n int) string { return strings.Repeat("ä", n) }
	many := func(n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprint("https://example.org/", i))
		}
		return out
	}
	for name, c := range map[string]struct {
		cmd  CreateCmd
		code fault.Code
	}{
		"title of 240":         {CreateCmd{Title: long(240)}, ""},
		"title of 241":         {CreateCmd{Title: long(241)}, fault.Limit},
		"no title":             {CreateCmd{Title: " \n"}, fault.Invalid},
		"unseen title":         {CreateCmd{Title: "\u200b\u2060\u200d\x01\u202e"}, fault.Invalid},
		"joined title":         {CreateCmd{Title: "\U0001f469\u200d\U0001f4bb"}, ""},
		"description of 64K":   {CreateCmd{Title: "t", Description: strings.Repeat("a", 64<<10)}, ""},
		"description over 64K": {CreateCmd{Title: "t", Description: strings.Repeat("a", 64<<10+1)}, fault.Limit},
		"64 criteria":          {CreateCmd{Title: "t", Criteria: many(64)}, ""},
		"65 criteria":          {CreateCmd{Title: "t", Criteria: many(65)}, fault.Limit},
		"criterion of 2000":    {CreateCmd{Title: "t", Criteria: []string{long(2000)}}, ""},
		"criterion of 2001":    {CreateCmd{Title: "t", Criteria: []string{long(2001)}}, fault.Limit},
		"empty criterion":      {CreateCmd{Title: "t", Criteria: []string{""}}, fault.Invalid},
		"33 labels":            {CreateCmd{Title: "t", Labels: many(33)}, fault.Limit},
		"33 links":             {CreateCmd{Title: "t", Links: many(33)}, fault.Limit},
		"a link":               {CreateCmd{Title: "t", Links: []string{"https://example.org/a?b=c#d"}}, ""},
		"a script":             {CreateCmd{Title: "t", Links: []string{"javascript:alert(1)"}}, fault.Invalid},
		"a file":               {CreateCmd{Title: "t", Links: []string{"file:///etc/passwd"}}, fault.Invalid},
		"no host":              {CreateCmd{Title: "t", Links: []string{"https:///x"}}, fault.Invalid},
		"credentials":          {CreateCmd{Title: "t", Links: []string{"https://me:secret@example.org"}}, fault.Invalid},
		"priority 5":           {CreateCmd{Title: "t", Priority: ptr(5)}, fault.Invalid},
		"due":                  {CreateCmd{Title: "t", Due: "2026-02-29"}, fault.Invalid},
		"parent unknown":       {CreateCmd{Title: "t", Parent: "PRE-999"}, fault.NotFound},
		"blocker unknown":      {CreateCmd{Title: "t", BlockedBy: []string{"ZZZ-1"}}, fault.NotFound},
		"key misspelt":         {CreateCmd{Title: "t", BlockedBy: []string{"PRE-01"}}, fault.Invalid},
		"begin by a person":    {CreateCmd{Title: "t", Begin: true}, fault.Invalid},
	} {
		c.cmd.ProjectID = s.project
		_, err := s.svc.Create(ctx, s.actor(person), c.cmd)
		if fault.CodeOf(err) != c.code {
			t.Errorf("%s: got %v, want %q", name, err, c.code)
		}
	}
	k := s.create("t")
	_, err := s.svc.Comment(ctx, s.actor(person), s.project, k, strings.Repeat("a", 16<<10+1))
	wants(t, err, fault.Limit)
	_, err = s.svc.Comment(ctx, s.actor(person), s.project, k, "\x00 ")
	wants(t, err, fault.Invalid)
}

func TestTextIsCleanedOnce(t *testing.T) {
	s := newStage(t)
	r, err := s.svc.Create(context.Background(), s.actor(person), CreateCmd{
		ProjectID: s.project, Title: "a\x00b\xff' \u202e\x1b[2J 日本語 ?0 ? %s", Description: "x\r\ny", Labels: []string{`it's "quoted"`, `it's "quoted"`},
	})
	s.must(err)
	i := r.Issue
	if i.Title != "ab\ufffd' \u202e\x1b[2J 日本語 ?0 ? %s" || i.Description != "x\ny" || len(i.Labels) != 1 {
		t.Errorf("%q %q %q", i.Title, i.Description, i.Labels)
	}
}

func TestKeysAreStrict(t *testing.T) {
	s := newStage(t)
	s.addProject("TWO")
	k := s.create("t")
	if i := s.get("pre-1"); i.Key != k {
		t.Errorf("got %s", i.Key)
	}
	for _, bad := range []string{"", "PRE", "PRE-", "PRE-0", "PRE-01", "PRE- 1", " PRE-1", "PRE-1 ", "PRE--1", "PRE-1.0", "PRE-+1", "1-1", "PRE-99999999999999999999", "P-1", "PRÉ-1"} {
		if _, err := s.svc.Get(context.Background(), 0, bad); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%q: %v", bad, err)
		}
	}
	_, err := s.svc.Get(context.Background(), 0, "PRE-2")
	wants(t, err, fault.NotFound)
	_, err = s.svc.Get(context.Background(), s.project, "TWO-1")
	wants(t, err, fault.WrongProject)
}

func TestNumbersAreNeverUsedAgain(t *testing.T) {
	s := newStage(t)
	k := s.create("one", "a", "b", "c")
	ctx := context.Background()
	edit := func(e EditCmd) Issue {
		e.ProjectID, e.Key = s.project, k
		r, err := s.svc.Edit(ctx, s.actor(person), e)
		s.must(err)
		return r.Issue
	}
	edit(EditCmd{RemoveCriteria: []int{3}})
	i := edit(EditCmd{AddCriteria: []string{"d", "a"}, ChangeCriteria: map[int]string{2: "B"}})
	if want := []Criterion{{N: 1, Text: "a"}, {N: 2, Text: "B"}, {N: 4, Text: "d"}}; !reflect.DeepEqual(i.Criteria, want) {
		t.Errorf("%+v", i.Criteria)
	}
	s.ok(person, Cancel, k)
	s.ok(person, Archive, k)
	if next := s.create("two"); next != "PRE-2" {
		t.Errorf("the next one is %s", next)
	}
}

func TestEditsByAgents(t *testing.T) {
	s := newStage(t)
	ctx := context.Background()
	k := s.create("work", "a")
	s.prompt(ann, false)
	s.prompt(bob, false)
	edit := func(who int, e EditCmd) error {
		e.ProjectID, e.Key, e.RunRevision = s.project, k, s.rev(who)
		_, err := s.svc.Edit(ctx, s.actor(who), e)
		return err
	}
	wants(t, edit(bob, EditCmd{AddLabels: []string{"x"}}), "") // nobody holds it
	s.ok(ann, BeginWork, k)
	wants(t, edit(bob, EditCmd{AddLabels: []string{"y"}}), fault.NotHolder)
	wants(t, edit(ann, EditCmd{Title: ptr("new")}), fault.Invalid) // says no revision
	wants(t, edit(ann, EditCmd{Title: ptr("new"), IssueRevision: 1}), fault.IssueStale)
	wants(t, edit(ann, EditCmd{Title: ptr("new"), IssueRevision: 3}), "")
	wants(t, edit(ann, EditCmd{Title: ptr("new"), IssueRevision: 3}), "") // it already took effect
	wants(t, edit(ann, EditCmd{AddCriteria: []string{"b"}, AddLinks: []string{"https://e.org"}, Priority: ptr(1), IssueRevision: 4}), "")
	for name, e := range map[string]EditCmd{
		"rank": {Rank: ptr(int64(1))}, "due": {Due: ptr("")}, "parent": {Parent: ptr("")}, "type": {Type: ptr("bug")},
		"remove": {RemoveCriteria: []int{1}}, "change": {ChangeCriteria: map[int]string{1: "x"}}, "unblock": {RemoveBlockedBy: []string{k}},
	} {
		if err := edit(ann, e); fault.CodeOf(err) != fault.PersonOnly {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.ok(person, Release, k, func(in *input) { in.Force = true })
	s.ok(bob, BeginWork, k)
	wants(t, edit(ann, EditCmd{AddLabels: []string{"z"}}), fault.FenceLost)
	if i := s.get(k); i.Title != "new" || i.Priority != 1 || len(i.Criteria) != 2 || strings.Join(i.Labels, " ") != "x" {
		t.Errorf("%+v", i)
	}
}

func TestBlockers(t *testing.T) {
	s := newStage(t)
	ctx := context.Background()
	a, b, c := s.create("a"), s.create("b"), s.create("c")
	block := func(k string, by ...string) error {
		_, err := s.svc.Edit(ctx, s.actor(person), EditCmd{Key: k, AddBlockedBy: by})
		return err
	}
	s.must(block(b, a, a))
	s.must(block(c, b))
	wants(t, block(a, c), fault.Invalid)
	wants(t, block(a, a), fault.Invalid)
	s.prompt(ann, false)
	f := s.no(fault.Blocked, ann, BeginWork, b)
	says(t, f, a, "next ready")
	ready := func(want ...string) {
		t.Helper()
		p, err := s.svc.List(ctx, Filter{ProjectID: s.project, Ready: true})
		s.must(err)
		var got []string
		for _, i := range p.Issues {
			got = append(got, i.Key)
		}
		if strings.Join(got, " ") != strings.Join(want, " ") || p.Total != len(want) {
			t.Errorf("ready: %v of %d, want %v", got, p.Total, want)
		}
	}
	ready(a)
	s.ok(person, Close, a)
	ready(b)
	s.ok(person, Cancel, b)
	ready(c)
	s.ok(person, Reopen, a)
	ready(a, c)
	s.ok(person, Reopen, b)
	ready(a)
	_, err := s.svc.Edit(ctx, s.actor(person), EditCmd{Key: b, RemoveBlockedBy: []string{a}})
	s.must(err)
	ready(a, b)
	if i := s.get(c); !i.Blocked || strings.Join(i.BlockedBy, " ") != b {
		t.Errorf("%+v", i)
	}
	_, err = s.svc.Edit(ctx, s.actor(person), EditCmd{Key: a, Parent: &b})
	s.must(err)
	_, err = s.svc.Edit(ctx, s.actor(person), EditCmd{Key: b, Parent: &a})
	wants(t, err, fault.Invalid)
}

func TestCreatesRepeatAndAreCounted(t *testing.T) {
	s := newStage(t)
	ctx := context.Background()
	s.prompt(ann, false)
	create := func(title string, begin bool) (Result, error) {
		return s.svc.Create(ctx, s.actor(ann), CreateCmd{ProjectID: s.project, Title: title, Begin: begin, RunRevision: s.rev(ann)})
	}
	r, err := create("one", true)
	s.must(err)
	if r.Issue.State != InProgress || !r.Issue.Hold || r.Run.Revision != 2 {
		t.Errorf("%+v %+v", r.Issue, r.Run)
	}
	again, err := s.svc.Create(ctx, s.actor(ann), CreateCmd{ProjectID: s.project, Title: " one ", Begin: true, RunRevision: 1})
	s.must(err)
	if again.Issue.Key != r.Issue.Key || !again.Repeat {
		t.Errorf("the repeat made %s", again.Issue.Key)
	}
	_, err = create("two", true)
	wants(t, err, fault.HoldsOther)
	r, err = create("two", false)
	s.must(err)
	if r.Issue.Key != "PRE-2" || !r.Issue.Hold || r.Issue.Ready {
		t.Errorf("an agent's Issue is held for triage: %+v", r.Issue)
	}
	s.clock.Add(10 * time.Minute)
	for n := 3; n <= MaxCreatesPerRun; n++ {
		_, err := create(fmt.Sprint("issue ", n), false)
		s.must(err)
	}
	_, err = create("one too many", false)
	wants(t, err, fault.Limit)
	_, err = s.svc.Create(ctx, s.actor(ann), CreateCmd{ProjectID: s.project, Title: "unheld", Hold: ptr(false)})
	wants(t, err, fault.PersonOnly)
	u := Actor{Agent: true, Undeclared: true}
	r, err = s.svc.Create(ctx, u, CreateCmd{ProjectID: s.project, Title: "by whom?"})
	s.must(err)
	if h := r.Issue.History[0]; h.Actor != undeclared || h.Identity != "undeclared" || !r.Issue.Hold {
		t.Errorf("%+v", h)
	}
}

func TestRemarksRepeat(t *testing.T) {
	s := newStage(t)
	ctx := context.Background()
	k := s.create("work")
	s.prompt(ann, false)
	s.prompt(bob, false)
	comment := func(who int) Result {
		r, err := s.svc.Comment(ctx, s.actor(who), s.project, k, "the same")
		s.must(err)
		return r
	}
	revision := comment(ann).Issue.Revision
	if r := comment(ann); !r.Repeat || len(r.Issue.Comments) != 1 {
		t.Errorf("%+v", r.Issue.Comments)
	}
	comment(bob)
	comment(person)
	comment(person)
	s.clock.Add(11 * time.Minute)
	if r := comment(ann); len(r.Issue.Comments) != 5 || r.Issue.Revision != revision || r.Issue.Comments[0].Actor != "r1" {
		t.Errorf("%+v", r.Issue)
	}
	n, err := s.svc.Note(ctx, s.actor(ann), s.project, "make test needs git")
	s.must(err)
	again, err := s.svc.Note(ctx, s.actor(ann), s.project, "make test needs git ")
	s.must(err)
	if again.ID != n.ID || !again.Repeat {
		t.Errorf("%+v, first %+v", again, n)
	}
	_, err = s.svc.Note(ctx, s.actor(bob), s.project, "make test needs git")
	wants(t, err, fault.Invalid)
}

func TestApproveShowsWhatChangedFirst(t *testing.T) {
	s := newStage(t)
	ctx := context.Background()
	k := s.create("work", "a")
	s.prompt(ann, false)
	s.ok(ann, BeginWork, k)
	s.edit(ann, "main.go")
	s.ok(ann, RequestClosure, k)
	_, err := s.svc.Comment(ctx, s.actor(person), 0, k, "hm") // comments do not count
	s.must(err)
	s.edit(ann, "main.go")
	s.edit(ann, "other.go")
	_, err = s.svc.Edit(ctx, s.actor(person), EditCmd{Key: k, Title: ptr("other work")})
	s.must(err)
	f := s.no(fault.ReviewNeeded, person, Approve, k)
	says(t, f, "edit of title by pat", "2 more edits")
	other := Actor{Person: "kim"}
	_, err = s.svc.Approve(ctx, other, MoveCmd{Key: k})
	wants(t, err, fault.ReviewNeeded) // shown to pat, not to kim
	s.edit(ann, "third.go")
	s.no(fault.ReviewNeeded, person, Approve, k)
	next := s.create("next")
	s.ok(ann, BeginWork, next)
	s.edit(ann, "fourth.go") // belongs to the next one
	r := s.ok(person, Approve, k)
	if r.Issue.State != Done || r.Issue.Closure == nil || r.Issue.Criteria[0].Verdict != Met {
		t.Errorf("%+v", r.Issue)
	}
	r = s.ok(person, Reopen, k)
	if r.Issue.Closure != nil || r.Issue.Criteria[0].Verdict != "" {
		t.Errorf("reopen keeps what was judged: %+v", r.Issue)
	}
}

func TestHistoryHoldsEveryChange(t *testing.T) {
	s := newStage(t)
	ctx := context.Background()
	k := s.create("work", "a")
	s.prompt(ann, false)
	s.ok(ann, BeginWork, k)
	_, err := s.svc.Comment(ctx, s.actor(ann), s.project, k, "hm")
	s.must(err)
	s.ok(ann, RequestClosure, k)
	r := s.ok(person, RequestChanges, k)
	if r.Issue.LastReason != "because" || !r.Issue.SentBack || r.Issue.Criteria[0].Verdict != "" {
		t.Errorf("%+v", r.Issue)
	}
	s.ok(person, Hold, k)
	r = s.ok(person, Close, k)
	var got []string
	for _, h := range r.Issue.History {
		got = append(got, fmt.Sprintf("%s %s %s>%s %d %s", h.Actor, h.Event, h.From, h.To, h.Revision, h.Identity))
	}
	want := []string{
		"pat create >todo 1 ", "r1 begin_work todo>in_progress 2 declared", "r1 comment in_progress>in_progress 2 declared",
		"r1 request_closure in_progress>in_review 3 declared", "pat request_changes in_review>todo 4 ", "pat hold todo>todo 5 ", "pat close todo>done 6 ",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if d := r.Issue.History[len(want)-1].Detail["note"]; d != closedByHand {
		t.Errorf("note %q", d)
	}
	all, err := s.svc.History(ctx, HistoryFilter{ProjectID: s.project, Limit: 3})
	s.must(err)
	more, err := s.svc.History(ctx, HistoryFilter{Key: k, Cursor: all[2].Seq})
	s.must(err)
	if len(all) != 3 || len(more) != 4 || all[0].Event != "close" || more[3].Event != "create" || more[3].Key != k {
		t.Errorf("%d and %d changes", len(all), len(more))
	}
}

func TestOneWinnerUnderARace(t *testing.T) {
	s := newStage(t)
	s.prompt(ann, false)
	s.prompt(bob, false)
	for range 20 {
		k := s.create("prize")
		var wg sync.WaitGroup
		errs := make([]error, 2)
		for who := range errs {
			wg.Go(func() {
				_, errs[who] = s.svc.BeginWork(context.Background(), s.actor(who), MoveCmd{ProjectID: s.project, Key: k, RunRevision: s.rev(who)})
			})
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
				continue
			}
			wants(t, err, fault.HeldByOther)
			says(t, fault.As(err), "since")
		}
		if won != 1 {
			t.Fatalf("%d winners: %v", won, errs)
		}
		s.ok(person, Close, k)
	}
}
