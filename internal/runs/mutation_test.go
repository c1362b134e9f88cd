package runs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryRowAndGuardIsNeeded takes each row, and each guard, out of the table in turn and runs the model test on what
// is left, for orphans their own tests: it must fail. It compiles the package some twenty times, so it runs where BOARD_SLOW is set.
func TestEveryRowAndGuardIsNeeded(t *testing.T) {
	if os.Getenv("BOARD_SLOW") == "" {
		t.Skip("set BOARD_SLOW=1")
	}
	source, err := os.ReadFile("machine.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(source), "\n")
	guard := regexp.MustCompile(`, Guard: \w+`)
	rows := 0
	for i, l := range lines {
		if !strings.HasPrefix(strings.TrimSpace(l), "{On: ") {
			continue
		}
		rows++
		name := strings.TrimSuffix(strings.Fields(l)[1], ",")
		survives(t, "row "+name, lines, i, "")
		if guard.MatchString(l) {
			survives(t, "guard of "+name, lines, i, guard.ReplaceAllString(l, ""))
		}
	}
	if rows != 13 {
		t.Errorf("%d rows were found in the source, want 13", rows)
	}
}

// survives runs the model test with line i replaced, and fails if it passes.
func survives(t *testing.T, name string, lines []string, i int, by string) {
	t.Run(name, func(t *testing.T) {
		mutant := append([]string{}, lines...)
		mutant[i] = by
		// A guard that is used no more must not be what breaks the build.
		text := strings.Join(mutant, "\n")
		for _, g := range []string{"isRoot", "isChild", "newBackground", "probeDue", "isExpired", "isOrphaned", "mayContinue"} {
			text += fmt.Sprintf("\nvar _ = %s\n", g)
		}
		dir := t.TempDir()
		file := filepath.Join(dir, "machine.go")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		at, err := filepath.Abs("machine.go")
		if err != nil {
			t.Fatal(err)
		}
		overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{at: file}})
		if err != nil {
			t.Fatal(err)
		}
		list := filepath.Join(dir, "overlay.json")
		if err := os.WriteFile(list, overlay, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("go", "vet", "-overlay", list, ".").CombinedOutput(); err != nil {
			t.Fatalf("the mutant does not build: %s", out)
		}
		test, failed := "TestRunsBehaveLikeTheModel", "[rapid] failed"
		if strings.HasSuffix(name, " Reaped") { // no event does it: the model knows none
			test, failed = "TestARunWithoutASessionIsReaped|TestNothingButAnOrphanIsReaped", "--- FAIL"
		}
		out, err := exec.Command("go", "test", "-overlay", list, "-run", test, "-count=1", "-rapid.nofailfile", "-rapid.shrinktime=1ms", ".").CombinedOutput()
		if err == nil {
			t.Errorf("%s passes without it", test)
		} else if !strings.Contains(string(out), failed) {
			t.Errorf("%s fails for another reason: %.2000s", test, out)
		}
	})
}
