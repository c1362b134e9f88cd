//go:build unix

package adapters

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"board/internal/fault"
	"board/internal/runs"
)

func TestAFileThatChangedMeanwhileIsNotWritten(t *testing.T) {
	target := world(t, runs.ClaudeCode, ScopeUser)
	settings, servers := at2(t, target, "settings.json"), at2(t, target, ".claude.json")
	write(t, settings, []byte("{}"), 0o644)
	write(t, servers, []byte("{}"), 0o600)

	plan := must[Plan](t)(PlanInstall(target))
	write(t, settings, []byte(`{"theme": "dark"}`), 0o644)
	if err := plan.Apply(""); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("got %v", err)
	}
	if string(read(t, servers)) != "{}" || string(read(t, settings)) != `{"theme": "dark"}` {
		t.Error("something was written")
	}

	// Between the comparison before the first write and the rename, too.
	plan = must[Plan](t)(PlanInstall(target))
	err := plan.apply("", func(step string) error {
		if step == "compare" {
			write(t, servers, []byte(`{"n": 1}`), 0o600)
		}
		return nil
	})
	if fault.CodeOf(err) != fault.Conflict || string(read(t, servers)) != `{"n": 1}` {
		t.Errorf("%v, %s", err, read(t, servers))
	}

	// And a file that was created.
	target = world(t, runs.Gemini, ScopeUser)
	path := at2(t, target, "settings.json")
	plan = must[Plan](t)(PlanInstall(target))
	err = plan.apply("", func(step string) error {
		if step == "rename" {
			write(t, path, []byte(`{"n": 1}`), 0o600)
		}
		return nil
	})
	if fault.CodeOf(err) != fault.Conflict || string(read(t, path)) != `{"n": 1}` {
		t.Errorf("%v, %s", err, read(t, path))
	}
}

func TestAStepThatFailsLeavesTheOldFilesAndNoLitter(t *testing.T) {
	for i := 0; ; i++ {
		target := world(t, runs.Codex, ScopeUser)
		config, hooksFile := at2(t, target, "config.toml"), at2(t, target, "hooks.json")
		write(t, config, []byte("a = 1\n"), 0o600)
		write(t, hooksFile, []byte("{}"), 0o600)
		plan := must[Plan](t)(PlanInstall(target))
		n, failed := 0, ""
		err := plan.apply(filepath.Join(target.Home, "backups"), func(step string) error {
			if n++; n == i+1 {
				failed = step
				return &fs.PathError{Op: "x", Path: "y", Err: syscall.ENOSPC}
			}
			return nil
		})
		if failed == "" {
			if err != nil || i < 15 {
				t.Fatalf("after %d steps: %v", i, err)
			}
			return
		}
		if err == nil || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("%s failed, and Apply says %v", failed, err)
		}
		wholeOrOld(t, plan, failed)
		if left := leftovers(t, filepath.Dir(config)); len(left) > 0 {
			t.Errorf("%s failed, and left %v", failed, left)
		}
		apply(t, must[Plan](t)(PlanInstall(target)))
		if found := must[Found](t)(Inspect(target)); found.Server.State != Present || found.Events[0].State != Present {
			t.Errorf("%s failed, and a second installation did not mend it", failed)
		}
	}
}

// wholeOrOld checks that every file of a plan is as it was or as it should be.
func wholeOrOld(t *testing.T, plan Plan, when string) {
	t.Helper()
	for _, c := range plan.Changes {
		now, err := os.ReadFile(c.Path)
		if errors.Is(err, fs.ErrNotExist) && (!c.Existed || c.After == nil) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(now, c.Before) && !bytes.Equal(now, c.After) {
			t.Errorf("%s: %s is neither old nor new:\n%q", when, c.Path, now)
		}
	}
}

func TestTenInstallationsAtOnceAreOne(t *testing.T) {
	target := world(t, runs.ClaudeCode, ScopeUser)
	write(t, at2(t, target, "settings.json"), []byte("{\n  \"theme\": \"dark\"\n}\n"), 0o600)
	want := must[Plan](t)(PlanInstall(target))
	var all sync.WaitGroup
	for range 10 {
		all.Add(1)
		go func() {
			defer all.Done()
			p, err := PlanInstall(target)
			if err == nil {
				err = p.Apply(filepath.Join(target.Home, "backups"))
			}
			if err != nil && fault.CodeOf(err) != fault.Conflict {
				t.Error(err)
			}
		}()
	}
	all.Wait()
	for _, c := range want.Changes {
		if !bytes.Equal(read(t, c.Path), c.After) {
			t.Errorf("%s:\n%s", c.Path, read(t, c.Path))
		}
	}
}

func TestBackupsHoldWhatWasThereOnceAndPrivately(t *testing.T) {
	target := world(t, runs.Gemini, ScopeUser)
	path := at2(t, target, "settings.json")
	write(t, path, []byte(`{"secret": 1}`), 0o644)
	for range 3 {
		apply(t, must[Plan](t)(PlanInstall(target)))
		apply(t, must[Plan](t)(PlanRemove(target)))
	}
	files := must[[]os.DirEntry](t)(os.ReadDir(filepath.Join(target.Home, "backups")))
	if len(files) != 2 { // without and with board
		t.Fatalf("%d backups", len(files))
	}
	found := false
	for _, f := range files {
		if info := must[os.FileInfo](t)(f.Info()); info.Mode().Perm() != 0o600 || !strings.HasPrefix(f.Name(), "gemini.user.settings.json.") {
			t.Errorf("%s has mode %v", f.Name(), info.Mode())
		}
		found = found || string(read(t, filepath.Join(target.Home, "backups", f.Name()))) == `{"secret": 1}`
	}
	if !found {
		t.Error("no backup holds the original")
	}
}
