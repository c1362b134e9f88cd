package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"

	"board/internal/fault"
	"board/internal/hooks"
	"board/internal/issues"
	"board/internal/projects"
	"board/internal/runs"
	"board/internal/store"
	"board/internal/text"
)

// session is an open store and the use cases on it, for the time of one command.
type session struct {
	app   *app
	db    *store.DB
	svc   *issues.Service
	actor issues.Actor // for commands that write
}

// read opens the store without changing anything on the disk and calls fn.
func (a *app) read(ctx context.Context, fn func(context.Context, *session) error) error {
	db, err := a.openRead(ctx)
	if err != nil {
		return err
	}
	return errors.Join(fn(ctx, &session{app: a, db: db, svc: issues.New(db)}), db.Close())
}

func (a *app) openRead(ctx context.Context) (*store.DB, error) {
	o, err := a.options()
	if err != nil {
		return nil, err
	}
	o.ReadOnly = true
	db, err := store.Open(ctx, o)
	if fault.CodeOf(err) == fault.IdentityMismatch { // an older schema: migrate it
		o.ReadOnly = false
		db, err = store.Open(ctx, o)
	}
	return db, a.missing(err)
}

// openWrite opens the store for writing. It makes a new one only for create: a board comes into being by init.
func (a *app) openWrite(ctx context.Context, create bool) (*store.DB, error) {
	o, err := a.options()
	if err != nil {
		return nil, err
	}
	if !create {
		if _, err := os.Stat(o.Path); errors.Is(err, fs.ErrNotExist) {
			return nil, a.noBoard()
		}
	}
	return store.Open(ctx, o)
}

func (a *app) options() (store.Options, error) {
	path, err := store.DefaultPath(a.Getenv)
	return store.Options{Path: path, Now: a.Now, Person: a.Person, Machine: a.Machine}, err
}

// missing says in the words of a person that there is no board yet.
func (a *app) missing(err error) error {
	if err != nil && (errors.Is(err, fs.ErrNotExist) || fault.CodeOf(err) == fault.NotFound) {
		return a.noBoard()
	}
	return err
}

func (a *app) noBoard() error {
	return fault.New(fault.NoProject, "run board init in a repository", "there is no board yet")
}

// write opens the store, asks the gate, stores the events that wait in the spool, and calls fn.
func (a *app) write(ctx context.Context, g gate, fn func(context.Context, *session) error) error {
	db, err := a.openWrite(ctx, g.create)
	if err != nil {
		return err
	}
	s := &session{app: a, db: db, svc: issues.New(db)}
	if s.actor, err = a.pass(ctx, s, g); err == nil {
		err = settle(ctx, db)
	}
	if err == nil {
		err = fn(ctx, s)
	}
	return errors.Join(err, db.Close())
}

// settle stores what waits for a writer: the events in the spool, then what no event will say.
func settle(ctx context.Context, db *store.DB) error {
	if err := hooks.Drain(ctx, db); err != nil {
		return err
	}
	return runs.Tidy(ctx, db)
}

// project is the project that the command is about: -P, else the one around the directory.
func (s *session) project(ctx context.Context) (projects.Project, error) {
	if s.app.prefix != "" {
		return projects.ByPrefix(ctx, s.db.SQL(), s.app.prefix)
	}
	p, err := projects.Find(ctx, s.db.SQL(), s.app.dir())
	if fault.CodeOf(err) != fault.NoProject {
		return p, err
	}
	f := *fault.As(err)
	if related := s.related(ctx); related != "" {
		f.Hint = "if it is another clone of a project, or its new place: " + related + "; else board init"
	}
	return p, &f
}

// maxRelated bounds the projects that a hint names.
const maxRelated = 3

// related is how to join the projects that the directory may belong to, "" if there are none. It is for hints alone.
func (s *session) related(ctx context.Context) string {
	list, err := projects.Related(ctx, s.db.SQL(), s.app.dir())
	if err != nil {
		return ""
	}
	var out []string
	for _, p := range list[:min(len(list), maxRelated)] {
		out = append(out, "board init --join "+p.Prefix)
	}
	return strings.Join(out, " or ")
}

// shown is anyProject for commands that show what all projects have outside of one, which they say then.
func (s *session) shown(ctx context.Context) (projects.Project, error) {
	p, err := s.project(ctx)
	if fault.CodeOf(err) != fault.NoProject {
		return p, err
	}
	f := fault.As(err)
	s.app.warn("%s. All projects are shown. To change that: %s", f.Message, f.Hint)
	return projects.Project{}, nil
}

// anyProject is project, or the zero Project outside of all of them.
func (s *session) anyProject(ctx context.Context) (projects.Project, error) {
	p, err := s.project(ctx)
	if fault.CodeOf(err) == fault.NoProject {
		return projects.Project{}, nil
	}
	return p, err
}

var (
	keyForm    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{1,9}-[1-9][0-9]{0,8}$`)
	numberForm = regexp.MustCompile(`^#?[1-9][0-9]{0,8}$`)
)

// issueKey reads an argument as the key of an Issue. A key works from anywhere; a bare number means the project's.
func (s *session) issueKey(ctx context.Context, arg string) (projectID int64, key string, err error) {
	arg = strings.TrimSpace(arg) // as it is pasted
	switch {
	case numberForm.MatchString(arg):
		p, err := s.project(ctx)
		return p.ID, p.Prefix + "-" + strings.TrimPrefix(arg, "#"), err
	case keyForm.MatchString(arg):
		prefix, _, _ := strings.Cut(arg, "-")
		p, err := projects.ByPrefix(ctx, s.db.SQL(), prefix)
		if fault.CodeOf(err) == fault.NotFound {
			err = fault.New(fault.NotFound, "board list shows the keys", "there is no Issue %s: no project has its prefix", strings.ToUpper(arg))
		}
		return p.ID, strings.ToUpper(arg), err
	}
	return 0, "", usage("a key is like WEB-12; in its project 12 will do", "%q is no key of an Issue", text.Line(arg, 40))
}

// keys reads several.
func (s *session) keys(ctx context.Context, args []string) ([]string, error) {
	var out []string
	for _, arg := range args {
		_, key, err := s.issueKey(ctx, arg)
		if err != nil {
			return nil, err
		}
		out = append(out, key)
	}
	return out, nil
}

// parsePriority reads p0 to p4, or a digit alone.
func parsePriority(s string) (int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(strings.ToLower(s), "p"))
	if err != nil || n < 0 || n > 4 {
		return 0, usage("p0 is the most urgent, p4 the least; p2 is usual", "%q is no priority", text.Line(s, 20))
	}
	return n, nil
}

func priority(n int) string { return fmt.Sprintf("p%d", n) }
