package issues

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"board/internal/fault"
	"board/internal/runs"
	"board/internal/store"
)

// at is where a turn stands: a work tree and a commit of forty times a letter.
func at(tree, letter string) runs.Observation {
	return runs.Observation{Worktree: tree, Branch: "main", Head: strings.Repeat(letter, 40)}
}

// promptAt begins a turn of a root in a work tree, a second after what was before.
func (s *stage) promptAt(who int, tree, letter string) string {
	s.t.Helper()
	s.clock.Add(time.Second)
	o := at(tree, letter)
	o.Kind, o.Key = runs.OnPrompt, s.key(who)
	o.Key.Turn = fmt.Sprint("turn-", s.turn)
	s.see(who, o)
	return s.run[who].Short()
}

// stopAt ends the turn of a root.
func (s *stage) stopAt(who int, tree, letter string) {
	s.t.Helper()
	s.clock.Add(time.Second)
	o := at(tree, letter)
	o.Kind = runs.OnStop
	s.see(who, o)
}

// editIn is edit in another project.
func (s *stage) editIn(who int, project int64, path string) {
	s.t.Helper()
	s.see(who, runs.Observation{Kind: runs.OnEdit, Tool: "Edit", Edits: []runs.Edit{{ProjectID: project, Path: path}}})
}

func (s *stage) whole(key string) Issue {
	s.t.Helper()
	i, err := s.svc.GetWithWork(context.Background(), 0, key)
	s.must(err)
	return i
}

// work is who worked on an Issue in words: r2 claimed a.go b.go.
func (s *stage) work(key string) []string {
	s.t.Helper()
	var out []string
	for _, w := range s.whole(key).Work {
		line := w.Run.Short() + " " + w.How()
		for _, f := range w.Files {
			line += " " + f.Path
		}
		if w.Run.Handle != "" {
			s.t.Errorf("the handle of %s is shown", w.Run.Short())
		}
		out = append(out, line)
	}
	return out
}

func (s *stage) wantWork(key string, want ...string) {
	s.t.Helper()
	if got := s.work(key); !reflect.DeepEqual(got, want) {
		s.t.Errorf("the work on %s is %q, want %q", key, got, want)
	}
}

func TestTheWorkOnAnIssueIsWhatItsSessionDidMeanwhile(t *testing.T) {
	s := newStage(t)
	second := func() { s.clock.Add(time.Second) }
	other := s.addProject("TWO")
	k := s.create("work")
	s.wantWork(k)
	s.prompt(ann, false) // before it
	s.edit(ann, "early.go")
	second()
	s.end(ann)
	second()
	s.prompt(ann, false)
	s.edit(ann, "b.go")
	s.prompt(bob, false) // somebody else, meanwhile
	s.edit(bob, "theirs.go")
	s.ok(ann, BeginWork, k)
	s.edit(ann, "a.go")
	s.editIn(ann, other, "elsewhere.go")
	second()
	s.startSub()
	s.edit(sub, "sub.go")
	second()
	s.prompt(ann, true) // the claim stands
	s.edit(ann, "c.go")
	s.ok(ann, RequestClosure, k)
	second()
	s.prompt(ann, false) // after it
	s.edit(ann, "late.go")
	s.wantWork(k, "r2 claimed a.go b.go", "r4 claimed sub.go", "r5 claimed c.go")
}

func TestARunThatWasOverBeforeIsNoWorkAlsoWhereNobodyWroteThatDown(t *testing.T) {
	s := newStage(t)
	k := s.create("work")
	turn := func(process string) {
		key := s.key(ann)
		key.Turn = process
		s.see(ann, runs.Observation{Kind: runs.OnPrompt, Key: key, Process: process})
	}
	turn("first")
	s.edit(ann, "a.go")
	s.clock.Add(30 * time.Minute)
	turn("second") // another process of the session supersedes nothing
	s.clock.Add(20 * time.Minute)
	s.ok(ann, BeginWork, k)
	var state string
	if s.must(s.db.SQL().QueryRow("SELECT state FROM runs WHERE id = 1").Scan(&state)); state != "running" {
		t.Fatalf("it is stored as %s", state)
	}
	s.wantWork(k, "r2 claimed")
}

func TestAClaimCoversARun(t *testing.T) {
	run := func(id, from, to int64) runs.Run {
		r := runs.Run{ID: id, StartedAt: from, EndedAt: to, State: runs.Ended}
		if to == 0 {
			r.State = runs.Running
		}
		return r
	}
	for name, c := range map[string]struct {
		run          runs.Run
		since, until int64
		want         bool
	}{
		"that ended before it":               {run(1, 1, 9), 10, 20, false},
		"that ended as it began":             {run(1, 1, 10), 10, 20, true},
		"inside of it":                       {run(1, 12, 15), 10, 20, true},
		"around it":                          {run(1, 1, 30), 10, 20, true},
		"that began as it ended":             {run(1, 20, 30), 10, 20, true},
		"that began after it":                {run(1, 21, 30), 10, 20, false},
		"that goes on":                       {run(1, 1, 0), 10, 20, true},
		"that goes on and began after it":    {run(1, 21, 0), 10, 20, false},
		"after it began, where it stands":    {run(1, 21, 30), 10, 0, true},
		"that made it, without a later sign": {run(7, 1, 9), 10, 20, true},
	} {
		if got := (heldRow{ClaimRun: 7, Since: c.since, Until: c.until}).covers(c.run); got != c.want {
			t.Errorf("a run %s: %v", name, got)
		}
	}
}

func TestTheWorkTreesOfAnIssue(t *testing.T) {
	c := func(letter string) string { return strings.Repeat(letter, 40) }
	run := func(id int64, kind runs.Kind, tree, from, to string) Work {
		return Work{Run: runs.Run{ID: id, Kind: kind, Worktree: tree, Branch: fmt.Sprint("b", id), HeadStart: from, HeadEnd: to}}
	}
	for name, w := range map[string]struct {
		work []Work
		want []Tree
	}{
		"nothing":              {nil, nil},
		"no repository":        {[]Work{run(1, runs.Root, "", "", "")}, nil},
		"one turn, still on":   {[]Work{run(1, runs.Root, "/w", c("a"), "")}, []Tree{{Worktree: "/w", Branch: "b1", HeadStart: c("a")}}},
		"from first to last":   {[]Work{run(1, runs.Root, "/w", c("a"), c("b")), run(2, runs.Root, "/w", c("b"), c("c"))}, []Tree{{Worktree: "/w", Branch: "b2", HeadStart: c("a"), HeadEnd: c("c")}}},
		"the first is unknown": {[]Work{run(1, runs.Root, "/w", "", ""), run(2, runs.Root, "/w", c("b"), c("c"))}, []Tree{{Worktree: "/w", Branch: "b2", HeadStart: c("b"), HeadEnd: c("c")}}},
		"the last is unknown":  {[]Work{run(1, runs.Root, "/w", c("a"), c("b")), run(2, runs.Root, "/w", c("b"), "")}, []Tree{{Worktree: "/w", Branch: "b2", HeadStart: c("a")}}},
		"a subagent ended before the turn that it began after": {
			[]Work{run(1, runs.Root, "/w", c("a"), c("c")), run(2, runs.Subagent, "/w", c("a"), c("b"))},
			[]Tree{{Worktree: "/w", Branch: "b1", HeadStart: c("a"), HeadEnd: c("c")}},
		},
		"a subagent in a tree of its own, that of the turn first": {
			[]Work{run(1, runs.Subagent, "/sub", c("a"), c("b")), run(2, runs.Root, "/w", c("d"), c("e"))},
			[]Tree{{Worktree: "/w", Branch: "b2", HeadStart: c("d"), HeadEnd: c("e")}, {Worktree: "/sub", Branch: "b1", HeadStart: c("a"), HeadEnd: c("b")}},
		},
	} {
		if got := trees(w.work); !reflect.DeepEqual(got, w.want) {
			t.Errorf("%s: %+v, want %+v", name, got, w.want)
		}
	}
}

func TestABasisSaysWhatAnApprovalRestsOn(t *testing.T) {
	s := newStage(t)
	k := s.create("work")
	s.promptAt(ann, "/w", "a")
	s.ok(ann, BeginWork, k)
	s.edit(ann, "a.go")
	s.edit(ann, "b.go")
	if s.whole(k).Basis != nil {
		t.Error("nothing is in review, and something rests on it")
	}
	s.stopAt(ann, "/w", "b")
	s.promptAt(ann, "/w", "b")
	s.edit(ann, "a.go")
	s.ok(ann, RequestClosure, k)
	s.stopAt(ann, "/w", "c")
	i := s.whole(k)
	want := &Basis{
		Trees:  []Tree{{Worktree: "/w", Branch: "main", HeadStart: strings.Repeat("a", 40), HeadEnd: strings.Repeat("c", 40)}},
		Resume: "claude --resume s-ann",
	}
	if !reflect.DeepEqual(i.Basis, want) {
		t.Errorf("%+v", i.Basis)
	}
	if got, want := i.Changed(), []ChangedFile{{"a.go", []string{"r1", "r2"}}, {"b.go", []string{"r1"}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
	s.edit(ann, "c.go")
	if i = s.whole(k); i.Basis.Changed != "1 more edits of files by its session" {
		t.Errorf("changed: %q", i.Basis.Changed)
	}
	if i, err := s.svc.Get(context.Background(), 0, k); err != nil || i.Work != nil || i.Basis != nil {
		t.Errorf("it is asked for by those who show it alone: %+v %v", i, err)
	}
}

// The commits that an approval rests on. Each story begins after a closure was requested at commit a.
func TestACommitThatNobodyWasShownIsAChange(t *testing.T) {
	heads := func(letter string) map[string]string { return map[string]string{"/w": strings.Repeat(letter, 40)} }
	type world struct {
		*stage
		key string
	}
	look := func(letter string) func(world) {
		return func(w world) { w.must(w.svc.Shown(context.Background(), w.actor(person), 0, w.key, heads(letter))) }
	}
	stop := func(letter string) func(world) { return func(w world) { w.stopAt(ann, "/w", letter) } }
	turn := func(from, to string) func(world) {
		return func(w world) { w.promptAt(ann, "/w", from); w.stopAt(ann, "/w", to) }
	}
	begin := func(w world) { w.ok(ann, BeginWork, w.create("next")) }
	prompt := func(letter string) func(world) { return func(w world) { w.promptAt(ann, "/w", letter) } }
	approve := func(letter string, says string) func(world) {
		return func(w world) {
			w.t.Helper()
			r, err := w.call(person, Approve, w.key, func(in *input) {
				if letter != "" {
					in.Heads = heads(letter)
				}
			})
			switch {
			case says == "" && (err != nil || r.Issue.State != Done):
				w.t.Errorf("not approved: %v", err)
			case says != "" && fault.CodeOf(err) != fault.ReviewNeeded:
				w.t.Errorf("approved, or refused otherwise: %v", err)
			case says != "" && !strings.Contains(err.Error(), says):
				w.t.Errorf("%v does not say %q", err, says)
			}
		}
	}
	const yes = ""
	for name, story := range map[string][]func(world){
		"nothing happens": {approve("a", yes)},
		"the turn that asked commits, and its Stop says so":   {stop("b"), approve("b", yes)},
		"it commits, and its Stop is not there yet":           {approve("b", yes)},
		"its second Stop says another commit":                 {stop("b"), stop("c"), approve("c", yes)},
		"somebody else commits in the tree":                   {stop("b"), approve("c", yes)},
		"the next turn commits":                               {stop("b"), turn("b", "c"), approve("c", "went on to commit cccccccccccc from bbbbbbbbbbbb")},
		"the next turn commits, and the command is repeated":  {stop("b"), turn("b", "c"), approve("c", "went on"), approve("c", yes)},
		"the same where the tree is gone":                     {stop("b"), turn("b", "c"), approve("", "went on"), approve("", yes)},
		"another commit before it is repeated":                {stop("b"), turn("b", "c"), approve("c", "went on"), approve("d", "w is at commit dddddddddddd, and cccccccccccc was shown"), approve("d", yes)},
		"the next turn commits nothing":                       {stop("b"), turn("b", "b"), approve("b", yes)},
		"it had no Stop, and the next turn commits":           {turn("b", "c"), approve("c", "went on to commit cccccccccccc from bbbbbbbbbbbb")},
		"the next turn is in another work tree":               {stop("b"), func(w world) { w.promptAt(ann, "/other", "c"); w.stopAt(ann, "/other", "d") }, approve("b", yes)},
		"the next turn is at another Issue":                   {stop("b"), prompt("b"), begin, stop("c"), approve("c", yes)},
		"a person looks, and it stays":                        {stop("b"), look("b"), approve("b", yes)},
		"a person looks, and somebody commits":                {stop("b"), look("b"), approve("c", "w is at commit cccccccccccc, and bbbbbbbbbbbb was shown")},
		"a person looks in mid-turn, and the turn commits":    {look("a"), stop("b"), approve("b", "and aaaaaaaaaaaa was shown")},
		"a person looks at what the next turn did":            {stop("b"), turn("b", "c"), look("c"), approve("c", yes)},
		"a person looks, and the tree is gone":                {stop("b"), look("b"), approve("", yes)},
		"a person looks twice, and nothing happens after":     {look("a"), stop("b"), look("b"), approve("b", yes)},
		"a person looks again after the change":               {stop("b"), look("b"), look("c"), approve("c", yes)},
		"an agent looks, and a commit comes":                  {stop("b"), func(w world) { w.must(w.svc.Shown(context.Background(), w.actor(ann), 0, w.key, heads("b"))) }, approve("c", yes)},
		"another person looks, and a commit comes":            {stop("b"), func(w world) { w.must(w.svc.Shown(context.Background(), Actor{Person: "kim"}, 0, w.key, heads("b"))) }, approve("c", yes)},
		"another person looks after the one who approves did": {stop("b"), look("b"), func(w world) { w.must(w.svc.Shown(context.Background(), Actor{Person: "kim"}, 0, w.key, heads("c"))) }, approve("c", "and bbbbbbbbbbbb was shown")},
		"to look at commits is not to be told of edits":       {stop("b"), prompt("b"), func(w world) { w.edit(ann, "x.go") }, look("b"), approve("b", "1 more edits")},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			w := world{s, s.create("work")}
			s.promptAt(ann, "/w", "a")
			s.ok(ann, BeginWork, s.create("given back before"))
			s.ok(ann, Unclaim, "PRE-2")
			s.clock.Add(time.Second)
			s.ok(ann, BeginWork, w.key)
			s.clock.Add(time.Second)
			s.ok(ann, RequestClosure, w.key)
			before := s.row(w.key).Revision
			for i, step := range story {
				if i == len(story)-1 && s.row(w.key).Revision != before {
					t.Error("to look is no change of the Issue")
				}
				step(w)
			}
		})
	}
}

func TestWhatAPersonWasShownIsForgottenWithTheClosure(t *testing.T) {
	s := newStage(t)
	k := s.create("work")
	s.promptAt(ann, "/w", "a")
	s.ok(ann, BeginWork, k)
	s.must(s.svc.Shown(context.Background(), s.actor(person), 0, k, map[string]string{"/w": "x"}))
	if got := s.row(k).ShownTo; got != "" {
		t.Errorf("nothing is in review, and %s is noted", got)
	}
	s.ok(ann, RequestClosure, k)
	s.must(s.svc.Shown(context.Background(), s.actor(person), 0, k, map[string]string{"/w": "x"}))
	version := s.row(k).Version
	s.must(s.svc.Shown(context.Background(), s.actor(person), 0, k, map[string]string{"/w": "x"}))
	if s.row(k).Version != version {
		t.Error("the same look is written twice")
	}
	s.ok(person, RequestChanges, k)
	if got := s.row(k).ShownTo; got != "" {
		t.Errorf("%s is still noted", got)
	}
}

func TestEachPersonIsToldOnce(t *testing.T) {
	s := newStage(t)
	k := s.create("work")
	s.prompt(ann, false)
	s.ok(ann, BeginWork, k)
	s.ok(ann, RequestClosure, k)
	s.edit(ann, "a.go")
	s.no(fault.ReviewNeeded, person, Approve, k)
	_, err := s.svc.Approve(context.Background(), Actor{Person: "kim"}, MoveCmd{Key: k})
	wants(t, err, fault.ReviewNeeded)
	s.ok(person, Approve, k) // that kim was told takes nothing back
}

// What an older board, or another program, left there is what nobody was shown.
func TestWhatCannotBeReadWasShownToNobody(t *testing.T) {
	s := newStage(t)
	k := s.create("work")
	s.prompt(ann, false)
	s.ok(ann, BeginWork, k)
	s.ok(ann, RequestClosure, k)
	s.edit(ann, "a.go")
	s.must(s.db.Write(context.Background(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE issues SET shown_to = '{"person":"pat","revision":3,"evidence":1}'`)
		return err
	}))
	s.no(fault.ReviewNeeded, person, Approve, k)
	s.ok(person, Approve, k)
}
