//go:build unix

package adapters

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"board/internal/runs"
)

// The tests below start this program again, and it ends itself with kill -9 at one step of an installation.
const (
	killAt   = "BOARD_ADAPTERS_KILL_AT"
	killHome = "BOARD_ADAPTERS_HOME"
	killHost = "BOARD_ADAPTERS_HOST"
	killVerb = "BOARD_ADAPTERS_VERB"
)

func TestMain(m *testing.M) {
	if os.Getenv(killHome) != "" {
		os.Exit(killed())
	}
	os.Exit(m.Run())
}

func killed() int {
	at, err := strconv.Atoi(os.Getenv(killAt))
	if err != nil {
		return 1
	}
	target := Target{
		Host: os.Getenv(killHost), Scope: ScopeUser, Home: os.Getenv(killHome),
		Launcher: Launcher{Board: "/opt/my tools/it's/board", Hook: "/opt/my tools/it's/board-hook"},
	}
	make := PlanInstall
	if os.Getenv(killVerb) == "remove" {
		make = PlanRemove
	}
	plan, err := make(target)
	if err != nil {
		return 1
	}
	n := 0
	err = plan.apply(filepath.Join(target.Home, "backups"), func(string) error {
		if n++; n == at {
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return nil
	})
	if err != nil {
		return 1
	}
	return 0
}

func TestKilledAtAnyStepTheFilesAreOldOrNew(t *testing.T) {
	for _, host := range runs.Hosts() {
		for _, verb := range []string{"install", "remove"} {
			for step := 1; ; step++ {
				target := world(t, host, ScopeUser)
				for _, f := range must[[]file](t)(target.files()) {
					switch {
					case f.toml != nil:
						write(t, f.path, []byte("a = 1\n"), 0o600)
					case !f.own && filepath.Base(f.path) != "mcp.json": // one file is to be created
						write(t, f.path, []byte("{\n  \"hooks\": {}\n}\n"), 0o600)
					}
				}
				plan := must[Plan](t)(PlanInstall(target))
				if verb == "remove" {
					apply(t, plan)
					plan = must[Plan](t)(PlanRemove(target))
				}
				cmd := exec.Command(must[string](t)(os.Executable()))
				cmd.Env = append(os.Environ(), killHome+"="+target.Home, killHost+"="+host, killVerb+"="+verb, killAt+"="+strconv.Itoa(step))
				err := cmd.Run()
				wholeOrOld(t, plan, verb+" killed at step "+strconv.Itoa(step))
				if err == nil { // it came to its end
					if step < 10 {
						t.Errorf("%s %s ended after %d steps", host, verb, step-1)
					}
					break
				}
				var exit *exec.ExitError
				if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
					t.Fatalf("%s %s, step %d: %v", host, verb, step, err)
				}
				apply(t, must[Plan](t)(PlanInstall(target)))
				found := must[Found](t)(Inspect(target))
				if found.Server.State != Present || found.Events[0].State != Present {
					t.Errorf("%s %s killed at step %d: another installation does not mend it", host, verb, step)
				}
				for _, p := range tree(t, target.Home) {
					if strings.HasPrefix(filepath.Base(p), tempPrefix) {
						t.Errorf("%s %s killed at step %d: %s stays", host, verb, step, p)
					}
				}
			}
		}
	}
}
