package cli

import (
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/term"

	"board/internal/text"
)

// Env is everything a command knows of the process it runs in. Tests fill it by hand.
type Env struct {
	Args    []string // without the name of the program
	Version string
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Getenv  func(string) string
	Environ []string
	Cwd     string // "" if it was deleted

	Executable string // the path of this program, links not resolved

	StdinTTY, StdoutTTY, StderrTTY bool
	Width, Height                  int                        // of the terminal at stdout, 0 unknown
	Size                           func() (width, height int) // of it now, for what goes on for long; nil where it cannot change

	Now     func() time.Time
	Person  string
	Machine string
	Pid     int // of this process, for the gate; 0 has no ancestors
}

// Process is the Env of this process.
func Process(version string, now func() time.Time) Env {
	cwd, err := os.Getwd()
	if err != nil {
		cwd = ""
	}
	e := Env{
		Args: os.Args[1:], Version: version, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Environ: os.Environ(), Cwd: cwd, Executable: executable(), Now: now, Pid: os.Getpid(),
		StdinTTY: isTerminal(os.Stdin), StdoutTTY: isTerminal(os.Stdout), StderrTTY: isTerminal(os.Stderr),
	}
	if e.StdoutTTY {
		e.Size = terminal
		e.Width, e.Height = terminal()
	}
	e.Person, e.Machine = person(os.Getenv), machine()
	return e
}

// terminal is the size of the terminal at stdout, 0 unknown. COLUMNS wins, as in other programs: it is how a person or a
// script asks for a width.
func terminal() (width, height int) {
	width, height, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		width, height = 0, 0
	}
	if w, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && w > 0 && w < 10_000 {
		width = w
	}
	return width, height
}

// executable is the path of this program as it was called, "" unknown: where that is a link that stays while versions
// change behind it, it is the link that hosts must be given.
func executable() string {
	exe, err := os.Executable()
	if err != nil {
		return ""
	}
	called, err := exec.LookPath(os.Args[0])
	if err == nil {
		called, err = filepath.Abs(called)
	}
	if err != nil {
		return exe
	}
	a, aerr := os.Stat(called)
	b, berr := os.Stat(exe)
	if aerr != nil || berr != nil || !os.SameFile(a, b) {
		return exe
	}
	return called
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

func person(getenv func(string) string) string {
	name := getenv("USER")
	if name == "" {
		name = getenv("USERNAME")
	}
	if u, err := user.Current(); name == "" && err == nil {
		name = u.Username
	}
	if name = text.Line(name, 64); name == "" {
		return "unknown"
	}
	return name
}

func machine() string {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	if host = text.Line(host, 64); host == "" {
		return "unknown"
	}
	return host
}
