package stress

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"board/internal/lab"
	"board/internal/store"
)

func TestMain(m *testing.M) {
	if os.Getenv("BOARD_SLOW") == "" {
		fmt.Println("skipped: BOARD_SLOW=1 runs the suites of many processes")
		os.Exit(m.Run())
	}
	os.Exit(build(m))
}

// build builds the programs as they are shipped, into a folder of this test. Under the race detector too: it is their
// transactions that race here, not the memory of one of them.
func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "board-stress-")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, p := range []string{"board", "board-hook"} {
		name := p
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		cmd := exec.Command("go", "build", "-buildvcs=false", "-o", filepath.Join(dir, name), "board/cmd/"+p)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			fmt.Printf("build %s: %v\n%s", p, err, out)
			return 1
		}
	}
	if err := os.Setenv(binEnv, dir); err != nil {
		fmt.Println(err)
		return 1
	}
	return m.Run()
}

const binEnv = "BOARD_STRESS_BIN"

// newWorld makes a world with one project, or skips the test.
func newWorld(t *testing.T) *lab.World {
	t.Helper()
	if os.Getenv("BOARD_SLOW") == "" {
		t.Skip("slow: set BOARD_SLOW=1")
	}
	w, err := lab.New(t.Context(), os.Getenv(binEnv))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func initProject(t *testing.T, w *lab.World) {
	t.Helper()
	if out := w.Board(t.Context(), "init", "--prefix", "TEST", "--no-input"); out.Err != nil {
		t.Fatalf("board init: %v %s", out.Err, out.Stderr)
	}
}

// prompt is a prompt of Codex, in a session of its own, which registers a run.
func prompt(w *lab.World, session string) []byte {
	data, err := json.Marshal(map[string]any{
		"hook_event_name": "UserPromptSubmit", "session_id": session, "turn_id": "turn-" + session, "cwd": w.Repo,
		"permission_mode": "default", "model": "any", "prompt": "work",
	})
	if err != nil {
		panic(err) // of strings
	}
	return data
}

// proof is what Codex adds to every call of that session's turn.
func proof(session string) map[string]any {
	return map[string]any{"x-codex-turn-metadata": map[string]any{
		"session_id": session, "thread_id": session, "turn_id": "turn-" + session,
	}}
}

func register(t *testing.T, w *lab.World, session string) {
	t.Helper()
	out := w.Hook(t.Context(), "codex", nil, prompt(w, session))
	if out.Err != nil || !strings.Contains(out.Stdout, "board: run run_") {
		t.Fatalf("prompt of %s: %v, stdout %q, stderr %q", session, out.Err, out.Stdout, out.Stderr)
	}
}

// look opens the store beside the programs, to look at what they left. It is closed again at once: a connection of this
// process would keep the log alive that a killed program leaves, and spare the next one its recovery.
func look(t *testing.T, w *lab.World, fn func(db *store.DB)) {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{Path: w.DB, Now: time.Now, Person: "test", Machine: "test"})
	if err != nil {
		t.Fatal(err)
	}
	fn(db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, db *store.DB, query string, args ...any) int {
	t.Helper()
	var n int
	if err := db.SQL().QueryRowContext(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}
