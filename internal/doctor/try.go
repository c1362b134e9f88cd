package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"board/internal/adapters"
	"board/internal/hooks"
	"board/internal/projects"
	"board/internal/runs"
	"board/internal/store"
)

// Run is an installed command that was run as the host runs it.
type Run struct {
	Command string
	Program string // of board, in it
	Shell   string // what the host hands it to
	Event   string
	Missing bool   // the program is not there, or is none: an installation cannot mend that
	Err     string // why it does not do; "" if the event arrived in the store and the answer is one that the host takes
}

// ServerRun is the MCP server, started as the host starts it.
type ServerRun struct {
	Command []string
	Tools   int
	Err     string
}

func runnable(s Scope) bool {
	return !slices.ContainsFunc(s.Runs, func(r Run) bool { return r.Err != "" }) && (s.Serve == nil || s.Serve.Err == "")
}

// trial is one look: what is to be run, and the programs that hung before. One that hangs does so for every event of every
// host: to wait for each would take minutes.
type trial struct {
	Options
	hung map[string]bool
}

// bench is a throw-away store with one project in it.
type bench struct{ dir, project, path string }

func (w World) newBench(ctx context.Context) (b bench, err error) {
	if b.dir, err = os.MkdirTemp("", "board-check-"); err != nil {
		return b, err
	}
	if resolved, err := filepath.EvalSymlinks(b.dir); err == nil {
		b.dir = resolved
	}
	b.project, b.path = filepath.Join(b.dir, "project"), filepath.Join(b.dir, "board.db")
	if err := os.Mkdir(b.project, 0o700); err != nil {
		return b, errors.Join(err, b.remove())
	}
	db, err := store.Open(ctx, store.Options{Path: b.path, Now: w.Now, Person: "doctor", Machine: "bench"})
	if err != nil {
		return b, errors.Join(err, b.remove())
	}
	err = db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, _, err := projects.Register(ctx, tx, b.project, "CHECK", "check")
		return err
	})
	if err = errors.Join(err, db.Close()); err != nil {
		return b, errors.Join(err, b.remove())
	}
	return b, nil
}

func (b bench) remove() error { return os.RemoveAll(b.dir) }

// arrived returns the names of the events that the store on the bench has seen.
func (b bench) arrived(ctx context.Context, now func() time.Time, host string) (map[string]bool, error) {
	db, err := store.Open(ctx, store.Options{Path: b.path, Now: now, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	list, err := runs.HostEvents(ctx, db.SQL())
	seen := map[string]bool{}
	for _, e := range list {
		if e.Host == host {
			seen[e.Name] = true
		}
	}
	return seen, errors.Join(err, db.Close())
}

// try runs the commands that are installed, each event in the order of the contract, and the server.
func (w World) try(ctx context.Context, f adapters.Found, o trial) ([]Run, *ServerRun) {
	b, err := w.newBench(ctx)
	if err != nil {
		return []Run{{Err: "no throw-away store can be made: " + err.Error()}}, nil
	}
	defer func() { _ = b.remove() }()
	var out []Run
	for _, e := range f.Events {
		commands := e.Commands
		if len(commands) == 0 && e.Host == runs.OpenCode && f.Plugin.State == adapters.Present {
			commands = []string{""} // the plugin runs the program itself
		}
		for _, c := range commands {
			if o.Every || !slices.ContainsFunc(out, func(r Run) bool { return r.Command == c }) {
				out = append(out, w.run(ctx, b, f, e.Event, c, o))
			}
		}
	}
	if seen, err := b.arrived(ctx, w.Now, f.Host); err == nil {
		for i, r := range out {
			if r.Err == "" && !seen[r.Event] {
				out[i].Err = "it answers, and the event does not arrive in the store"
			}
		}
	}
	if f.Server.State == adapters.NotNeeded || len(f.Server.Command) == 0 {
		return out, nil
	}
	s := w.serve(ctx, b, f, o)
	return out, &s
}

// run runs one command for one event.
func (w World) run(ctx context.Context, b bench, f adapters.Found, e hooks.Event, command string, o trial) Run {
	r := Run{Command: command, Event: e.Name, Program: adapters.Program(command)}
	argv := w.shell(e.Host, command)
	if command == "" {
		r.Program = w.Launcher.Hook
		argv = []string{r.Program, "--host", e.Host, "--protocol", hooks.Protocol}
		r.Command = strings.Join(argv, " ")
	}
	r.Shell = argv[0]
	if namesStore(command) {
		r.Err = "it names a database of its own, and is not tried"
		return r
	}
	if why := w.noProgram(r.Program); why != "" {
		r.Err, r.Missing = why, true
		return r
	}
	if o.hung[r.Program] {
		r.Err = "not tried: the program did not end before"
		return r
	}
	payload, err := hooks.Sample(e, hooks.Place{Session: "board-check", Cwd: b.project, At: w.Now()})
	if err != nil {
		r.Err = err.Error()
		return r
	}
	cwd := b.project
	if e.Host == runs.Cursor && f.Scope == adapters.ScopeUser { // hooks of the user run there
		if dir := filepath.Join(w.Home, ".cursor"); isDir(dir) {
			cwd = dir
		}
	}
	o.trying(e.Host, e.Name)
	ctx, cancel := context.WithTimeout(ctx, e.Timeout)
	defer cancel()
	stdout, stderr, err := spawn(ctx, argv, cwd, b.env(w, e.Host), payload)
	r.Err = verdict(ctx, stdout, stderr, err, e.Timeout)
	o.hung[r.Program] = ctx.Err() != nil
	return r
}

// noProgram says why no program can be run from path, "" if one can.
func (w World) noProgram(path string) string {
	switch st, err := os.Stat(path); {
	case err != nil:
		return path + " is not there"
	case st.IsDir():
		return path + " is a directory"
	case !w.Windows && st.Mode()&0o111 == 0:
		return path + " is no program: it is not executable"
	}
	return ""
}

func (o trial) trying(host, event string) {
	if o.Trying != nil {
		o.Trying(host, event)
	}
}

// verdict says what is wrong with an answer. What the program printed is not repeated: it may be anybody's.
func verdict(ctx context.Context, stdout, stderr []byte, err error, limit time.Duration) string {
	switch {
	case ctx.Err() != nil:
		return "it takes longer than " + limit.String()
	case err != nil:
		return "it fails: " + err.Error()
	case len(bytes.TrimSpace(stderr)) > 0:
		return "it prints to stderr, which some hosts show"
	}
	if out := bytes.TrimSpace(stdout); len(out) > 0 {
		var object map[string]any
		if json.Unmarshal(out, &object) != nil {
			return "it prints something that is no JSON object, which reaches the model"
		}
	}
	return ""
}

// namesStore reports whether a command line sets where the database is: the throw-away one would not be used.
func namesStore(command string) bool {
	for _, name := range []string{store.EnvPath, "XDG_DATA_HOME", "LOCALAPPDATA", "HOME", "USERPROFILE"} {
		if strings.Contains(command, name+"=") {
			return true
		}
	}
	return false
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// killDelay is how long a killed command may keep its output open.
const killDelay = 200 * time.Millisecond

func spawn(ctx context.Context, argv []string, cwd string, env []string, stdin []byte) (stdout, stderr []byte, err error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = cwd, env, bytes.NewReader(stdin)
	cmd.WaitDelay = killDelay
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	end := group(cmd)
	defer end()
	err = cmd.Run()
	return out.Bytes(), errs.Bytes(), err
}

// serve starts the MCP server and asks it for its tools.
func (w World) serve(ctx context.Context, b bench, f adapters.Found, o trial) ServerRun {
	s := ServerRun{Command: f.Server.Command}
	if namesStore(strings.Join(s.Command, " ")) {
		s.Err = "it names a database of its own, and is not tried"
		return s
	}
	if o.hung[s.Command[0]] {
		s.Err = "not tried: the program did not end before"
		return s
	}
	o.trying(f.Host, "MCP server")
	const talk = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"board-check","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`
	ctx, cancel := context.WithTimeout(ctx, serveWait)
	defer cancel()
	stdout, _, err := spawn(ctx, s.Command, b.project, b.env(w, f.Host), []byte(talk))
	for line := range bytes.SplitSeq(stdout, []byte("\n")) {
		var m struct {
			ID     int
			Result struct{ Tools []struct{ Name string } }
		}
		if json.Unmarshal(line, &m) == nil && m.ID == 2 {
			s.Tools = len(m.Result.Tools)
		}
	}
	o.hung[s.Command[0]] = ctx.Err() != nil
	switch {
	case ctx.Err() != nil:
		s.Err = "it does not end with its input"
	case err != nil && s.Tools == 0:
		s.Err = "it does not start: " + err.Error()
	case s.Tools == 0:
		s.Err = "it names no tools"
	}
	return s
}

// serveWait is how long the server may take.
const serveWait = 15 * time.Second
