// Package lab is a throw-away world around the built programs: it plays the host, the MCP client and the person.
package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// Limit bounds every program that a World runs. None of them takes a second on an idle machine.
const Limit = 30 * time.Second

// NoProcess is a process id that no system gives. Recorded ids are replaced by it: a recorded id may be alive here, and
// then board would take the caller of a decision for that host's child.
const NoProcess = "4194999"

// World is a home, a repository and a database in one temporary folder.
type World struct {
	Root string // the temporary folder
	Bin  string // folder of the built programs
	Home string
	Repo string // a git repository
	DB   string
}

// New makes a world for the programs in bin.
func New(ctx context.Context, bin string) (*World, error) {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return nil, err
	}
	root, err := os.MkdirTemp("", "board-lab-")
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	w := &World{Root: root, Bin: bin, Home: filepath.Join(root, "home"), Repo: filepath.Join(root, "shop"), DB: filepath.Join(root, "board.db")}
	for _, d := range []string{w.Home, w.Repo} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	if out := w.run(ctx, w.Repo, nil, nil, "git", "init", "-q"); out.Err != nil {
		return nil, errors.Join(fmt.Errorf("git init: %w: %s", out.Err, out.Stderr), w.Close())
	}
	return w, nil
}

// Close removes the world.
func (w *World) Close() error { return os.RemoveAll(w.Root) }

// Env is the whole environment of the programs: nothing of the caller's, so that a world is the same under a person, a
// test and an agent, whose host variables would make board refuse a person's decisions.
func (w *World) Env(extra ...string) []string {
	env := []string{
		"HOME=" + w.Home, "USER=dev", "BOARD_DB=" + w.DB, "LANG=C.UTF-8", "TZ=UTC", "NO_COLOR=1", "COLUMNS=120",
		"GIT_CONFIG_NOSYSTEM=1", "PATH=" + w.Bin + string(filepath.ListSeparator) + os.Getenv("PATH"),
	}
	for _, name := range []string{"SYSTEMROOT", "TEMP", "TMP", "USERPROFILE"} { // what Windows cannot do without
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return append(env, extra...)
}

// Program is the path of a built program.
func (w *World) Program(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(w.Bin, name)
}

// Output is what a program left behind. Err is nil when it exited 0.
type Output struct {
	Stdout, Stderr string
	Code           int
	Err            error
}

// Board runs the command line as a person in the repository.
func (w *World) Board(ctx context.Context, args ...string) Output {
	return w.run(ctx, w.Repo, nil, nil, w.Program("board"), args...)
}

// BoardIn runs the command line with more environment, as a host does for the shell of its agent.
func (w *World) BoardIn(ctx context.Context, env []string, args ...string) Output {
	return w.run(ctx, w.Repo, env, nil, w.Program("board"), args...)
}

// Hook delivers one payload as host does.
func (w *World) Hook(ctx context.Context, host string, env []string, payload []byte) Output {
	return w.run(ctx, w.Repo, env, payload, w.Program("board-hook"), "--host", host, "--protocol", "1")
}

// Command prepares a built program, for callers that start and end it by themselves.
func (w *World) Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.Program(name), args...)
	cmd.Dir, cmd.Env = w.Repo, w.Env()
	return cmd
}

func (w *World) run(ctx context.Context, dir string, env []string, stdin []byte, name string, args ...string) Output {
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, w.Env(env...)
	if stdin != nil {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	return Output{Stdout: stdout.String(), Stderr: stderr.String(), Code: cmd.ProcessState.ExitCode(), Err: err}
}
