package adapters

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"board/internal/runs"
)

// property checks what holds for every text: it is refused, or installing adds and changes nothing foreign, installing
// again changes nothing, and removing gives the text back.
func property(t *testing.T, target Target, f file, before []byte) {
	t.Helper()
	shifted := false
	edit := func(data []byte, install bool) ([]byte, bool, error) {
		at := place{path: f.path, exists: true, data: data}
		if f.toml != nil {
			return f.planTOML(at, install)
		}
		return f.planJSON(target, at, install, &shifted)
	}
	after, gone, err := edit(before, true)
	if err != nil {
		return
	}
	if gone {
		t.Fatalf("installing into %q deletes it", before)
	}
	clean, _, err := edit(before, false)
	if err != nil {
		t.Fatalf("board installs into %q and does not remove from it: %v", before, err)
	}
	if again, _, err := edit(after, true); err != nil || !bytes.Equal(again, after) {
		t.Fatalf("from %q: a second installation gives (%v)\n%s\nafter\n%s", before, err, again, after)
	}
	back, gone, err := edit(after, false)
	if err != nil {
		t.Fatalf("from %q: not removed: %v\n%s", before, err, after)
	}
	if !bytes.Equal(clean, before) {
		return // something of board was in there
	}
	most := 1 // for each thing that is written, and for a comma before it
	if f.toml == nil {
		most = 2 * (len(f.parts) + len(target.rows()))
	}
	if n := insertions(before, after); n < 0 || n > most {
		t.Fatalf("more than insertions: %q\n%q", before, after)
	}
	if gone || !bytes.Equal(back, before) {
		t.Fatalf("installing and removing make\n%q of\n%q by way of\n%q", back, before, after)
	}
	if f.toml == nil {
		a, b := foreign(t, before), foreign(t, after)
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("foreign content changed:\n%v\n%v", a, b)
		}
	}
}

func fuzzTarget(host string) Target {
	return Target{
		Host: host, Scope: ScopeUser, Home: filepath.Join(os.TempDir(), "no home"),
		Launcher: Launcher{Board: "/opt/my tools/it's/board", Hook: "/opt/my tools/it's/board-hook"},
	}
}

func FuzzJSON(f *testing.F) {
	hosts := []string{runs.ClaudeCode, runs.Codex, runs.Gemini, runs.Cursor, runs.OpenCode}
	for _, h := range hostileJSON() {
		if len(h.text) < 1<<12 {
			for i, host := range hosts {
				f.Add(uint8(i), h.fill(fuzzTarget(host), "Stop"))
			}
		}
	}
	f.Fuzz(func(t *testing.T, n uint8, data []byte) {
		target := fuzzTarget(hosts[int(n)%len(hosts)])
		files, err := target.files()
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if !file.own && file.toml == nil {
				property(t, target, file, data)
			}
		}
	})
}

func FuzzTOML(f *testing.F) {
	for _, h := range hostileTOML() {
		if len(h.text) < 1<<12 {
			f.Add([]byte(h.text))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		target := fuzzTarget(runs.Codex)
		files, err := target.files()
		if err != nil {
			t.Fatal(err)
		}
		property(t, target, files[0], data)
	})
}

// FuzzCommand: nothing that a person may have written brings the reading of command lines down, and what board writes is
// always known again.
func FuzzCommand(f *testing.F) {
	for _, s := range []string{"/opt/board-hook --host x", `C:\Program Files\board-hook.exe --host x`, "'", "a && b", "$(x)", "[ -x p ] && p"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ours(s)
		for _, host := range runs.Hosts() {
			for _, scope := range []Scope{ScopeUser, ScopeProject} {
				target := Target{Host: host, Scope: scope, Launcher: Launcher{Hook: "/" + s + "/board-hook"}}
				if command := hookCommand(target); !ours(command) {
					t.Fatalf("%q is not known again", command)
				}
			}
		}
	})
}
