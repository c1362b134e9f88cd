package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"board/internal/store"
)

// Whoever repeats init changes nothing, and so waits for nobody.
func TestInitAgainNeedsNoLock(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "board.db")
	run := func(args ...string) (int, string) {
		var out, errs bytes.Buffer
		code := Run(context.Background(), Env{
			Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Cwd: dir, Now: time.Now, Person: "ada", Machine: "m",
			Getenv: func(name string) string { return map[string]string{"BOARD_DB": file}[name] },
		})
		return code, out.String() + errs.String()
	}
	if code, said := run("init", "--prefix", "WEB"); code != 0 {
		t.Fatal(code, said)
	}
	db, err := store.Open(context.Background(), store.Options{Path: file, Now: time.Now, Person: "ada", Machine: "m"})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Write(context.Background(), func(context.Context, *store.Tx) error {
		for _, args := range [][]string{{"init"}, {"init", "--prefix", "web"}, {"init", "--join", "WEB"}, {"init", "--no-input", "--json"}} {
			if code, said := run(args...); code != 0 || !strings.Contains(said, "WEB") {
				t.Errorf("board %v while another process writes: %d %s", args, code, said)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}
