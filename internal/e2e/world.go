package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"board/internal/lab"
	"board/internal/modelserver"
)

// world is a home, a repository and a board of its own, one host with board installed, and the model of that host.
type world struct {
	*lab.World
	host      host
	program   string // the host's
	model     *modelserver.Server
	processes []*process
	terminals []*terminal
	log       []string // what was started, for a failure
	quiet     bool     // complaints of the host about hooks are expected
	notes     []string // figures that are worth saying
}

// prefix is that of the project that every world has.
const prefix = "SHOP"

// newWorld makes a world whose repository is registered and whose host has board. It lies in the cache folder and not in
// a temporary one, where board refuses to install itself.
func newWorld(ctx context.Context, o options, h host) (w *world, err error) {
	w, err = bareWorld(ctx, o, h)
	if err != nil {
		return nil, err
	}
	if err = w.person(ctx, "init", "--prefix", prefix, "--no-input"); err == nil {
		err = w.install(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// bareWorld is newWorld without board: nothing is registered, and the host knows nothing of it.
func bareWorld(ctx context.Context, o options, h host) (*world, error) {
	scratch := filepath.Join(o.cache, "scratch")
	if err := os.MkdirAll(scratch, 0o755); err != nil {
		return nil, err
	}
	root, err := os.MkdirTemp(scratch, h.name()+"-")
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	w := &world{host: h, program: h.program(folder(o.cache, h)), World: &lab.World{
		Root: root, Bin: filepath.Join(root, "bin"), Home: filepath.Join(root, "home"), Repo: filepath.Join(root, "shop"), DB: filepath.Join(root, "home", ".local", "share", "board", "board.db"), // where board looks without being told: some hosts pass nothing on to their MCP servers
	}}
	if err := w.furnish(ctx, o); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (w *world) furnish(ctx context.Context, o options) error {
	for _, d := range []string{w.Bin, w.Home, w.Repo, w.path("tmp")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return err
		}
	}
	for _, p := range []string{"board", "board-hook"} {
		if err := copyProgram(filepath.Join(o.bin, p), w.Program(p)); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(w.Repo, "README.md"), []byte("# shop\n"), 0o600); err != nil {
		return err
	}
	for _, git := range [][]string{
		{"init", "-q", "-b", "main"},
		{"-c", "user.name=dev", "-c", "user.email=dev@example.com", "add", "README.md"},
		{"-c", "user.name=dev", "-c", "user.email=dev@example.com", "commit", "-q", "-m", "start"},
	} {
		if err := w.command(ctx, w.Repo, "git", git...); err != nil {
			return err
		}
	}
	var err error
	if w.model, err = modelserver.Start(); err != nil {
		return err
	}
	return w.host.prepare(w)
}

// path is a path in the folder of the world.
func (w *world) path(name ...string) string {
	return filepath.Join(append([]string{w.Root}, name...)...)
}

// inRepo is a path in its repository.
func (w *world) inRepo(name string) string { return filepath.Join(w.Repo, name) }

// write writes a file of the world, with its folders.
func (w *world) write(path, content string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(content), 0o600)
}

// command runs a program to its end, which must be a good one.
func (w *world) command(ctx context.Context, dir, name string, args ...string) error {
	p, err := w.start(dir, w.Env(), name, args...)
	if err != nil {
		return err
	}
	return p.mustEnd(ctx)
}

// script sets what the model answers from now on.
func (w *world) script(rules ...modelserver.Rule) {
	w.model.Script(append(w.host.side(), rules...)...)
}

// note keeps a figure for the report.
func (w *world) note(format string, a ...any) { w.notes = append(w.notes, fmt.Sprintf(format, a...)) }

// requests returns what the model was asked with tools loaded, of one lane; "" is all lanes but those of the host itself.
func (w *world) requests(lane string) (out []modelserver.Request) {
	for _, r := range w.model.Requests() {
		if r.HasTools() && (r.Lane == lane || lane == "" && !strings.HasPrefix(r.Lane, "side")) {
			out = append(out, r)
		}
	}
	return out
}

// until waits for a condition. The error says what did not come.
func (w *world) until(ctx context.Context, what string, happened func() (bool, error)) error {
	late := time.NewTimer(patience)
	defer late.Stop()
	tick := time.NewTicker(30 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, err := happened()
		if err != nil {
			return fmt.Errorf("while waiting until %s: %w", what, err)
		}
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("while waiting until %s: %w", what, context.Cause(ctx))
		case <-late.C:
			return fmt.Errorf("waited %s in vain until %s", patience, what)
		case <-tick.C:
		}
	}
}

// patience is how long a condition is waited for: a host that starts takes 7 s of a processor, which a busy machine shares.
const patience = 90 * time.Second

// close ends what the world started, and removes it.
func (w *world) close() error {
	return errors.Join(w.end(), os.RemoveAll(w.Root))
}

// end ends what the world started.
func (w *world) end() error {
	var errs []error
	for _, t := range w.terminals {
		errs = append(errs, t.close())
	}
	for _, p := range w.processes {
		p.kill()
	}
	errs = append(errs, sweep(w.Root))
	if w.model != nil {
		errs = append(errs, w.model.Close())
		w.model = nil
	}
	return errors.Join(errs...)
}

// story is what the world did, for a failure.
func (w *world) story(ctx context.Context) string {
	var b strings.Builder
	for _, l := range w.log {
		fmt.Fprintln(&b, l)
	}
	for _, t := range w.terminals {
		fmt.Fprintf(&b, "screen:\n%s\n", t.screen())
	}
	for _, args := range [][]string{{"runs"}, {"sessions"}, {"list", "--all"}, {"log", "-L", "12"}} {
		out := w.Board(ctx, args...)
		fmt.Fprintf(&b, "$ board %s\n%s%s", strings.Join(args, " "), out.Stdout, out.Stderr)
	}
	if w.model != nil {
		for _, r := range w.model.Requests() {
			fmt.Fprintf(&b, "request %d lane %q %d tools, last: %.160q\n", r.N, r.Lane, len(r.Tools), r.Last())
		}
		for _, s := range w.model.Strays() {
			fmt.Fprintln(&b, "stray", s)
		}
	}
	return b.String()
}

func copyProgram(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("%w: build the programs first (make build)", err)
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
