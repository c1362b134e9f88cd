package issues

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func keys(p []Issue) string {
	var out []string
	for _, i := range p {
		out = append(out, strings.TrimPrefix(i.Key, "PRE-"))
	}
	return strings.Join(out, " ")
}

func (s *stage) list(f Filter) Page {
	s.t.Helper()
	p, err := s.svc.List(context.Background(), f)
	s.must(err)
	return p
}

func (s *stage) add(c CreateCmd) string {
	s.t.Helper()
	if c.ProjectID == 0 {
		c.ProjectID = s.project
	}
	r, err := s.svc.Create(context.Background(), s.actor(person), c)
	s.must(err)
	return r.Issue.Key
}

func TestReadyOrder(t *testing.T) {
	s := newStage(t)
	s.add(CreateCmd{Title: "1 old"})
	s.add(CreateCmd{Title: "2 urgent", Priority: ptr(0)})
	s.add(CreateCmd{Title: "3 sent back", Priority: ptr(4)})
	s.add(CreateCmd{Title: "4 kept", Hold: ptr(true)})
	s.add(CreateCmd{Title: "5 archived"})
	s.add(CreateCmd{Title: "6 handed off", Priority: ptr(1)})
	s.add(CreateCmd{Title: "7 left behind", Priority: ptr(1)})
	s.add(CreateCmd{Title: "8 a question", Priority: ptr(0)})
	s.add(CreateCmd{Title: "9 blocked", BlockedBy: []string{"PRE-1"}})
	s.ok(person, Archive, "PRE-5")
	s.prompt(ann, false)
	s.ok(ann, BeginWork, "PRE-3")
	s.ok(ann, RequestClosure, "PRE-3")
	s.ok(person, RequestChanges, "PRE-3")
	s.ok(ann, BeginWork, "PRE-6")
	s.ok(ann, Pause, "PRE-6")
	s.ok(ann, BeginWork, "PRE-8")
	s.ok(ann, Pause, "PRE-8", func(in *input) { in.PauseReason = Question })
	s.prompt(bob, false)
	s.ok(bob, BeginWork, "PRE-7")
	const want = "3 2 6 1"
	if got := keys(s.list(Filter{ProjectID: s.project, Ready: true}).Issues); got != want {
		t.Errorf("ready: %s, want %s", got, want)
	}
	s.clock.Add(6 * time.Hour) // bob is gone
	if got := keys(s.list(Filter{Ready: true}).Issues); got != "3 2 6 7 1" {
		t.Errorf("ready: %s", got)
	}
	c, err := s.svc.Counts(context.Background(), s.project)
	s.must(err)
	if c.Ready != 5 || c.ChangesRequested != 1 || c.WaitingOnPerson != 1 || c.Held != 1 || c.States[Todo] != 5 || c.States[Paused] != 2 || c.States[Done] != 0 {
		t.Errorf("%+v", c)
	}
	for _, key := range strings.Fields("3 2 6 7 1") { // begin_work without a key hands out the same, in the same order
		next, err := s.svc.Next(context.Background(), s.project)
		s.must(err)
		s.prompt(ann, false)
		r := s.ok(ann, BeginWork, "")
		if r.Issue.Key != "PRE-"+key || next.Key != r.Issue.Key {
			t.Fatalf("handed out %s, next said %s, want %s", r.Issue.Key, next.Key, key)
		}
		s.ok(person, Close, r.Issue.Key)
	}
}

// TestPagesShowEveryIssueOnce turns pages of any size through boards of any shape.
func TestPagesShowEveryIssueOnce(t *testing.T) {
	s := newStage(t)
	dice := rand.New(rand.NewPCG(3, 3))
	s.prompt(ann, false)
	other := s.addProject("TWO")
	for range 60 {
		s.clock.Add(time.Duration(dice.IntN(3)) * time.Second)
		p := dice.IntN(3)
		project := s.project
		if dice.IntN(5) == 0 {
			project = other
		}
		k := s.add(CreateCmd{Title: "x", Priority: &p, ProjectID: project})
		switch dice.IntN(6) {
		case 0:
			s.ok(person, Close, k, func(in *input) { in.ProjectID = 0 })
		case 1:
			s.ok(person, Cancel, k, func(in *input) { in.ProjectID = 0 })
		case 2:
			s.ok(ann, BeginWork, k, func(in *input) { in.ProjectID = 0 })
			s.ok(ann, Pause, k, func(in *input) { in.ProjectID = 0 })
		case 3:
			_, err := s.svc.Edit(context.Background(), s.actor(person), EditCmd{Key: k, Rank: ptr(int64(dice.IntN(3)))})
			s.must(err)
		}
	}
	for _, f := range []Filter{{}, {ProjectID: s.project}, {Ready: true}, {ProjectID: s.project, Ready: true}, {States: []State{Done, Todo}}} {
		whole := s.list(f)
		if len(whole.Issues) != whole.Total || whole.Next != "" {
			t.Errorf("%+v: %d of %d", f, len(whole.Issues), whole.Total)
		}
		for limit := 1; limit < 12; limit += 3 {
			var got []Issue
			g := f
			g.Limit = limit
			for {
				p := s.list(g)
				got = append(got, p.Issues...)
				if p.Total != whole.Total || len(p.Issues) > limit {
					t.Fatalf("%+v: total %d, page of %d", g, p.Total, len(p.Issues))
				}
				if g.Cursor = p.Next; g.Cursor == "" {
					break
				}
			}
			if !slices.EqualFunc(got, whole.Issues, func(a, b Issue) bool { return a.UUID == b.UUID }) {
				t.Errorf("%+v by %d: %s, want %s", f, limit, keys(got), keys(whole.Issues))
			}
		}
	}
	for _, bad := range []string{"x", "!!", "e30", "eyJpIjotMX0"} {
		_, err := s.svc.List(context.Background(), Filter{Cursor: bad})
		wants(t, err, "invalid")
	}
}

func TestFilters(t *testing.T) {
	s := newStage(t)
	s.add(CreateCmd{Title: "Fix 100% of it", Labels: []string{"bug", `a "b"`}})
	s.add(CreateCmd{Title: "other", Description: "it FIXES nothing", Labels: []string{"bugs"}})
	s.add(CreateCmd{Title: "third", Labels: []string{"bug"}})
	s.ok(person, Archive, "PRE-3")
	s.prompt(ann, false)
	s.ok(ann, BeginWork, "PRE-1")
	s.ok(ann, Pause, "PRE-1")
	s.ok(ann, BeginWork, "PRE-2")
	for _, c := range []struct {
		f    Filter
		want string
	}{
		{Filter{Label: "bug"}, "1"},
		{Filter{Label: `a "b"`}, "1"},
		{Filter{Label: "bug", Archived: true}, "3 1"},
		{Filter{Label: "u"}, ""},
		{Filter{Text: "fix"}, "2 1"},
		{Filter{Text: "100%"}, "1"},
		{Filter{Text: "1_0"}, ""},
		{Filter{Text: "'"}, ""},
		{Filter{States: []State{Paused}}, "1"},
		{Filter{Mine: s.run[ann].LineID}, "2 1"},
		{Filter{Ready: true, Mine: s.run[ann].LineID}, "1"},
		{Filter{Ready: true, States: []State{Paused}}, "1"},
		{Filter{Ready: true, States: []State{Todo}}, ""},
		{Filter{ProjectID: 99}, ""},
	} {
		p := s.list(c.f)
		if keys(p.Issues) != c.want || p.Total != len(p.Issues) {
			t.Errorf("%+v: %s of %d, want %s", c.f, keys(p.Issues), p.Total, c.want)
		}
	}
}

// TestHotQueriesUseIndexes: the ready list and the columns must not read the whole board.
func TestHotQueriesUseIndexes(t *testing.T) {
	s := newStage(t)
	plan := func(sql string) string {
		rows, err := s.db.SQL().Query("EXPLAIN QUERY PLAN " + sql)
		s.must(err)
		defer func() { s.must(rows.Close()) }()
		var out []string
		for rows.Next() {
			var id, parent, unused int
			var detail string
			s.must(rows.Scan(&id, &parent, &unused, &detail))
			out = append(out, detail)
		}
		return strings.Join(out, "; ")
	}
	sel := func() Filter { return Filter{ProjectID: s.project} }
	for name, c := range map[string]struct{ sql, index string }{
		"ready":      {narrow(s.svc.bun.NewSelect().Model((*issueRow)(nil)), sel()).Where(readyTodo).OrderExpr("i.changes_requested DESC, i.priority, i.id").Limit(20).String(), "issues_ready"},
		"candidates": {narrow(s.svc.bun.NewSelect().Model((*issueRow)(nil)), sel()).Where(readyClaimed).String(), "issues_open"},
		"held":       {s.svc.bun.NewSelect().Model((*issueRow)(nil)).Where("i.holder_line = ?", 5).Where("i.holder_line <> 0").String(), "issues_holder"},
		"column":     {narrow(s.svc.bun.NewSelect().Model((*issueRow)(nil)), sel()).Where("i.state = ?", Todo).Where("i.state NOT IN ('done', 'canceled')").String(), "issues_open"},
		"closed":     {narrow(s.svc.bun.NewSelect().Model((*issueRow)(nil)), sel()).Where("i.state = ?", Done).Where("i.state IN ('done', 'canceled')").OrderExpr("i.updated_at DESC, i.id DESC").String(), "issues_closed"},
		"created":    {s.svc.bun.NewSelect().Model((*issueRow)(nil)).Where("i.created_by_run = ?", 5).Where("i.created_by_run <> 0").String(), "issues_created"},
	} {
		got := plan(c.sql)
		if !strings.Contains(got, c.index) || strings.Contains(got, "SCAN i") || (name == "ready" || name == "closed") && strings.Contains(got, "TEMP B-TREE") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestJSONRows(t *testing.T) {
	s := newStage(t)
	parent := s.create("parent")
	k := s.add(CreateCmd{
		Title: "work", Description: "text", Criteria: []string{"one", "two"}, Labels: []string{"bug"}, Links: []string{"https://e.org"},
		Type: "task", Due: "2026-04-01", Parent: parent, BlockedBy: []string{parent}, Priority: ptr(1),
	})
	s.ok(person, Close, parent)
	s.prompt(ann, false)
	s.ok(ann, BeginWork, k)
	_, err := s.svc.Comment(context.Background(), s.actor(ann), s.project, k, "hm")
	s.must(err)
	bare := s.create("bare")
	var out strings.Builder
	show := func(what string, v any) {
		b, err := json.MarshalIndent(v, "", "  ")
		s.must(err)
		text := string(b)
		for _, i := range []string{parent, k, bare} { // ids are random
			text = strings.ReplaceAll(text, s.get(i).UUID, "<id of "+i+">")
		}
		if strings.Contains(text, "null") {
			t.Errorf("%s has a null", what)
		}
		fmt.Fprintf(&out, "%s: %s\n", what, text)
	}
	show("bare row", Row(s.get(bare)))
	show("held row", Row(s.get(k)))
	s.ok(ann, RequestClosure, k)
	show("in review", FullRow(s.get(k)))
	s.ok(person, RequestChanges, k)
	show("sent back", FullRow(s.get(k)))
	golden(t, "json.golden", out.String())
}
