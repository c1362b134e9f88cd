package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is a program that a world started, in a process group of its own.
type process struct {
	cmd   *exec.Cmd
	out   string // file of its standard output
	ended chan struct{}

	mu    sync.Mutex
	lines []line // of its standard error
}

// line is what a program said, and when.
type line struct {
	at   time.Time
	text string
}

// processLimit bounds one turn of a host.
const processLimit = 150 * time.Second

// start starts a program. Its output goes to a file and its errors are read by the way, so that a child of it that lives on
// holds nobody up.
func (w *world) start(dir string, env []string, name string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command(name, args...), out: w.path(fmt.Sprintf("%02d.out", len(w.processes))), ended: make(chan struct{})}
	out, err := os.Create(p.out)
	if err != nil {
		return nil, err
	}
	defer func() { _ = out.Close() }()
	said, errs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = errs.Close() }()
	p.cmd.Dir, p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = dir, env, out, errs
	ownGroup(p.cmd)
	w.log = append(w.log, fmt.Sprintf("$ %s %s", filepath.Base(name), strings.Join(args, " ")))
	if err := p.cmd.Start(); err != nil {
		return nil, errors.Join(err, said.Close())
	}
	w.processes = append(w.processes, p)
	go p.listen(said)
	go func() {
		_ = p.cmd.Wait() // how it ended is read from its state
		close(p.ended)
	}()
	return p, nil
}

// listen keeps what a program says, line by line. It ends with the last process that could say something.
func (p *process) listen(from *os.File) {
	defer func() { _ = from.Close() }()
	scan := bufio.NewScanner(from)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		p.mu.Lock()
		p.lines = append(p.lines, line{time.Now(), scan.Text()})
		p.mu.Unlock()
	}
}

// said is what the program said so far on its standard error.
func (p *process) said() []line {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.lines)
}

// end waits for the end of the process, and kills its group when it takes too long.
func (p *process) end(ctx context.Context) (code int, err error) {
	late := time.NewTimer(processLimit)
	defer late.Stop()
	select {
	case <-p.ended:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-late.C:
		err = fmt.Errorf("%s did not end within %s; %s", filepath.Base(p.cmd.Path), processLimit, p.tail())
	}
	p.kill()
	<-p.ended
	return -1, err
}

// mustEnd is end for a program that has to exit 0.
func (p *process) mustEnd(ctx context.Context) error {
	code, err := p.end(ctx)
	if err == nil && code != 0 {
		err = fmt.Errorf("%s exited %d; %s", filepath.Base(p.cmd.Path), code, p.tail())
	}
	return err
}

// signal sends a signal to the process alone.
func (p *process) signal(s syscall.Signal) error {
	err := p.cmd.Process.Signal(s)
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// kill ends the process and its group at once.
func (p *process) kill() {
	select {
	case <-p.ended:
	default:
		_ = p.cmd.Process.Kill()
	}
	killGroup(p.cmd.Process.Pid)
}

// stdout is what it printed so far.
func (p *process) stdout() string { return fileText(p.out) }

// stderr is what it said beside.
func (p *process) stderr() string {
	var b strings.Builder
	for _, l := range p.said() {
		b.WriteString(l.text + "\n")
	}
	return b.String()
}

func (p *process) tail() string {
	return fmt.Sprintf("stdout …%s, stderr …%s", last(p.stdout(), 600), last(p.stderr(), 600))
}

func fileText(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(data)
}

func last(s string, n int) string {
	if len(s) > n {
		s = s[len(s)-n:]
	}
	return fmt.Sprintf("%q", s)
}

// texts are the texts of the files in the folder of the world whose names fit a pattern.
func (w *world) texts(pattern string) (out []string) {
	found, err := filepath.Glob(w.path(pattern))
	if err != nil {
		return nil
	}
	for _, f := range found {
		out = append(out, fileText(f))
	}
	return out
}

// turn runs one headless turn of the host to its end.
func (w *world) turn(ctx context.Context, prompt string, resume bool) (string, error) {
	p, err := w.begin(w.Repo, prompt, resume)
	if err != nil {
		return "", err
	}
	if err := p.mustEnd(ctx); err != nil {
		return "", err
	}
	return w.host.said(p.stdout()), nil
}

// begin starts one headless turn of the host in a work tree.
func (w *world) begin(dir, prompt string, resume bool) (*process, error) {
	return w.start(dir, w.hostEnv(), w.program, w.host.headless(w, prompt, resume)...)
}

// hostEnv is the environment of the host.
func (w *world) hostEnv() []string {
	return append(w.Env("TERM=xterm-256color", "SHELL=/bin/bash", "NO_PROXY=*", "TMPDIR="+w.path("tmp")), w.host.env(w)...)
}
