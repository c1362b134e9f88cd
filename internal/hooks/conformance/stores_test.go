package conformance

import (
	"bytes"
	"context"
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"board/internal/runs"
)

// lock takes the store's write lock, as a program does that is in the middle of a long change. While it does, the hook
// has its time limits.
func lock(t *testing.T, b *box) (release func()) {
	t.Helper()
	patient := b.Bin
	b.impatient()
	conn, err := b.look(t).SQL().Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(context.Background(), "BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	return func() {
		b.Bin = patient
		if _, err := conn.ExecContext(context.Background(), "ROLLBACK"); err != nil {
			t.Error(err)
		}
		_ = conn.Close()
	}
}

// tree lists the files below a folder with their contents.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAStoreThatIsNotThereIsNotMade(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.box = newBox(t, k.host, "")
		for _, event := range []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"} {
			k.quiet(event, "t1", more{"tool_name": "Bash", "tool_use_id": "c", "stop_hook_active": false})
		}
		if files := tree(t, k.Root); len(files) > 0 {
			t.Errorf("files %v, want none", files)
		}
	})
}

// TestStoresThatCannotBeUsed: whatever is in the place of the store, the answer is the neutral one, quickly, and what
// is there stays as it is.
func TestStoresThatCannotBeUsed(t *testing.T) {
	spoil := map[string]func(t *testing.T, path string){
		"random bytes":  func(t *testing.T, path string) { write(t, path, bytes.Repeat([]byte("\x17\xa5noise"), 585)) },
		"an empty file": func(t *testing.T, path string) { write(t, path, nil) },
		"text":          func(t *testing.T, path string) { write(t, path, []byte("hello\n")) },
		"a folder": func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		},
		"a store of a newer board": func(t *testing.T, path string) { pragma(t, path, "PRAGMA user_version = 9999") },
		"half a store": func(t *testing.T, path string) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, data[:len(data)/3])
		},
		"a database that is no board": func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			pragma(t, path, "CREATE TABLE recipes (id INTEGER)")
		},
	}
	for name, f := range spoil {
		t.Run(name, func(t *testing.T) {
			eachHost(t, func(t *testing.T, k *talk) {
				k.impatient()
				f(t, k.DB)
				before, was := stat(t, k.DB), ""
				if !before.IsDir() {
					was = tree(t, k.DB)[k.DB]
				}
				for _, event := range []string{"UserPromptSubmit", "PostToolUse", "Stop"} {
					began := time.Now()
					k.quiet(event, "t1", more{"prompt": "go", "tool_name": "Bash", "tool_use_id": "c", "stop_hook_active": false})
					if took := time.Since(began); took > 500*time.Millisecond+k.slack(t) {
						t.Errorf("%s took %s", event, took)
					}
				}
				if !before.IsDir() && tree(t, k.DB)[k.DB] != was {
					t.Errorf("the file was changed")
				}
			})
		})
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func stat(t *testing.T, path string) fs.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// pragma changes a database file without the store package, which would refuse.
func pragma(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(context.Background(), statement); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestALockedStoreGetsItsEventsLater: while another program holds the lock, every answer is neutral and quick; after
// it, the next event finds all of them stored, once each, and no reminder was or is given for them.
func TestALockedStoreGetsItsEventsLater(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		release := lock(t, k.box)
		for range 2 { // each twice: the double must not count either
			for _, e := range []struct {
				event  string
				fields more
			}{
				{"PostToolUse", more{"tool_name": "Bash", "tool_use_id": "c1"}},
				{"Stop", more{"stop_hook_active": false}},
			} {
				began := time.Now()
				k.quiet(e.event, "t1", e.fields)
				if took := time.Since(began); took > 500*time.Millisecond+k.slack(t) {
					t.Errorf("%s took %s", e.event, took)
				}
			}
		}
		release()
		k.want("t1", runs.Running, runs.None)
		k.prompt("t2")
		if r := k.run("t1"); r.State != runs.Ended || r.Outcome != runs.Completed || r.Probes != 0 || r.Tools != 1 {
			t.Errorf("the run is %s %s, %d probes, %d tools, want ended completed 0 1", r.State, r.Outcome, r.Probes, r.Tools)
		}
		for path, data := range tree(t, k.Root) {
			if strings.HasSuffix(path, ".json") {
				t.Errorf("%s is still there: %.200s", path, data)
			}
		}
	})
}

// TestASpooledEventOfAnOlderTurnNeverEndsTheLiveTurn: what was spooled speaks of the turn that it names, and a spooled
// prompt ends nobody.
func TestASpooledEventOfAnOlderTurnNeverEndsTheLiveTurn(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		release := lock(t, k.box)
		k.quiet("Stop", "t1", more{"stop_hook_active": false})
		k.quiet("UserPromptSubmit", "t0", more{"prompt": "go"})
		k.quiet("Stop", "t0", more{"stop_hook_active": false})
		release()
		k.tool("t2", "c1") // another turn is seen first by its tool
		k.want("t2", runs.Running, runs.None)
		k.want("t1", runs.Ended, runs.Completed)
		k.want("t0", runs.Ended, runs.Completed)
		if got := k.stop("t2", false); got != "probe" {
			t.Errorf("the live turn's Stop prints %s", got)
		}
	})
}

// TestASpooledEndOfTheSessionEndsWhatWasThen: the end was received before the prompt that follows it.
func TestASpooledEndOfTheSessionEndsWhatWasThen(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		release := lock(t, k.box)
		k.quiet("SessionEnd", "", more{"reason": "other"})
		release()
		k.prompt("t2")
		k.want("t1", runs.Ended, runs.Unknown)
		k.want("t2", runs.Running, runs.None)
		if got := k.stretches(); got != "1 ended, 2 active" {
			t.Errorf("stretches %q, want the first ended, the second active", got)
		}
	})
}

// TestAReadOnlyStoreIsNotAskedFrom: a reminder that cannot be recorded is not given. Run as another user where the
// tests are run by root, for whom no file is read-only.
func TestAReadOnlyStoreIsNotAskedFrom(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		if err := k.look(t).Close(); err != nil {
			t.Fatal(err)
		}
		k.db = nil
		readOnly(t, k.box)
		began := time.Now()
		out := asOther(t, k, k.payload("Stop", "t1", more{"stop_hook_active": false}))
		if out.Stdout != "" || out.Stderr != "" || out.Code != 0 {
			t.Errorf("stdout %q, stderr %q, exit %d (%v), want nothing and 0", out.Stdout, out.Stderr, out.Code, out.Err)
		}
		if took := time.Since(began); took > 500*time.Millisecond+k.slack(t) {
			t.Errorf("took %s", took)
		}
	})
}
