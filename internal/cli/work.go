package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"board/internal/fault"
	"board/internal/issues"
	"board/internal/projects"
	"board/internal/runs"
)

// look is an Issue with the work on it, and what its work trees have checked out now.
func (s *session) look(ctx context.Context, project int64, key string) (issues.Issue, error) {
	i, err := s.svc.GetWithWork(ctx, project, key)
	if err != nil || i.Basis == nil {
		return i, err
	}
	for n := range i.Basis.Trees {
		t := &i.Basis.Trees[n]
		// Where a work tree was removed, a repository around it would answer.
		if now := projects.HeadOf(t.Worktree); now.Worktree == t.Worktree {
			t.Head = now.Commit
		}
		t.Diff = projects.DiffLine(t.Worktree, t.HeadStart, cmp.Or(t.HeadEnd, t.Head))
	}
	return i, nil
}

// noteShown notes what a person saw of an Issue in review: what is committed after that is a change to their approval.
// It is no failure of the command that shows it.
func (a *app) noteShown(ctx context.Context, i issues.Issue) {
	heads := i.Basis.Heads()
	if len(heads) == 0 {
		return
	}
	err := a.write(ctx, gate{agents: true, verb: "show"}, func(ctx context.Context, s *session) error {
		return s.svc.Shown(ctx, s.actor, i.ProjectID, i.Key, heads)
	})
	if err != nil {
		a.warn("it could not be noted that you saw these commits (%s): an approval will not tell of later ones", fault.As(err).Message)
	}
}

// projectOf is the project whose Issue the work of a run becomes: the one that -P names, else the only one in which it
// changed files, else the one around the directory if that is among them.
func (s *session) projectOf(ctx context.Context, run string) (projects.Project, error) {
	if s.app.prefix != "" {
		return s.project(ctx)
	}
	in, err := s.svc.WorkedIn(ctx, run)
	if err != nil {
		return projects.Project{}, err
	}
	names, err := s.prefixes(ctx)
	if err != nil {
		return projects.Project{}, err
	}
	if len(in) == 1 {
		return projects.ByPrefix(ctx, s.db.SQL(), names[in[0]])
	}
	here, err := s.anyProject(ctx)
	if err != nil {
		return here, err
	}
	var all []string
	for _, id := range in {
		if id == here.ID {
			return here, nil
		}
		all = append(all, names[id])
	}
	return projects.Project{}, usage("name one with -P, and repeat it for the others", "%s changed files in several projects: %s", one(run), strings.Join(all, ", "))
}

// showWork is for people.
func (o *output) showWork(i issues.Issue) {
	if len(i.Work) > 0 {
		o.heading("Work")
	}
	more := max(0, len(i.Work)-shownRuns)
	if more > 0 {
		o.line("  ", o.style.dim(number(more, "earlier run")))
	}
	for _, w := range i.Work[more:] {
		r := w.Run
		parts := []string{
			o.style.bold(r.Short()), one(r.Host), w.How(), o.when(r), number(len(w.Files), "file"), commits(r.HeadStart, r.HeadEnd),
		}
		o.wrapped("  ", "      ", strings.Join(parts, o.style.dim(" · ")))
	}
	if i.Basis != nil {
		o.showBasis(i)
	}
}

// when is the time of a run for people.
func (o *output) when(r runs.Run) string {
	if r.IsLive() {
		return "since " + o.ago(r.StartedAt)
	}
	return string(r.Outcome) + " " + o.past(cmp.Or(r.EndedAt, r.LastSeenAt))
}

func number(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// Digits of a commit: as projects.DiffLine names it, and where it stands among other things.
const (
	many = 12
	few  = 7
)

// cut is a commit as it is shown, "?" for one that is not known.
func cut(commit string, digits int) string {
	if commit == "" {
		return "?"
	}
	return commit[:min(len(commit), digits)]
}

// commits is what a turn did to the commit that is checked out.
func commits(from, to string) string {
	switch {
	case from == "" && to == "":
		return "commit unknown"
	case to == "":
		return "from " + cut(from, few)
	case from == to:
		return "no commit"
	}
	return cut(from, few) + ".." + cut(to, few)
}

// How many there are on a terminal; through a pipe and with --json there are all.
const (
	shownFiles = 20
	shownRuns  = 20
)

// showBasis is what an approval rests on, for people.
func (o *output) showBasis(i issues.Issue) {
	b := i.Basis
	o.heading("An approval rests on")
	for _, t := range b.Trees {
		where := "  " + one(t.Worktree)
		if t.Branch != "" {
			where += " on " + one(t.Branch)
		}
		o.wrapped("", "    ", where)
		o.wrapped("    ", "    ", heads(t))
		if t.Diff != "" {
			o.line("    ", t.Diff) // never broken, so that it can be pasted
		}
	}
	files := i.Changed()
	for _, f := range files[:min(len(files), shownFiles)] {
		o.wrapped("  ", "    ", one(f.Path)+o.style.dim("  "+strings.Join(f.Runs, ", ")))
	}
	switch more := len(files) - shownFiles; {
	case len(files) == 0:
		o.line("  ", "no file of which an event tells")
	case more > 0:
		o.line("  ", fmt.Sprintf("and %s more", number(more, "file")))
	}
	if b.Changed != "" {
		o.wrapped("  ", "    ", o.style.person("since then: "+one(b.Changed)))
	}
	if b.Resume != "" {
		o.line("  ", b.Resume)
	}
}

// heads is what a work tree had checked out, as far as it is known.
func heads(t issues.Tree) string {
	var parts []string
	for _, h := range []struct{ commit, when string }{{t.HeadStart, "at the start"}, {t.HeadEnd, "at the end"}, {t.Head, "now"}} {
		if h.commit != "" {
			parts = append(parts, cut(h.commit, many)+" "+h.when)
		}
	}
	if t.Head == "" {
		parts = append(parts, "now not to be read")
	}
	return strings.Join(parts, ", ")
}

// dumpWork is for programs.
func (o *output) dumpWork(i issues.Issue) {
	for _, w := range i.Work {
		r := w.Run
		o.fields("work", r.Short(), r.Host, r.Session, w.How(), string(r.State), string(r.Outcome), rfc(r.StartedAt), rfc(r.EndedAt),
			strconv.Itoa(len(w.Files)), r.Worktree, r.Branch, r.HeadStart, r.HeadEnd)
	}
	for _, w := range i.Work {
		for _, f := range w.Files {
			o.fields("file", w.Run.Short(), f.Path, strconv.FormatInt(f.Edits, 10))
		}
	}
	if i.Basis == nil {
		return
	}
	for _, t := range i.Basis.Trees {
		o.fields("tree", t.Worktree, t.Branch, t.HeadStart, t.HeadEnd, t.Head, t.Diff)
	}
	o.fields("changed", i.Basis.Changed)
	o.fields("resume", i.Basis.Resume)
}

// tellBasis says on stderr what an approval rests on that was refused because that changed.
func (a *app) tellBasis(i issues.Issue) {
	if a.json || i.Basis == nil {
		return
	}
	o := *a.out
	o.buf, o.w, o.tty, o.style = bytes.Buffer{}, a.Stderr, a.StderrTTY, styleFor(a.StderrTTY, a.Getenv)
	if o.tty {
		o.showBasis(i)
		o.line()
	} else {
		o.dumpWork(i)
	}
	_ = o.flush() // the refusal follows anyway
}
