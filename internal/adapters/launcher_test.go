package adapters

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"board/internal/fault"
)

func TestFindTakesALauncherThatStays(t *testing.T) {
	root := t.TempDir()
	home := filepath.Join(root, "home")
	install := func(dir string) string {
		for _, p := range []string{"board", "board-hook"} {
			write(t, filepath.Join(root, dir, p), []byte("#!/bin/sh\n"), 0o755)
		}
		return filepath.Join(root, dir, "board")
	}
	// The store of a package manager, with a stable link to it.
	store := install("store/board-1.2.3/bin")
	must0(t, os.MkdirAll(filepath.Join(root, "bin"), 0o755))
	for _, p := range []string{"board", "board-hook"} {
		must0(t, os.Symlink(filepath.Join(filepath.Dir(store), p), filepath.Join(root, "bin", p)))
	}
	write(t, filepath.Join(root, "src", "go.mod"), []byte("module board\n\ngo 1.26\n"), 0o644)
	write(t, filepath.Join(root, "other", "go.mod"), []byte("module dashboard\n"), 0o644)
	must0(t, os.MkdirAll(filepath.Join(root, "link"), 0o755))
	checkout := install("src/bin")
	for _, p := range []string{"board", "board-hook"} {
		must0(t, os.Symlink(filepath.Join(filepath.Dir(checkout), p), filepath.Join(root, "link", p)))
	}
	lonely := filepath.Join(root, "lonely", "board")
	write(t, lonely, nil, 0o755)
	half := install("half/bin")
	must0(t, os.Chmod(filepath.Join(filepath.Dir(half), "board-hook"), 0o644))
	env := func(key string) string {
		return map[string]string{"HOME": home, "TMPDIR": filepath.Join(root, "tmp")}[key]
	}
	for exe, want := range map[string]string{
		install("opt/bin"):                        "",
		install("my tools/it's"):                  "",
		install("home/.local/bin"):                "",
		install("other/bin"):                      "",
		filepath.Join(root, "bin", "board"):       "",
		filepath.Join(root, "bin", "board-other"): "", // whatever its own name: the two beside it count
		install("tmp/v1"):                         "temporary",
		install("cache/go-build123/b001/exe"):     "temporary",
		checkout:                                  "source",
		filepath.Join(root, "link", "board"):      "source",
		lonely:                                    "not there",
		half:                                      "not a program",
		"board":                                   "not absolute",
		install("new\nline"):                      "control character",
	} {
		l, err := Find(exe, env)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", exe, err)
		case want == "" && (l.Board != filepath.Join(filepath.Dir(exe), "board") || l.Hook != filepath.Join(filepath.Dir(exe), "board-hook")):
			t.Errorf("%s: %+v", exe, l)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || fault.As(err).Hint == ""):
			t.Errorf("%s: %v, want something about %q, with a hint", exe, err, want)
		}
	}
}

func TestATemporaryHomeHoldsWhatIsInstalledInIt(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	exe := filepath.Join(home, "bin", "board")
	for _, p := range []string{"board", "board-hook"} {
		write(t, filepath.Join(home, "bin", p), nil, 0o755)
	}
	if _, err := Find(exe, func(key string) string { return map[string]string{"HOME": home}[key] }); err != nil {
		t.Error(err)
	}
	if _, err := Find(exe, func(key string) string {
		return map[string]string{"HOME": "/home/someone", "TMPDIR": os.TempDir()}[key]
	}); err == nil {
		t.Error("a temporary directory is taken for a place that stays")
	}
}
