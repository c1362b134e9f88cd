package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"board/internal/lab"
	"board/internal/projects"
	"board/internal/runs"
	"board/internal/store"
	"board/internal/storetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// world is what all tests share and none changes: the built programs, one repository, and an empty store per policy
// that knows that repository.
var world struct{ exact, patient, repo, always, defaults string }

func TestMain(m *testing.M) {
	flag.Parse()
	root, err := os.MkdirTemp("", "board-conformance-")
	if err == nil {
		if root, err = filepath.EvalSymlinks(root); err == nil {
			err = errors.Join(os.Chmod(root, 0o755), prepare(root)) // one test runs the programs as another user
		}
	}
	code := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	if err := os.RemoveAll(root); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func prepare(root string) error {
	var err error
	if world.exact, world.patient, err = build(root); err != nil {
		return err
	}
	if world.repo, err = repository(filepath.Join(root, "project")); err != nil {
		return err
	}
	world.always, world.defaults = filepath.Join(root, "always.db"), filepath.Join(root, "defaults.db")
	return errors.Join(
		template(world.always, world.repo, [2]string{"probe", "always"}, [2]string{"probe_gap", "0s"}),
		template(world.defaults, world.repo),
	)
}

// repository makes a git repository by hand, with the linked work tree that one recording was made in.
func repository(dir string) (string, error) {
	tree := filepath.Join(dir, ".claude", "worktrees", "feat1")
	link := filepath.Join(dir, ".git", "worktrees", "feat1")
	for _, d := range []string{filepath.Join(dir, ".git", "objects"), filepath.Join(dir, ".git", "refs"), link, tree, filepath.Join(dir, "sub", "deep")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return "", err
		}
	}
	return dir, errors.Join(
		os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600),
		os.WriteFile(filepath.Join(link, "commondir"), []byte("../..\n"), 0o600),
		os.WriteFile(filepath.Join(link, "gitdir"), []byte(filepath.Join(tree, ".git")+"\n"), 0o600),
		os.WriteFile(filepath.Join(link, "HEAD"), []byte("ref: refs/heads/feat1\n"), 0o600),
		os.WriteFile(filepath.Join(tree, ".git"), []byte("gitdir: "+link+"\n"), 0o600),
	)
}

// template makes an empty store that knows repo.
func template(path, repo string, settings ...[2]string) error {
	ctx := context.Background()
	db, err := store.Open(ctx, store.Options{Path: path, Now: time.Now, Person: "dev", Machine: "lab"})
	if err != nil {
		return err
	}
	err = db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		if _, _, err := projects.Register(ctx, tx, repo, "SHOP", "shop"); err != nil {
			return err
		}
		for _, s := range settings {
			if err := runs.SetConfig(ctx, tx, 0, "", s[0], s[1]); err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(err, db.Close())
}

// box is one home with one store.
type box struct {
	*lab.World
	host string
	db   *store.DB // opened by look
}

// newBox makes a home whose store is a copy of a template, "" for no store.
func newBox(t *testing.T, host, tmpl string) *box {
	t.Helper()
	root := t.TempDir()
	b := &box{host: host, World: &lab.World{
		Root: root, Bin: world.patient, Home: root, Repo: world.repo,
		DB: filepath.Join(root, ".local", "share", "board", "board.db"),
	}}
	if err := os.MkdirAll(filepath.Dir(b.DB), 0o700); err != nil {
		t.Fatal(err)
	}
	if tmpl != "" {
		data, err := os.ReadFile(tmpl)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(b.DB, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// impatient makes the box use the program as it is, with its time limits.
func (b *box) impatient() { b.Bin = world.exact }

// send gives one payload to the real hook program and returns what it printed. Whatever it is given, the program exits
// 0 and says nothing on standard error.
func (b *box) send(t *testing.T, payload []byte, env ...string) string {
	t.Helper()
	out := b.Hook(context.Background(), b.host, env, payload)
	if out.Code != 0 || out.Stderr != "" {
		t.Errorf("exit %d (%v), stderr %q, want 0 and nothing\npayload %.300s", out.Code, out.Err, out.Stderr, payload)
	}
	return out.Stdout
}

// look opens the store for the test's own eyes.
func (b *box) look(t *testing.T) *store.DB {
	t.Helper()
	if b.db == nil {
		db, err := store.Open(context.Background(), store.Options{Path: b.DB, Now: time.Now, Person: "dev", Machine: "lab"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			storetest.Sound(t, db)
			_ = db.Close()
		})
		b.db = db
	}
	return b.db
}

// here puts this machine's repository in the place of the recorded one.
func here(payload []byte) []byte {
	return []byte(strings.ReplaceAll(string(payload), lab.RecordedRepo, world.repo))
}

// hostEnv is a recorded environment, fit for this machine: a recorded process id may be alive here, so each becomes one
// that no system gives, still different where they were different.
func hostEnv(env map[string]string) []string {
	var out []string
	for k, v := range env {
		switch {
		case k == "HOME", k == "PATH", k == "PWD", k == "TMPDIR", k == "LANG":
			continue // the box's own
		case k == "CLAUDE_PID":
			v = "4200" + fmt.Sprintf("%06s", v)
		}
		out = append(out, k+"="+strings.ReplaceAll(v, lab.RecordedRepo, world.repo))
	}
	slices.Sort(out)
	return out
}

// fixture is one recorded payload with the environment in which the host sent it.
type fixture struct {
	name    string
	payload []byte
	env     []string
}

func loadFixtures(t *testing.T, host string) map[string]fixture {
	t.Helper()
	dir := filepath.Join("..", "testdata", host)
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var index map[string]struct {
		Env map[string]string `json:"env"`
	}
	if data, err := os.ReadFile(filepath.Join(dir, "index.json")); err == nil {
		if err := json.Unmarshal(data, &index); err != nil {
			t.Fatal(err)
		}
	}
	out := map[string]fixture{}
	for _, f := range files {
		base := filepath.Base(f)
		if base == "index.json" {
			continue
		}
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(base, ".json")
		out[name] = fixture{name: name, payload: here(data), env: hostEnv(index[base].Env)}
	}
	return out
}

func recording(t *testing.T, host, name string) []lab.Event {
	t.Helper()
	all, err := lab.Recording(filepath.Join("..", "testdata", host, "sequence."+name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		all[i].Payload = here(all[i].Payload)
	}
	return all
}

// inParallel runs fn for 0..n-1 on a few workers and waits.
func inParallel(n int, fn func(i int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range 4 {
		wg.Go(func() {
			for i := range next {
				fn(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}

// recordings names the recorded sessions of a host, sorted.
func recordings(t *testing.T, host string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "testdata", host, "sequence.*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range files {
		name, _ := strings.CutPrefix(filepath.Base(f), "sequence.")
		out = append(out, strings.TrimSuffix(name, ".jsonl"))
	}
	slices.Sort(out)
	return out
}
