//go:build unix

package adapters

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"board/internal/runs"
)

// linked makes a chain of links that leads to real, and returns its beginning.
func linked(t *testing.T, dir, real string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, "dotfiles", "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	rel := must[string](t)(filepath.Rel(filepath.Join(dir, "dotfiles", "deep"), real))
	for _, l := range [][2]string{
		{rel, filepath.Join(dir, "dotfiles", "deep", "c")}, // relative, over several directories
		{"deep/c", filepath.Join(dir, "dotfiles", "b")},
		{filepath.Join(dir, "dotfiles", "b"), filepath.Join(dir, "a")}, // absolute
	} {
		if err := os.Symlink(l[0], l[1]); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "a")
}

func TestLinksStayLinksAndTheirTargetIsWritten(t *testing.T) {
	for _, host := range runs.Hosts() {
		for _, f := range must[[]file](t)(world(t, host, ScopeUser).files()) {
			if f.own {
				continue
			}
			target := world(t, host, ScopeUser)
			path := at2(t, target, filepath.Base(f.path))
			before := []byte("{}\n")
			if f.toml != nil {
				before = []byte("a = 1\n")
			}
			real := filepath.Join(target.Home, "store", "real.conf")
			write(t, real, before, 0o640)
			write(t, path, nil, 0o644)
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(linked(t, target.Home, real), path); err != nil {
				t.Fatal(err)
			}
			links := map[string]string{}
			for _, p := range tree(t, target.Home) {
				if to, err := os.Readlink(p); err == nil {
					links[p] = to
				}
			}
			apply(t, must[Plan](t)(PlanInstall(target)))
			if bytes.Equal(read(t, real), before) {
				t.Errorf("%s: the target was not written", path)
			}
			for _, s := range must[Found](t)(Inspect(target)).Files {
				if s.Path == path && s.Target != real {
					t.Errorf("%s: its target is said to be %q", path, s.Target)
				}
			}
			apply(t, must[Plan](t)(PlanRemove(target)))
			if got := read(t, real); !bytes.Equal(got, before) {
				t.Errorf("%s: after the removal %q", path, got)
			}
			for p, to := range links {
				if now, err := os.Readlink(p); err != nil || now != to {
					t.Errorf("%s led to %s, and now to %s (%v)", p, to, now, err)
				}
			}
			if info := must[os.FileInfo](t)(os.Stat(real)); info.Mode().Perm() != 0o640 {
				t.Errorf("%s: mode %v", real, info.Mode())
			}
		}
	}
}

func TestADirectoryThatIsALink(t *testing.T) {
	target := world(t, runs.ClaudeCode, ScopeUser)
	real := filepath.Join(target.Home, "dotfiles", "claude")
	write(t, filepath.Join(real, "conf", "s.json"), []byte("{}"), 0o644)
	for _, l := range [][2]string{{real, filepath.Join(target.Home, ".claude")}, {"conf/s.json", filepath.Join(real, "settings.json")}} {
		if err := os.Symlink(l[0], l[1]); err != nil {
			t.Fatal(err)
		}
	}
	apply(t, must[Plan](t)(PlanInstall(target)))
	if found := must[Found](t)(Inspect(target)); found.Events[0].State != Present {
		t.Error("nothing was installed through the link")
	}
	apply(t, must[Plan](t)(PlanRemove(target)))
	if got := string(read(t, filepath.Join(real, "conf", "s.json"))); got != "{}" {
		t.Errorf("it became %q", got)
	}
}

func TestModesAreKept(t *testing.T) {
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o644, 0o664, 0o200 | 0o444, 0o755} {
		target := world(t, runs.Gemini, ScopeUser)
		path := at2(t, target, "settings.json")
		write(t, path, []byte("{}"), mode)
		apply(t, must[Plan](t)(PlanInstall(target)))
		if got := must[os.FileInfo](t)(os.Stat(path)).Mode().Perm(); got != mode {
			t.Errorf("%v became %v", mode, got)
		}
	}
}

func TestFilesThatAreNotWritten(t *testing.T) {
	for name, make := range map[string]func(t *testing.T, path string){
		"read-only": func(t *testing.T, path string) { write(t, path, []byte("{}"), 0o444) },
		"in a read-only directory": func(t *testing.T, path string) {
			write(t, path, []byte("{}"), 0o644)
			chmod(t, filepath.Dir(path), 0o555)
		},
		"a dangling link": func(t *testing.T, path string) {
			write(t, path, nil, 0o644)
			replaceByLink(t, path, "nowhere/at/all")
		},
		"a link to a read-only file": func(t *testing.T, path string) {
			write(t, path, nil, 0o644)
			store := filepath.Join(filepath.Dir(path), "..", "store", "x")
			write(t, store, []byte("{}"), 0o444)
			replaceByLink(t, path, store)
		},
		"a link to itself":   func(t *testing.T, path string) { write(t, path, nil, 0o644); replaceByLink(t, path, path) },
		"a link to a device": func(t *testing.T, path string) { write(t, path, nil, 0o644); replaceByLink(t, path, os.DevNull) },
		"with two hard links": func(t *testing.T, path string) {
			write(t, path, []byte("{}"), 0o644)
			must0(t, os.Link(path, path+".twin"))
		},
		"a directory":          func(t *testing.T, path string) { must0(t, os.MkdirAll(path, 0o755)) },
		"in a dangling folder": func(t *testing.T, path string) { must0(t, os.Symlink("/nowhere/at/all", filepath.Dir(path))) },
		"in a file":            func(t *testing.T, path string) { write(t, filepath.Dir(path), []byte("x"), 0o644) },
		"larger than anybody's": func(t *testing.T, path string) {
			write(t, path, append([]byte(`{"a": "`), append(bytes.Repeat([]byte("x"), maxFile), `"}`...)...), 0o644)
		},
	} {
		t.Run(name, func(t *testing.T) {
			target := world(t, runs.Gemini, ScopeUser)
			path := at2(t, target, "settings.json")
			make(t, path)
			before := state(t, target.Home)
			plan := must[Plan](t)(PlanInstall(target))
			if len(plan.Changes) > 0 || len(plan.Refused) != 1 || plan.Refused[0].Path != path || plan.Refused[0].Reason == "" {
				t.Fatalf("it is not refused: %v %v", plan.Changes, plan.Refused)
			}
			t.Log(plan.Refused[0].Reason)
			if !strings.Contains(plan.Refused[0].Snippet, "mcpServers") || !strings.Contains(plan.Refused[0].Snippet, "AfterAgent") {
				t.Errorf("the snippet lacks something:\n%s", plan.Refused[0].Snippet)
			}
			apply(t, plan)
			apply(t, must[Plan](t)(PlanRemove(target)))
			if after := state(t, target.Home); !slices.Equal(before, after) {
				t.Errorf("before %q\nafter %q", before, after)
			}
			if f := must[Found](t)(Inspect(target)).Files[0]; f.Fault != plan.Refused[0].Reason {
				t.Errorf("the inspection says %q", f.Fault)
			}
		})
	}
}

func chmod(t *testing.T, dir string, mode fs.FileMode) {
	t.Helper()
	must0(t, os.Chmod(dir, mode))
	t.Cleanup(func() { must0(t, os.Chmod(dir, 0o755)) })
}

func replaceByLink(t *testing.T, path, to string) {
	t.Helper()
	must0(t, os.Remove(path))
	must0(t, os.Symlink(to, path))
}

// state lists every path with mode, link and the beginning of its content.
func state(t *testing.T, dir string) (list []string) {
	t.Helper()
	for _, p := range tree(t, dir) {
		info := must[os.FileInfo](t)(os.Lstat(p))
		line := p + " " + info.Mode().String()
		if to, err := os.Readlink(p); err == nil {
			line += " " + to
		} else if info.Mode().IsRegular() {
			line += " " + string(read(t, p)[:min(20, info.Size())]) + strconv.FormatInt(info.Size(), 10)
		}
		list = append(list, line)
	}
	return list
}

func TestAnInstallationThatIsAtWorkIsNoHardLink(t *testing.T) {
	dir := quickDir(t)
	path, temp := filepath.Join(dir, "settings.json"), filepath.Join(dir, tempPrefix+strconv.Itoa(os.Getpid())+"-1-settings.json")
	write(t, path, []byte("{}"), 0o600)
	must0(t, os.Link(path, temp))
	p := place{path: path, exists: true, info: must[os.FileInfo](t)(os.Lstat(path))}
	must0(t, os.Remove(temp)) // right after it was looked at
	must0(t, p.read())
	must0(t, os.Link(path, filepath.Join(dir, "of a person")))
	if _, err := locate(path); err == nil || !strings.Contains(err.Error(), "hard links") {
		t.Errorf("a link of a person's: %v", err)
	}
}
