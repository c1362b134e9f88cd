package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"board/internal/adapters"
	"board/internal/doctor"
	"board/internal/fault"
	"board/internal/projects"
	"board/internal/runs"
	"board/internal/store"
)

// hostOptions are the flags of the commands below host.
type hostOptions struct {
	scope  string
	dryRun bool
}

// probeCost is said wherever hosts are connected or checked.
const probeCost = "When a turn ends the host may be asked once to go on (the reminder): that costs one more answer of the model. board config set probe due asks less, off never."

func (a *app) hostCmd() *cobra.Command {
	var o hostOptions
	cmd := &cobra.Command{
		Use:   "host",
		Short: "Connect hosts (Claude Code, Codex, …) to the board, and check that they report",
		Long: `Connect the hosts that agents run in to the board, check that they report, and take board out again.

Hosts are ` + strings.Join(configHosts(), ", ") + `. Their settings are edited in place: everything else in them stays as it is to the
byte. --scope user (the default) is for all of your sessions, --scope project for the work tree around the directory, in files
that a team shares.`,
		Example: "  board host list\n  board host install --dry-run\n  board host install claude-code codex\n  board host check\n  board host remove codex",
		Args:    exactly(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.hostList(cmd.Context()) },
	}
	list := &cobra.Command{
		Use: "list", Short: "Show the hosts, where board is written, and when an event of each was seen last", Args: exactly(),
		Long: "Show the hosts. Nothing is run.\n\nThrough a pipe: host, scope, found, stage, last_event.",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.hostList(cmd.Context()) },
	}
	install := &cobra.Command{
		Use: "install [HOST...]", Short: "Write hooks, MCP server and permissions into the settings of hosts",
		Long: `Write board into the settings of hosts: the hooks, the MCP server, and what lets its tools run without asking. Without a
HOST: all that are found on this machine. A file that is not understood stays as it is; what to paste into it is shown.

Each changed file is copied first, to the folder of backups beside the database. Repeating it changes nothing. With --dry-run
the changes are shown as a diff, and nothing is written.

Through a pipe: host, scope, action, path, what, backup.`,
		Example: "  board host install\n  board host install claude-code --scope project\n  board host install codex --dry-run",
	}
	install.RunE = func(cmd *cobra.Command, args []string) error {
		return a.hostWrite(cmd.Context(), args, o, installing())
	}
	remove := &cobra.Command{
		Use: "remove [HOST...]", Short: "Take board out of the settings of hosts",
		Long: `Take everything of board out of the settings of hosts, and leave the rest as it is to the byte. Without a HOST: all that it
is written for. The board itself stays: its Issues, runs and history.

Through a pipe: host, scope, action, path, what, backup.`,
		Example: "  board host remove codex\n  board host remove --dry-run",
	}
	remove.RunE = func(cmd *cobra.Command, args []string) error { return a.hostWrite(cmd.Context(), args, o, removing()) }
	check := &cobra.Command{
		Use: "check [HOST...]", Short: "Run the installed commands as the hosts do, and say what keeps events from arriving",
		Long: `Check hosts: is board written, do its commands run as the host runs them, does the host trust them, does a policy block them,
and when was an event seen last. Only an event that was seen makes a host healthy. Without a HOST: all that board is written for.

The commands run against a throw-away database: yours is read from a copy, and stays as it is to the byte. Codex is asked
itself what it trusts, in a copy of its settings.

` + probeCost + `

Exit status 1 if a host is not healthy, or its Stops belong to no run. Through a pipe: level, host, check, text, next.`,
		Example: "  board host check\n  board host check codex --json",
	}
	check.RunE = func(cmd *cobra.Command, args []string) error { return a.hostCheck(cmd.Context(), args) }
	for _, c := range []*cobra.Command{install, remove} {
		c.Flags().StringVar(&o.scope, "scope", string(adapters.ScopeUser), "`SCOPE`: user, or project for the work tree around the directory")
		c.Flags().BoolVar(&o.dryRun, "dry-run", false, "show the changes as a diff, and write nothing")
		must(c.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]string{string(adapters.ScopeUser), string(adapters.ScopeProject)}, cobra.ShellCompDirectiveNoFileComp)))
	}
	for _, c := range []*cobra.Command{install, remove, check} {
		c.Args = hostArgs
		c.ValidArgsFunction = cobra.FixedCompletions(configHosts(), cobra.ShellCompDirectiveNoFileComp)
	}
	for _, c := range []*cobra.Command{list, install, check, remove} {
		c.DisableFlagsInUseLine = true
		c.Flags().SortFlags = false
		cmd.AddCommand(c)
	}
	return cmd
}

// hostArgs allows names of hosts.
func hostArgs(_ *cobra.Command, args []string) error {
	for _, h := range args {
		if h == "" {
			return usage("hosts are "+strings.Join(configHosts(), ", "), "a HOST is empty")
		}
		if err := knownHost(h); err != nil {
			return err
		}
	}
	return nil
}

// world is what the doctor must know. problem says why this program cannot be written into hosts, nil if it can.
func (a *app) world() (w doctor.World, problem error, err error) {
	path, err := store.DefaultPath(a.Getenv)
	if err != nil {
		return w, nil, err
	}
	w = doctor.World{
		Home: a.homeDir(), Dir: a.dir(), Getenv: a.Getenv, Environ: a.Environ, LookPath: a.lookPath, Now: a.Now, Version: a.Version, Store: path,
		Windows: runtime.GOOS == "windows",
	}
	if w.Home == "" {
		return w, nil, fault.New(fault.Invalid, "set HOME", "there is no home directory whose settings could be read")
	}
	if w.Launcher, problem = adapters.Find(a.Executable, a.Getenv); problem != nil {
		// To look at what is written, what stands beside this program will do.
		dir, ext := filepath.Dir(a.Executable), filepath.Ext(a.Executable)
		w.Launcher = adapters.Launcher{Board: filepath.Join(dir, "board"+ext), Hook: filepath.Join(dir, "board-hook"+ext)}
	}
	if _, root, err := projects.Identify(a.dir()); err == nil && a.dir() != "" && !a.aboveHome(root) {
		w.Project = root
	}
	return w, problem, nil
}

// homeDir is the home of the person, as the hosts see it.
func (a *app) homeDir() string {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if dir := a.Getenv(name); filepath.IsAbs(dir) {
			return dir
		}
	}
	return ""
}

// lookPath is exec.LookPath in the PATH of this invocation. A relative entry is no place that a host could mean.
func (a *app) lookPath(name string) (string, error) {
	ends := []string{""}
	if runtime.GOOS == "windows" {
		ends = []string{".exe", ".cmd", ".bat"}
	}
	for _, dir := range filepath.SplitList(a.Getenv("PATH")) {
		for _, end := range ends {
			path := filepath.Join(dir, name+end)
			st, err := os.Stat(path)
			if err == nil && filepath.IsAbs(dir) && st.Mode().IsRegular() && (runtime.GOOS == "windows" || st.Mode()&0o111 != 0) {
				return path, nil
			}
		}
	}
	return "", os.ErrNotExist
}

// hostGate lets a person pass. An agent that changes what hosts run would change what watches it.
func (a *app) hostGate(ctx context.Context, verb string) error {
	mark, proven := a.agentMark(), false
	if db, err := a.openRead(ctx); err == nil { // where it does not open, nobody can be proven
		proven, _ = a.belowHost(ctx, &session{app: a, db: db})
		_ = db.Close()
	}
	word := verb[strings.LastIndexByte(verb, ' ')+1:]
	switch {
	case mark == "" && !proven:
		return nil
	case !proven && a.StdinTTY && a.StderrTTY:
		return a.confirm(mark, gate{verb: "run board " + verb, word: word})
	}
	return fault.New(fault.PersonOnly, "ask the person to run it", "board %s is for a person, and this is the shell of a coding agent", verb)
}

type hostRow struct {
	Host      string `json:"host"`
	Scope     string `json:"scope"`
	Found     bool   `json:"found"`
	Stage     string `json:"stage"`
	LastEvent string `json:"last_event,omitempty"`
}

func (a *app) hostList(ctx context.Context) error {
	w, _, err := a.world()
	if err != nil {
		return err
	}
	r := w.Look(ctx, doctor.Options{})
	rows := []hostRow{}
	var cells [][]string
	for _, h := range r.Hosts {
		for _, s := range h.Scopes {
			row := hostRow{h.Host, string(s.Scope), h.Detected, string(s.Stage), rfc(h.LastSeen())}
			rows = append(rows, row)
			found := "yes"
			if !h.Detected {
				found = a.out.style.dim("no")
			}
			seen := a.out.ago(h.LastSeen())
			switch {
			case r.Store.Err != nil:
				seen = "unknown"
			case seen == "" && s.Stage != doctor.NotInstalled:
				seen = "never"
			}
			cells = append(cells, []string{a.out.style.bold(h.Host), row.Scope, found, a.stage(s.Stage), seen})
		}
	}
	var unread error // what is written is known all the same; when an event came is not
	if r.Store.Err != nil {
		unread = &halfDone{r.Store.Err}
	}
	switch {
	case a.json:
		return errors.Join(a.out.document("hosts", rows, ""), unread)
	case !a.out.tty:
		for _, r := range rows {
			a.out.fields(r.Host, r.Scope, map[bool]string{true: "yes", false: "no"}[r.Found], r.Stage, r.LastEvent)
		}
		return unread
	}
	a.out.table([]column{{title: "HOST"}, {title: "SCOPE"}, {title: "FOUND"}, {title: "STATE", flex: true}, {title: "LAST EVENT", right: true}}, cells)
	if !slices.ContainsFunc(r.Hosts, doctor.Host.Installed) {
		a.talk("Connect the hosts that are found: board host install")
	}
	return unread
}

// stage is a stage as people read it.
func (a *app) stage(s doctor.Stage) string {
	word := strings.ReplaceAll(string(s), "_", " ") // the words of --json
	switch s {
	case doctor.NotInstalled:
		return a.out.style.dim(word)
	case doctor.Healthy, doctor.Unproven:
		return word
	}
	return a.out.style.bad(word)
}

// hostCheck runs what is installed.
func (a *app) hostCheck(ctx context.Context, args []string) error {
	w, problem, err := a.world()
	if err != nil {
		return err
	}
	o := doctor.Options{Run: true, Every: true, Ask: true}
	if len(args) > 0 {
		o.Hosts = args
	}
	r, err := a.examine(ctx, w, o)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		r.Hosts = slices.DeleteFunc(r.Hosts, func(h doctor.Host) bool { return !h.Installed() })
		if len(r.Hosts) == 0 {
			return fault.New(fault.NothingToDo, "board host install", "board is not connected to any host")
		}
	}
	t := teller{app: a, w: w, problem: problem, asked: len(args) > 0, blind: r.Store.Err != nil}
	var list []finding
	if t.blind { // it is what keeps the hosts from being proven, and none of them can mend it
		list = append(list, unreadableStore(r.Store.Err))
	}
	healthy := true
	for _, h := range r.Hosts {
		list = append(list, t.host(h)...)
		healthy = healthy && len(h.Lost) == 0 // its events come, and mean nothing
		for _, s := range h.Scopes {
			healthy = healthy && (s.Stage == doctor.Healthy || s.Stage == doctor.NotInstalled && len(h.Scopes) > 1)
		}
	}
	if a.json {
		err = a.out.document("host_check", checkJSON{t.hosts(r.Hosts), list, []string{probeCost}}, "")
	} else {
		a.printFindings(list)
		a.talk("%s", probeCost)
	}
	if err == nil && !healthy {
		err = &halfDone{}
	}
	return err
}

type checkJSON struct {
	Hosts    []hostJSON `json:"hosts"`
	Findings []finding  `json:"findings"`
	Notes    []string   `json:"notes"`
}

// connectable returns the hosts that are found and that nothing of board is written for.
func (a *app) connectable(w doctor.World) []string {
	var out []string
	for _, h := range adapters.Detect(w.Home, w.Getenv, w.LookPath) {
		if !slices.Contains(runs.Hosts(), h) {
			continue
		}
		if found, err := adapters.Inspect(w.Target(h, adapters.ScopeUser)); err == nil && doctor.Written(found) == doctor.NotInstalled {
			out = append(out, h)
		}
	}
	return out
}
