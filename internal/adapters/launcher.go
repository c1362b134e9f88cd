package adapters

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"board/internal/fault"
)

// Launcher is the two programs as they are written into configurations: absolute, links not resolved, so that what a
// package manager or `make install` puts in their place is found without another installation.
type Launcher struct {
	Board string
	Hook  string
}

// Find returns the launcher of the running program, executable being what os.Executable returned. A program in a
// temporary directory or in a checkout of board's own source is refused: it will be gone, and with it every hook. A home
// directory may itself be temporary; what lies in it lives as long as it does.
func Find(executable string, getenv func(string) string) (Launcher, error) {
	const hint = "Install both programs to a directory that stays (make install), then run board host install from there."
	if !filepath.IsAbs(executable) {
		return Launcher{}, fault.New(fault.Invalid, hint, "the path of the running program is not absolute: %s", executable)
	}
	dir, exe := filepath.Dir(filepath.Clean(executable)), ""
	if runtime.GOOS == "windows" {
		exe = ".exe"
	}
	l := Launcher{Board: filepath.Join(dir, "board"+exe), Hook: filepath.Join(dir, "board-hook"+exe)}
	for _, p := range []string{l.Board, l.Hook} {
		info, err := os.Stat(p)
		switch {
		case err != nil:
			return Launcher{}, fault.Wrap(err, fault.NotFound, hint, "%s is not there: both programs belong in one directory", p)
		case !info.Mode().IsRegular() || exe == "" && info.Mode()&0o111 == 0:
			return Launcher{}, fault.New(fault.Invalid, hint, "%s is not a program", p)
		}
	}
	if d := sourceOf(l.Hook); d != "" {
		return Launcher{}, fault.New(fault.Invalid, hint, "the program lies in a checkout of board's source, %s: the next build or clean would break every hook", d)
	}
	if d := temporary(l.Hook, getenv); d != "" {
		return Launcher{}, fault.New(fault.Invalid, hint, "the program lies in a temporary directory, %s", d)
	}
	if i := strings.IndexFunc(l.Hook, func(r rune) bool { return r < ' ' || r == 0x7f }); i >= 0 {
		return Launcher{}, fault.New(fault.Invalid, hint, "the path of the program contains a control character: %q", l.Hook)
	}
	return l, nil
}

// sourceOf returns the checkout of board's source that a program lies in, or that its links lead to, or "".
func sourceOf(path string) string {
	for _, d := range both(path) {
		for d = filepath.Dir(d); ; d = filepath.Dir(d) {
			if data, err := os.ReadFile(filepath.Join(d, "go.mod")); err == nil {
				if first, _, _ := strings.Cut(string(data), "\n"); strings.TrimSpace(first) == "module board" {
					return d
				}
			}
			if d == filepath.Dir(d) {
				break
			}
		}
	}
	return ""
}

// temporary returns the temporary directory that a program lies in, or that its links lead to, or "".
func temporary(path string, getenv func(string) string) string {
	for _, home := range both(getenv("HOME")) {
		for _, d := range both(path) {
			if beneath(d, home) {
				return ""
			}
		}
	}
	roots := []string{getenv("TMPDIR"), getenv("TEMP"), getenv("TMP"), "/var/tmp", "/dev/shm"}
	if getenv("TMPDIR") == "" || runtime.GOOS == "darwin" {
		roots = append(roots, "/tmp") // where TMPDIR is set on purpose, /tmp may be something else
	}
	for _, root := range roots {
		for _, r := range both(root) {
			for _, d := range both(path) {
				if beneath(d, r) {
					return r
				}
			}
		}
	}
	for _, part := range strings.Split(filepath.ToSlash(path), "/") {
		if strings.HasPrefix(part, "go-build") { // go run
			return filepath.Dir(path)
		}
	}
	return ""
}

// both returns path as it is and with its links resolved, nothing for "".
func both(path string) []string {
	if path == "" {
		return nil
	}
	path = filepath.Clean(path)
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		return []string{path, real}
	}
	return []string{path}
}

// beneath reports whether path is root or lies in it. The root of the file system holds nothing in this sense.
func beneath(path, root string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && root != filepath.Dir(root) && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
