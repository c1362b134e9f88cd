package conformance

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What internal/brief sets saves something only before the other packages take memory.
func TestTheRuntimeIsSetUpBeforeOtherPackages(t *testing.T) {
	cmd := exec.Command(filepath.Join(world.exact, "board-hook"), "--version")
	cmd.Env = []string{"GODEBUG=inittrace=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	var inits []string
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "init" {
			inits = append(inits, f[1])
		}
	}
	at := slices.Index(inits, "board/internal/brief")
	for _, later := range []string{"errors", "os", "database/sql", "modernc.org/libc"} {
		if i := slices.Index(inits, later); at < 0 || i < at {
			t.Errorf("%s is set up as number %d, internal/brief as number %d of\n%s", later, i, at, strings.Join(inits, " "))
		}
	}
}
