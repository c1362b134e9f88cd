package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"board/internal/fault"
	"board/internal/projects"
	"board/internal/store"
	"board/internal/text"
)

// initOptions are the flags of init.
type initOptions struct {
	prefix, join string
	noInput      bool
}

func (a *app) initCmd() *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Register this repository, or this directory, as a project",
		Long: `Register the repository around the current directory, or the directory itself where there is no git. All work trees of
a repository are one project. Nothing is written into the repository, and repeating it changes nothing.

At a terminal the prefix of the keys is asked for, unless it is given or --no-input is; and whether the hosts that are found
on this machine shall be connected, as board host install does.

With --join another clone, or one that was moved, is attached to a project that exists. A project of its own that it
was registered as by mistake is removed then, if it has no Issues and no agent worked in it.`,
		Example: "  board init\n  board init --prefix WEB\n  board init --join WEB",
		Args:    exactly(),
	}
	f := cmd.Flags()
	f.StringVar(&o.prefix, "prefix", "", "the `PREFIX` of the keys; it is never changed later (default: from the name)")
	f.StringVar(&o.join, "join", "", "attach this clone to the project with the `PREFIX`")
	f.BoolVar(&o.noInput, "no-input", false, "ask nothing: take the prefix from the name, connect no host")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := notBoth(cmd, "prefix", "join"); err != nil {
			return err
		}
		if a.prefix != "" {
			return usage("board init --prefix "+strings.ToUpper(text.Line(a.prefix, 10)), "-P names a project that exists")
		}
		return a.init(cmd.Context(), o)
	}
	return cmd
}

func notADirectory(dir string, err error) error {
	if _, serr := os.Stat(dir); serr == nil {
		return usage("git worktree repair, or run it in the main clone", "the .git of %s leads nowhere: its repository was moved or deleted", dir)
	}
	return err
}

func (a *app) init(ctx context.Context, o initOptions) error {
	// A directory that is none must not leave a new database behind.
	identity, root, err := projects.Identify(a.dir())
	if err != nil {
		return notADirectory(a.dir(), err)
	}
	seen := a.look(ctx, o)
	if seen.settled {
		return a.registered(seen.project, "It was registered already; nothing changed.")
	}
	plain := identity == root
	if o.join == "" && plain && a.aboveHome(root) {
		return fault.New(fault.Invalid, "run board init in the directory of a project",
			"%s holds your home: everything below it without git of its own would belong to the project", root)
	}
	if o.join == "" && seen.related != "" {
		a.warn("%s", seen.related)
	}
	if o.join == "" && o.prefix == "" && !o.noInput && a.StdinTTY && a.StderrTTY && a.agentMark() == "" {
		if o.prefix, err = a.askPrefix(seen.proposed); err != nil {
			return err
		}
	}
	var p projects.Project
	var changed bool
	err = a.write(ctx, gate{create: true, agents: true, verb: "init"}, func(ctx context.Context, s *session) error {
		return s.db.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
			r := projects.Request{Dir: a.dir(), Prefix: o.prefix, Undeclared: s.actor.Undeclared}
			if o.join != "" {
				r.Prefix = o.join
				p, changed, err = r.Join(ctx, tx)
				return err
			}
			p, changed, err = r.Register(ctx, tx)
			return err
		})
	})
	switch {
	case err != nil:
		return err
	case !changed:
		return a.registered(p, "It was registered already; nothing changed.")
	case o.join != "":
		if err := a.registered(p, fmt.Sprintf("This clone belongs to %s now.", p.Prefix)); err != nil {
			return err
		}
		return a.offerHosts(ctx, o)
	case plain:
		a.warn("%s has no git: everything below it that has no git of its own belongs to %s.", root, p.Prefix)
	}
	if err := a.registered(p, "Registered. Add an Issue: board add TITLE"); err != nil {
		return err
	}
	return a.offerHosts(ctx, o)
}

// look is what init sees before it asks for anything or waits for a lock.
type look struct {
	project  projects.Project
	settled  bool   // the directory belongs to project, and that is what was asked for
	related  string // a sentence about projects that it may belong to, "" without
	proposed string // prefix
}

// look reads the store, if there is one. What goes wrong here is reported by the write that follows.
func (a *app) look(ctx context.Context, o initOptions) look {
	var l look
	l.proposed, _ = projects.Propose(ctx, nil, a.dir())
	db, err := a.openRead(ctx)
	if err != nil {
		return l
	}
	defer func() { _ = db.Close() }()
	s := &session{app: a, db: db}
	if p, err := projects.Find(ctx, db.SQL(), a.dir()); err == nil {
		want := o.prefix + o.join
		l.project, l.settled = p, want == "" || strings.EqualFold(want, p.Prefix)
	}
	if related := s.related(ctx); related != "" {
		l.related = "It may be another clone of a project, or its new place. If so: " + related
	}
	if proposed, err := projects.Propose(ctx, db.SQL(), a.dir()); err == nil {
		l.proposed = proposed
	}
	return l
}

// aboveHome reports whether dir is the home of the person, or around it.
func (a *app) aboveHome(dir string) bool {
	home := a.Getenv("HOME")
	if home == "" {
		home = a.Getenv("USERPROFILE")
	}
	if home == "" {
		return false
	}
	home, err := filepath.EvalSymlinks(home)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(dir, home)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// askPrefix lets a person choose. Enter takes what is proposed; the end of input is a no.
func (a *app) askPrefix(proposed string) (string, error) {
	in := a.typed()
	for {
		_, _ = fmt.Fprintf(a.Stderr, "The prefix of its keys, as in %s-1; it is never changed later [%s]: ", proposed, proposed)
		line, err := in.ReadString('\n')
		if err != nil {
			return "", fault.Wrap(err, fault.Usage, "board init --prefix "+proposed, "nothing was registered")
		}
		answer := strings.TrimSpace(line)
		if answer == "" {
			return proposed, nil
		}
		bad := projects.CheckPrefix(answer)
		if bad == nil {
			return answer, nil
		}
		_, _ = fmt.Fprintln(a.Stderr, text.Visible(fault.As(bad).Message, false))
	}
}

// registered prints the project, and says what became of it.
func (a *app) registered(p projects.Project, what string) error {
	if a.json {
		return a.out.document("project", projectRow(p), "")
	}
	if a.out.tty {
		a.out.line(a.out.style.bold(p.Prefix), "  ", one(p.Name), "  ", a.out.style.dim(one(p.Root)))
	} else {
		a.out.fields(p.Prefix, p.Name, p.Root)
	}
	a.talk("%s", what)
	return nil
}

type projectJSON struct {
	Prefix    string `json:"prefix"`
	Name      string `json:"name"`
	Root      string `json:"root"`
	ID        string `json:"id"`
	CreatedAt string `json:"created_at"`
}

func projectRow(p projects.Project) projectJSON {
	return projectJSON{p.Prefix, p.Name, p.Root, p.UUID, rfc(p.CreatedAt)}
}
