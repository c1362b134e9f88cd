package adapters

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"board/internal/fault"
	"board/internal/runs"
)

func TestTwoInstallationsAtOnceBothEndWell(t *testing.T) {
	for _, host := range runs.Hosts() {
		for _, step := range []string{"create", "write the second half", "compare", "rename"} {
			target := world(t, host, ScopeUser)
			backups := filepath.Join(target.Home, "backups")
			other := 0
			first, err := carry(target, PlanInstall, backups, func(now string) error {
				if now == step && other == 0 {
					other++
					_, err := Carry(target, PlanInstall, backups)
					return err
				}
				return nil
			})
			if err != nil || len(first.Refused) > 0 {
				t.Errorf("%s, overtaken at %s: %v %v", host, step, err, first.Refused)
			}
			if again := must[Plan](t)(PlanInstall(target)); len(again.Changes) > 0 {
				t.Errorf("%s, overtaken at %s, is not complete:\n%s", host, step, again.Diff())
			}
		}
	}
}

func TestAProgramThatWritesWithoutEndIsNotWaitedFor(t *testing.T) {
	target := world(t, runs.Gemini, ScopeUser)
	path := at2(t, target, "settings.json")
	n := 0
	p, err := carry(target, PlanInstall, "", func(step string) error {
		if step == "compare" {
			n++
			write(t, path, bytes.Repeat([]byte("\n"), n), 0o600)
		}
		return nil
	})
	if fault.CodeOf(err) != fault.Conflict || n != carryTries || len(p.Changes) > 0 {
		t.Errorf("after %d times: %v, changes %v", n, err, p.Changes)
	}
}

func TestThePlanThatWasCarriedOutNamesEveryFileAndItsHints(t *testing.T) {
	target := world(t, runs.Codex, ScopeUser)
	hooks := at2(t, target, "hooks.json")
	done := false
	p, err := carry(target, PlanInstall, "", func(step string) error {
		if _, err := os.Stat(at2(t, target, "config.toml")); err == nil && step == "compare" && !done {
			done = true
			write(t, hooks, []byte("{}"), 0o600)
		}
		return nil
	})
	must0(t, err)
	var paths []string
	for _, c := range p.Changes {
		paths = append(paths, filepath.Base(c.Path))
	}
	if !slices.Equal(paths, []string{"config.toml", "hooks.json"}) || !p.Hooked() {
		t.Errorf("changes %q", paths)
	}
	if !slices.ContainsFunc(p.Hints, func(h string) bool { return strings.Contains(h, "trust") }) {
		t.Errorf("hints %q", p.Hints)
	}
}

func TestWhenTheHooksWereWrittenIsKnownPerPlace(t *testing.T) {
	dir := filepath.Join(quickDir(t), "backups")
	target := world(t, runs.Codex, ScopeUser)
	if at := InstalledAt(dir, target); at != 0 {
		t.Errorf("without a note it is %d", at)
	}
	must0(t, MarkInstalled(dir, target, time.UnixMilli(1000)))
	must0(t, MarkInstalled(dir, target, time.UnixMilli(2000)))
	other := target
	other.Home += "/other"
	if at, elsewhere := InstalledAt(dir, target), InstalledAt(dir, other); at != 2000 || elsewhere != 0 {
		t.Errorf("noted %d, and %d for another home", at, elsewhere)
	}
}
