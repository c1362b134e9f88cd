package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"board/internal/projects"
	"board/internal/runs"
	"board/internal/store"
	"board/internal/text"
)

func (a *app) initCmd() *cobra.Command {
	var prefix, join string
	var noInput bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Register this repository, or this directory, as a project",
		Long: `Register the repository around the current directory, or the directory itself where there is no git. All work trees of
a repository are one project. Nothing is written into the repository, and repeating it changes nothing.

With --join another clone, or one that was moved, is attached to a project that exists.`,
		Example: "  board init\n  board init --prefix WEB\n  board init --join WEB",
		Args:    exactly(),
	}
	f := cmd.Flags()
	f.StringVar(&prefix, "prefix", "", "the `PREFIX` of the keys; it is never changed later (default: from the name)")
	f.StringVar(&join, "join", "", "attach this clone to the project with the `PREFIX`")
	f.BoolVar(&noInput, "no-input", false, "ask nothing")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := notBoth(cmd, "prefix", "join"); err != nil {
			return err
		}
		if a.prefix != "" {
			return usage("board init --prefix "+strings.ToUpper(text.Line(a.prefix, 10)), "-P names a project that exists")
		}
		// A directory that is none must not leave a new database behind.
		if _, _, err := projects.Identify(a.dir()); err != nil {
			return notADirectory(a.dir(), err)
		}
		return a.write(cmd.Context(), gate{create: true, agents: true, verb: "init"}, func(ctx context.Context, s *session) error {
			return a.init(ctx, s, prefix, join)
		})
	}
	return cmd
}

func notADirectory(dir string, err error) error {
	if _, serr := os.Stat(dir); serr == nil {
		return usage("git worktree repair, or run it in the main clone", "the .git of %s leads nowhere: its repository was moved or deleted", dir)
	}
	return err
}

func (a *app) init(ctx context.Context, s *session, prefix, join string) error {
	var p projects.Project
	var changed bool
	var moved string
	err := s.db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		r := projects.Request{Dir: a.dir(), Prefix: prefix, Undeclared: s.actor.Undeclared}
		var err error
		if join != "" {
			r.Prefix = join
			p, changed, err = r.Join(ctx, tx)
			return err
		}
		if p, changed, err = r.Register(ctx, tx); err != nil || !changed {
			return err
		}
		all, err := projects.All(ctx, tx)
		for _, other := range all {
			if _, serr := os.Stat(other.Root); other.ID != p.ID && other.Name == p.Name && errors.Is(serr, fs.ErrNotExist) {
				moved = other.Prefix
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	if a.json {
		return a.out.document("project", projectRow(p), "")
	}
	if a.out.tty {
		a.out.line(a.out.style.bold(p.Prefix), "  ", one(p.Name), "  ", a.out.style.dim(one(p.Root)))
	} else {
		a.out.fields(p.Prefix, p.Name, p.Root)
	}
	switch {
	case !changed:
		a.talk("It was registered already; nothing changed.")
	case join != "":
		a.talk("This clone belongs to %s now.", p.Prefix)
	default:
		a.talk("Registered. Add an Issue: board add TITLE")
	}
	if moved != "" {
		a.talk("A project %s of the same name lost its directory. If this is it, moved: its Issues are under -P %s.", moved, moved)
	}
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

type versionJSON struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Schema   int    `json:"schema"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  exactly(),
		RunE: func(*cobra.Command, []string) error {
			v := versionJSON{Version: a.Version, Schema: store.SchemaVersion, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" {
						v.Revision = s.Value
					}
				}
			}
			if a.json {
				return a.out.document("version", v, "")
			}
			a.out.line("board ", one(v.Version))
			return nil
		},
	}
}

func shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

func (a *app) completionCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the completion script for bash, zsh, fish or powershell",
		Example: `  board completion bash > ~/.local/share/bash-completion/completions/board
  board completion fish > ~/.config/fish/completions/board.fish`,
		Args:      exactly("SHELL"),
		ValidArgs: shells(),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(&a.out.buf, true)
			case "zsh":
				return root.GenZshCompletion(&a.out.buf)
			case "fish":
				return root.GenFishCompletion(&a.out.buf, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(&a.out.buf)
			}
			return usage("one of "+strings.Join(shells(), ", "), "there is no completion for %q", text.Line(args[0], 20))
		},
	}
}

// hosts whose settings can differ.
func configHosts() []string {
	return []string{runs.ClaudeCode, runs.Codex, "opencode", "gemini", "cursor"}
}

func knownHost(h string) error {
	if h != "" && !slices.Contains(configHosts(), h) {
		return usage("hosts are "+strings.Join(configHosts(), ", "), "there is no host %q", text.Line(h, 20))
	}
	return nil
}
