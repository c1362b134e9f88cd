package codexhost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMain is also a Codex that talks the same protocol, for machines without one: `FAKE_CODEX=WAY test app-server`.
func TestMain(m *testing.M) {
	if way := os.Getenv("FAKE_CODEX"); way != "" {
		os.Exit(fake(way))
	}
	os.Exit(m.Run())
}

// fake answers as Codex 0.171.0 does: it lists the Stop hook of $CODEX_HOME/hooks.json, and trusts it if its key stands
// in config.toml.
func fake(way string) int {
	home := os.Getenv("CODEX_HOME")
	hooks, _ := os.ReadFile(filepath.Join(home, "hooks.json"))
	config, _ := os.ReadFile(filepath.Join(home, "config.toml"))
	_ = os.WriteFile(filepath.Join(home, "state_5.sqlite"), []byte("x"), 0o600)
	d := json.NewDecoder(os.Stdin)
	for {
		var m struct {
			ID     int
			Method string
		}
		if d.Decode(&m) != nil {
			return 0
		}
		switch {
		case m.Method == "initialize" && way == "refuses":
			fmt.Println(`{"id":0,"error":{"message":"not signed in"}}`)
		case m.Method == "initialize" && way == "mute":
			for d.Decode(&m) == nil {
			}
			select {} // and ends neither at the end of its input
		case m.Method == "initialize" && way == "dies":
			return 3
		case m.Method == "initialize":
			fmt.Println("not JSON")
			fmt.Println(`{"id":0,"result":{"userAgent":"board/0.171.0 (Debian 12; x86_64)"}}`)
		case m.Method == "hooks/list":
			key := filepath.Join(home, "hooks.json") + ":stop:0:0"
			hook := Hook{Key: key, Event: "stop", Command: "true", Source: "user", SourcePath: filepath.Join(home, "hooks.json"), Trust: Untrusted, Enabled: true}
			if strings.Contains(string(config), key) {
				hook.Trust = Trusted
			}
			entry := map[string]any{"warnings": []string{"a warning about " + home}, "errors": []any{}, "hooks": []Hook{hook}}
			if !json.Valid(hooks) {
				entry["hooks"], entry["errors"] = []Hook{}, []any{map[string]string{"path": home + "/hooks.json", "message": "failed to parse hooks config"}}
			}
			b, _ := json.Marshal(map[string]any{"id": 1, "result": map[string]any{"data": []any{entry}}})
			fmt.Println(`{"method":"configWarning","params":{}}`)
			fmt.Println(string(b))
		}
	}
}

func asked(t *testing.T, way string) Query {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Query{Program: exe, Home: filepath.Join(t.TempDir(), "a b [c]"), Cwd: t.TempDir(), Env: []string{"FAKE_CODEX=" + way, "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// files returns path and content of everything below dir.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		all[p] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func trustOf(l Listing) string {
	var out []string
	for _, h := range l.Hooks {
		out = append(out, h.Event+" "+string(h.Trust))
	}
	return strings.Join(out, ", ")
}

func tomlKey(path string) string { return strings.ReplaceAll(path, `\`, `\\`) }

func TestAskingAsideSaysWhatTheOriginalHasAndLeavesItAlone(t *testing.T) {
	q := asked(t, "answers")
	hooks := filepath.Join(q.Home, "hooks.json")
	write(t, hooks, `{}`)
	write(t, filepath.Join(q.Home, "config.toml"), "model = \"m\"\n[hooks.state.\""+tomlKey(hooks)+":stop:0:0\"]\ntrusted_hash = \"sha256:x\"\n")
	before, temp := files(t, q.Home), t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	l, err := ListAside(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if got := trustOf(l); got != "stop trusted" || l.Version != "0.171.0" {
		t.Errorf("%q, version %q", got, l.Version)
	}
	if h := l.Hooks[0]; h.SourcePath != hooks || h.Key != hooks+":stop:0:0" || !strings.HasSuffix(l.Warnings[0], q.Home) {
		t.Errorf("the answer speaks of the copy: %+v %v", h, l.Warnings)
	}
	if after := files(t, q.Home); !maps.Equal(before, after) {
		t.Errorf("the person's folder was changed: %v", slices.Sorted(maps.Keys(after)))
	}
	if left := files(t, temp); len(left) > 0 {
		t.Errorf("a copy is left behind: %v", slices.Sorted(maps.Keys(left)))
	}
}

func TestWhatCanGoWrongIsSaid(t *testing.T) {
	for way, want := range map[string]string{
		"refuses": "codex refuses: not signed in",
		"dies":    "codex ended without an answer",
	} {
		if _, err := List(t.Context(), asked(t, way)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", way, err, want)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := List(ctx, asked(t, "mute")); err == nil || err.Error() != "codex did not answer in time" {
		t.Errorf("mute: %v", err)
	}
	q := asked(t, "answers")
	write(t, filepath.Join(q.Home, "hooks.json"), `{"hooks": {`)
	if l, err := ListAside(t.Context(), q); err != nil || len(l.Errors) != 1 || !strings.HasPrefix(l.Errors[0], q.Home) {
		t.Errorf("a broken file: %v %v", l.Errors, err)
	}
	q.Program = filepath.Join(t.TempDir(), "no-codex")
	if _, err := List(t.Context(), q); err == nil || !strings.HasPrefix(err.Error(), "codex does not start") {
		t.Errorf("no program: %v", err)
	}
}
