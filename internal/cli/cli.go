// Package cli is board on the command line: commands parse, call one use case, and write data to stdout and talk to
// stderr.
package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"board/internal/fault"
	"board/internal/hooks"
	"board/internal/text"
)

// app is one invocation.
type app struct {
	Env
	chdir  string // -C
	prefix string // -P
	json   bool
	out    *output
	said   []string // for a person, after the output
	in     *bufio.Reader

	jsonErrors bool // --json stands in the command line, parsed or not
}

// Run runs the command line e.Args and returns the exit status.
func Run(ctx context.Context, e Env) int {
	if len(e.Args) > 0 && e.Args[0] == "hook" && !helpAlone(e.Args[1:]) {
		// Straight to the one place that fails open: a host must never see usage text or another exit status.
		return hooks.Main(hooks.Process{
			Args: e.Args[1:], Stdin: e.Stdin, Stdout: e.Stdout, Getenv: e.Getenv, Now: e.Now, Person: e.Person, Machine: e.Machine,
		})
	}
	a := &app{Env: e, jsonErrors: asksForJSON(e.Args)}
	a.out = newOutput(e)
	root := a.root()
	root.SetArgs(e.Args)
	root.SetIn(e.Stdin)
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	err := root.ExecuteContext(ctx)
	var half *halfDone
	if err == nil || errors.As(err, &half) {
		if ferr := a.out.flush(); ferr != nil {
			err, half = ferr, nil
		}
	}
	if err != nil && (half == nil || half.why != nil) {
		return a.fail(err)
	}
	for _, s := range a.said {
		_, _ = fmt.Fprintln(a.Stderr, styleFor(a.StderrTTY, a.Getenv).dim(s))
	}
	if half != nil {
		return fault.ExitError
	}
	return fault.ExitOK
}

// halfDone is the failure of a command whose output is printed all the same: what it found, or did, is what was asked
// for. Without a why the output says it all, and only the exit status speaks of failure.
type halfDone struct{ why error }

func (h *halfDone) Error() string {
	if h.why == nil {
		return "something is wrong"
	}
	return h.why.Error()
}

func (h *halfDone) Unwrap() error { return h.why }

// asksForJSON looks for --json in the arguments as they are: an error in the command line itself is reported in the
// form that it asks for, although the flags behind the error are never parsed.
func asksForJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// fail reports err on stderr and returns its exit status.
func (a *app) fail(err error) int {
	v := fault.ViewOf(err)
	if o, oerr := a.options(); v.Code == fault.StoreReadonly && oerr == nil {
		v.Hint = "make the folder " + filepath.Dir(o.Path) + " and its files writable; in a sandboxed agent, add it to the writable roots"
	}
	v.Message, v.Hint = text.Visible(v.Message, false), text.Visible(v.Hint, false)
	if a.json || a.jsonErrors {
		_ = writeJSON(a.Stderr, map[string]fault.View{"error": v}, false)
		return fault.Exit(err)
	}
	st := styleFor(a.StderrTTY, a.Getenv)
	_, _ = fmt.Fprintf(a.Stderr, "%s %s\n", st.bad("board:"), v.Message)
	if v.Hint != "" {
		_, _ = fmt.Fprintf(a.Stderr, "%s %s\n", st.dim("hint:"), v.Hint)
	}
	return fault.Exit(err)
}

// talk tells a person at a terminal something on stderr, below the output. Scripts do not need it.
func (a *app) talk(format string, args ...any) {
	if a.StderrTTY && !a.json {
		a.said = append(a.said, text.Visible(fmt.Sprintf(format, args...), true))
	}
}

// typed is what a person types. There is one reader of it: another would miss what the first one took with it.
func (a *app) typed() *bufio.Reader {
	if a.in == nil {
		a.in = bufio.NewReader(a.Stdin)
	}
	return a.in
}

// warn tells everybody on stderr, at once, what they would not expect.
func (a *app) warn(format string, args ...any) {
	_, _ = fmt.Fprintln(a.Stderr, styleFor(a.StderrTTY, a.Getenv).dim("note:"), text.Visible(fmt.Sprintf(format, args...), false))
}

// dir is the directory that the command is about.
func (a *app) dir() string {
	switch {
	case a.chdir == "":
		return a.Cwd
	case filepath.IsAbs(a.chdir) || a.Cwd == "":
		return a.chdir
	}
	return filepath.Join(a.Cwd, a.chdir)
}

// dirExists reports whether the directory that -C names is there.
func (a *app) dirExists() error {
	if a.chdir == "" {
		return nil
	}
	if st, err := os.Stat(a.dir()); err != nil || !st.IsDir() {
		return usage("check the path after -C", "there is no directory %s", a.dir())
	}
	return nil
}

func usage(hint, format string, args ...any) error {
	return fault.New(fault.Usage, hint, format, args...)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "board",
		Short: "A kanban board for coding agents that knows who is really working",
		Long: `A kanban board for coding agents that knows who is really working.

Without a command: the board of the project around the current directory. Outside of one: what waits for you, and
every project.

stdout is data: aligned on a terminal, else tab-separated and complete, or one document with --json. Everything else
goes to stderr. Exit status: 0 ok, 1 error, 2 usage or a limit, 3 no project, 4 not found, 5 conflict (its state, or who
holds it), 6 refused, 7 nothing to do, 8 store busy.`,
		Example: `  board init                       register this repository
  board add "Fix the login" -c "a test shows it" -p p1
  board                            the columns
  board approve WEB-3              after an agent asked for it`,
		Version:       one(a.Version),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          a.runBoard,
	}
	root.PersistentPreRunE = func(*cobra.Command, []string) error { return a.dirExists() }
	root.SetVersionTemplate("board {{.Version}}\n")
	root.CompletionOptions.DisableDefaultCmd = true
	root.SuggestionsMinimumDistance = 2
	root.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		word := strings.TrimSpace(args[0])
		hint := "board --help lists the commands"
		switch near := cmd.SuggestionsFor(word); {
		case keyForm.MatchString(word):
			hint = "board show " + word
		case word != "" && len(near) > 0: // nothing is near to everything
			hint = "did you mean: board " + strings.Join(near, ", board ")
		}
		return usage(hint, "there is no command %q", text.Line(args[0], 40))
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(cmd.CommandPath()+" --help shows the flags", "%s", flagError(err))
	})
	f := root.PersistentFlags()
	f.StringVarP(&a.chdir, "dir", "C", "", "act as if started in `DIR`")
	f.StringVarP(&a.prefix, "project", "P", "", "act on the project with the prefix `PRE`, from anywhere")
	f.BoolVar(&a.json, "json", false, "print one JSON document")
	f.SortFlags = false
	must(root.RegisterFlagCompletionFunc("project", a.completePrefixes))
	root.Flags().Bool("all", false, "every card, also those that do not fit")

	root.AddGroup(
		&cobra.Group{ID: "read", Title: "Look:"},
		&cobra.Group{ID: "plan", Title: "Plan:"},
		&cobra.Group{ID: "decide", Title: "Decide (people only):"},
		&cobra.Group{ID: "agents", Title: "Agents:"},
		&cobra.Group{ID: "setup", Title: "Set up:"},
	)
	add := func(group string, cmds ...*cobra.Command) {
		for _, c := range cmds {
			c.GroupID = group
			c.Flags().SortFlags = false
			c.DisableFlagsInUseLine = true
			root.AddCommand(c)
		}
	}
	add("read", a.inboxCmd(), a.listCmd(), a.showCmd(), a.nextCmd(), a.logCmd(), a.statusCmd())
	add("plan", a.addCmd(), a.editCmd(), a.commentCmd(), a.promptCmd())
	add("decide", a.moveCmds()...)
	add("agents", a.agentsCmd(), a.runsCmd(), a.sessionsCmd(), a.statsCmd(), a.mcpCmd(), a.hookCmd())
	add("setup", a.initCmd(), a.hostCmd(), a.doctorCmd(), a.configCmd(), a.versionCmd(), a.completionCmd())
	help := &cobra.Command{Use: "help [COMMAND]", Short: "Show the help of a command"}
	help.RunE = func(_ *cobra.Command, args []string) error {
		c, rest, err := root.Find(args)
		if err != nil || c == nil || len(rest) > 0 {
			return usage("board --help lists the commands", "there is no command %q", text.Line(strings.Join(args, " "), 40))
		}
		return c.Help()
	}
	root.SetHelpCommand(help)
	root.SetHelpCommandGroupID("setup")
	return root
}

// flagError rewords what pflag says where it quotes hostile input or speaks of Go.
func flagError(err error) string {
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		return fmt.Sprintf("--%s does not take %q", bad.GetFlag().Name, text.Line(bad.GetValue(), 40))
	}
	return text.Line(strings.ReplaceAll(err.Error(), "\n", " "), 200)
}

// exactly is cobra.ExactArgs with names for what is missing.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return usage(cmd.UseLine(), "%s is missing", names[len(args)])
		case len(args) > len(names):
			return usage(cmd.UseLine(), "%q is one argument too many", text.Line(args[len(names)], 40))
		}
		return nil
	}
}

// atLeast requires names and allows more words after them.
func atLeast(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < len(names) {
			return usage(cmd.UseLine(), "%s is missing", names[len(args)])
		}
		return nil
	}
}

// notBoth refuses two flags that say the same thing in two ways.
func notBoth(cmd *cobra.Command, a, b string) error {
	if cmd.Flags().Changed(a) && cmd.Flags().Changed(b) {
		return usage("give one of them", "--%s and --%s exclude each other", a, b)
	}
	return nil
}
