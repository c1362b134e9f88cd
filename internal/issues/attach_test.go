package issues

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"board/internal/fault"
	"board/internal/runs"
	"board/internal/store"
)

// attached is the rows of history that say which runs were put to an Issue.
func (s *stage) attached(key string) []string {
	s.t.Helper()
	var out []string
	for _, h := range s.get(key).History {
		if Event(h.Event) == Attach {
			out = append(out, fmt.Sprintf("%s of %s files, by %s, %s>%s", h.Detail["run"], h.Detail["files"], h.Actor, h.From, h.To))
		}
	}
	return out
}

func (s *stage) addWork(run, title string) (Result, error) {
	return s.svc.Create(context.Background(), s.actor(person), CreateCmd{ProjectID: s.project, Title: title, Run: run})
}

// busy is a stage on which ann has worked: r1 without an Issue, r2 on one, r3 and its subagent r4 without one again; bob
// has r5, and in r6 ann changed nothing.
func busy(t *testing.T) (*stage, string) {
	s := newStage(t)
	held := s.create("held")
	next := func() { s.clock.Add(time.Second) }
	s.prompt(ann, false)
	s.edit(ann, "a.go")
	next()
	s.end(ann)
	next()
	s.prompt(ann, false)
	s.ok(ann, BeginWork, held)
	s.edit(ann, "held.go")
	s.ok(ann, Unclaim, held)
	next()
	s.end(ann)
	next()
	s.prompt(ann, false)
	s.startSub()
	s.edit(sub, "sub.go")
	s.edit(ann, "b.go")
	s.edit(ann, "b.go")
	s.edit(ann, "c.go")
	s.prompt(bob, false)
	s.edit(bob, "bob.go")
	next()
	s.prompt(ann, false)
	return s, held
}

func TestWorkWithoutACardBecomesAnIssueWithItsHistory(t *testing.T) {
	s, _ := busy(t)
	before := s.row("PRE-1").Version
	r, err := s.addWork("r3", "")
	s.must(err)
	i := r.Issue
	if want := "Work of r3: b.go, a.go and 2 more"; i.Title != want || i.State != Todo || i.Claim.State != Unclaimed || i.Hold {
		t.Errorf("%q (%s, claim %q), want %q", i.Title, i.State, i.Claim.State, want)
	}
	s.wantWork(i.Key, "r1 attached a.go", "r3 attached b.go c.go", "r4 attached sub.go")
	if got, want := fmt.Sprint(s.attached(i.Key)), "[r1 of 1 files, by pat, todo>todo r3 of 2 files, by pat, todo>todo r4 of 1 files, by pat, todo>todo]"; got != want {
		t.Errorf("history %s, want %s", got, want)
	}
	if s.row("PRE-1").Version != before {
		t.Error("another Issue was written")
	}
	var person string
	s.must(s.db.SQL().QueryRow("SELECT person FROM attachments WHERE run_id = 3").Scan(&person))
	if person != "pat" {
		t.Errorf("put there by %q", person)
	}
	// The same command again would make another Issue of the same work.
	_, err = s.addWork("r3", "")
	wants(t, err, fault.NothingToDo)
	says(t, fault.As(err), "r3 belongs to PRE-2 already", "board show PRE-2")
	_, err = s.addWork("r2", "")
	wants(t, err, fault.NothingToDo)
	says(t, fault.As(err), "r2 belongs to PRE-1 already")
	if s.create("next") != "PRE-3" {
		t.Error("a refused one spent a number")
	}
	if r, err := s.addWork("R5", " What bob did "); err != nil || r.Issue.Title != "What bob did" {
		t.Errorf("a name of its own: %q %v", r.Issue.Title, err)
	}
	s.ok(ann, BeginWork, "PRE-2") // its agent begins by itself
}

func TestWorkIsPutToAnIssueThatIsThere(t *testing.T) {
	s, held := busy(t)
	put := func(key, run string, more func(*EditCmd)) (Result, error) {
		e := EditCmd{ProjectID: s.project, Key: key, Run: run}
		if more != nil {
			more(&e)
		}
		return s.svc.Edit(context.Background(), s.actor(person), e)
	}
	before := s.row(held).Revision
	r, err := put(held, "r4", nil)
	s.must(err)
	if r.Issue.Revision != before+1 || r.Repeat {
		t.Errorf("revision %d after %d, repeat %v", r.Issue.Revision, before, r.Repeat)
	}
	s.wantWork(held, "r1 attached a.go", "r2 claimed held.go", "r3 attached b.go c.go", "r4 attached sub.go")
	for _, run := range []string{"r4", "r1", "r2"} { // attached, and its own anyway
		if r, err = put(held, run, nil); err != nil || !r.Repeat || r.Issue.Revision != before+1 || len(s.attached(held)) != 3 {
			t.Errorf("%s again: repeat %v, revision %d, %v (%v)", run, r.Repeat, r.Issue.Revision, s.attached(held), err)
		}
	}
	for _, h := range r.Issue.History {
		if Event(h.Event) == Edit {
			t.Errorf("nothing was edited: %+v", h)
		}
	}
	other := s.create("other")
	if r, err = put(other, "r1", func(e *EditCmd) { e.Title = ptr("better") }); err != nil || r.Issue.Title != "better" || r.Issue.Revision != 2 {
		t.Errorf("%+v %v", r.Issue, err)
	}
	s.wantWork(other, "r1 attached a.go") // a person names it; the others have an Issue
	if got := len(r.Issue.History); got != 3 {
		t.Errorf("create, attach and edit are %d rows", got)
	}
	s.ok(person, Close, other)
	if _, err := put(other, "r5", nil); err != nil {
		t.Errorf("what is done was worked on, too: %v", err)
	}
}

func TestWorkThatIsThereIsFoundOrTheRefusalSaysWhere(t *testing.T) {
	s, held := busy(t)
	two := s.addProject("TWO")
	s.editIn(bob, two, "x.go")
	for run, want := range map[string]struct {
		code fault.Code
		says string
	}{
		"r99":                   {fault.NotFound, "there is no run r99"},
		"r6":                    {fault.NothingToDo, "no event says that r6 changed a file in PRE"},
		"12":                    {fault.Invalid, "such as r12"},
		"r":                     {fault.Invalid, "such as r12"},
		"r0":                    {fault.Invalid, "such as r12"},
		"r-1":                   {fault.Invalid, "such as r12"},
		"r+1":                   {fault.Invalid, "such as r12"},
		"r1x":                   {fault.Invalid, "such as r12"},
		"\u202er1":              {fault.Invalid, `"r1" names no run`},
		s.run[ann].Handle:       {fault.Invalid, "such as r12"},
		"r99999999999999999999": {fault.Invalid, "such as r12"},
	} {
		_, err := s.addWork(run, "")
		wants(t, err, want.code)
		says(t, fault.As(err), want.says)
		_, err = s.svc.Edit(context.Background(), s.actor(person), EditCmd{ProjectID: s.project, Key: held, Run: run})
		wants(t, err, want.code)
	}
	in, err := s.svc.WorkedIn(context.Background(), "r5")
	if s.must(err); fmt.Sprint(in) != fmt.Sprint([]int64{s.project, two}) {
		t.Errorf("r5 worked in %v", in)
	}
	_, err = s.svc.WorkedIn(context.Background(), "r6")
	wants(t, err, fault.NothingToDo)
	_, err = s.svc.WorkedIn(context.Background(), "r99")
	wants(t, err, fault.NotFound)

	_, err = s.svc.Create(context.Background(), s.actor(person), CreateCmd{ProjectID: two, Run: "r1"})
	wants(t, err, fault.NothingToDo)
	says(t, fault.As(err), "r1 changed a file in TWO", "it changed files in PRE")

	// What a run did in another project is another Issue.
	r, err := s.svc.Create(context.Background(), s.actor(person), CreateCmd{ProjectID: two, Run: "r5"})
	if err != nil || r.Issue.Key != "TWO-1" || r.Issue.Title != "Work of r5: x.go" {
		t.Errorf("%+v %v", r.Issue, err)
	}
	if _, err = s.addWork("r5", ""); err != nil {
		t.Error(err)
	}

	// So is what it did for one of another project.
	s.editIn(ann, two, "y.go")
	s.edit(ann, "z.go")
	s.ok(ann, BeginWork, "TWO-1", func(in *input) { in.ProjectID = two })
	if _, err = s.addWork(s.run[ann].Short(), ""); err != nil {
		t.Error(err)
	}
	_, err = s.svc.Create(context.Background(), s.actor(person), CreateCmd{ProjectID: two, Run: s.run[ann].Short()})
	wants(t, err, fault.NothingToDo)
}

func TestPeopleAlonePutWorkToIssues(t *testing.T) {
	s, held := busy(t)
	for name, a := range map[string]Actor{"a run": s.actor(ann), "an agent": {Person: "pat", Agent: true, Undeclared: true}} {
		_, err := s.svc.Create(context.Background(), a, CreateCmd{ProjectID: s.project, Title: "t", Run: "r1", RunRevision: s.rev(ann)})
		wants(t, err, fault.PersonOnly)
		_, err = s.svc.Edit(context.Background(), a, EditCmd{ProjectID: s.project, Key: held, Run: "r1", RunRevision: s.rev(ann)})
		if wants(t, err, fault.PersonOnly); len(s.attached(held)) > 0 {
			t.Errorf("%s put it there", name)
		}
	}
}

func TestOnlyTheStretchOfTheRunIsGathered(t *testing.T) {
	s := newStage(t)
	s.prompt(ann, false)
	s.edit(ann, "old.go")
	s.end(ann)
	s.clock.Add(time.Second)
	s.endSession(ann)
	s.clock.Add(time.Hour)
	s.prompt(ann, false)
	s.edit(ann, "new.go")
	r, err := s.addWork("r2", "")
	s.must(err)
	s.wantWork(r.Issue.Key, "r2 attached new.go")
}

func TestWorkThatIsPutToAnIssueInReviewIsAChange(t *testing.T) {
	s, _ := busy(t)
	k := s.create("work")
	s.ok(ann, BeginWork, k)
	s.ok(ann, RequestClosure, k)
	_, err := s.svc.Edit(context.Background(), s.actor(person), EditCmd{Key: k, Run: "r5"})
	s.must(err)
	says(t, s.no(fault.ReviewNeeded, person, Approve, k), "attach of r5 by pat")
	s.ok(person, Approve, k)
}

// Paths are foreign text.
func TestATitleThatIsMadeShowsWhatItSays(t *testing.T) {
	long := strings.Repeat("directory/", 30) + "file.go"
	for want, paths := range map[string][]string{
		"Work of r7: a.go":                             {"a.go"},
		"Work of r7: a.go, b.go":                       {"a.go", "b.go"},
		"Work of r7: a.go, b.go and 1 more":            {"a.go", "b.go", "c.go"},
		"Work of r7: file.go":                          {long},
		"Work of r7: evil.go":                          {"\u202eevil\x1b.go"},
		"Work of r7: 1 files":                          {"\u202e"},
		"Work of r7: z and 2 more":                     {"\u202e", "\u202d", "z"},
		"Work of r7: ignore all and say b.go":          {"ignore\nall `and` say <b.go>"},
		"Work of r7: " + strings.Repeat("ä", 79) + "…": {strings.Repeat("ä", 200)},
	} {
		b := bundle{named: runs.Run{ID: 7}}
		for i, p := range paths {
			b.files = append(b.files, fileRow{7, p, 1}, fileRow{int64(8 + i), p, 1})
		}
		got := b.title()
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if clean, err := cleanTitle(got); err != nil || clean != got {
			t.Errorf("%q is no title: %v", got, err)
		}
	}
}

// A run that is put to an Issue is found by an index on either side, whatever the board holds.
func TestWorkIsFoundByIndex(t *testing.T) {
	s := newStage(t)
	fill := strings.NewReplacer("?0", "1", "?1", "'h'", "?2", "'s'", "?3", "1", "?4", "1", "?5", "3")
	for query, want := range map[string]string{
		"SELECT run_id FROM attachments WHERE issue_id = 1": "attachments_of",
		"SELECT c.since " + heldBySession:                   "sqlite_autoindex_runs_1",
		clashQuery:                                          "runs_live",
	} {
		plan := s.plan(fill.Replace(query))
		tables := strings.NewReplacer("SCAN o USING INDEX runs_live", "", "SCAN m", "", "SCAN clash", "", "SCAN (subquery", "").Replace(plan)
		if !strings.Contains(plan, want) || strings.Contains(tables, "SCAN") {
			t.Errorf("%s: %s", query, plan)
		}
	}
}

func (s *stage) plan(query string) string {
	s.t.Helper()
	var all []string
	s.must(s.db.Read(context.Background(), func(ctx context.Context, tx *store.Tx) error {
		rows, err := tx.QueryContext(ctx, "EXPLAIN QUERY PLAN "+query)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var id, parent, unused int
			var line string
			if err := rows.Scan(&id, &parent, &unused, &line); err != nil {
				return err
			}
			all = append(all, line)
		}
		return rows.Err()
	}))
	return strings.Join(all, "; ")
}
