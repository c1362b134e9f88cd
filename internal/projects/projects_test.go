package projects_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"board/internal/fault"
	"board/internal/projects"
	"board/internal/store"
)

// world is a folder with real repositories, and a store beside it.
type world struct {
	t    *testing.T
	root string
	db   *store.DB
}

func newWorld(t *testing.T) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	db, err := store.Open(context.Background(), store.Options{
		Path: filepath.Join(root, "data", "board", "board.db"), Now: time.Now, Person: "ada", Machine: "m",
	})
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	return &world{t, root, db}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) path(rel string) string {
	if rel == "" {
		return w.root
	}
	return w.root + string(filepath.Separator) + filepath.FromSlash(rel) // keeps ".."
}

func (w *world) mkdir(rel string) string {
	w.t.Helper()
	must(w.t, os.MkdirAll(w.path(rel), 0o755))
	return w.path(rel)
}

func (w *world) write(rel, content string) {
	w.t.Helper()
	w.mkdir(filepath.Dir(rel))
	must(w.t, os.WriteFile(w.path(rel), []byte(content), 0o644))
}

func (w *world) git(dir string, args ...string) {
	w.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", w.path(dir), "-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// repo makes a repository with one commit.
func (w *world) repo(rel string) string {
	w.t.Helper()
	w.mkdir(rel)
	w.git(rel, "init", "-q")
	w.write(rel+"/a.go", "package a\n")
	w.git(rel, "add", ".")
	w.git(rel, "commit", "-q", "-m", "one")
	return w.path(rel)
}

func (w *world) register(rel, prefix string) projects.Project {
	w.t.Helper()
	p, _, err := w.tryRegister(rel, prefix)
	must(w.t, err)
	return p
}

func (w *world) tryRegister(rel, prefix string) (p projects.Project, created bool, err error) {
	err = w.db.Write(context.Background(), func(ctx context.Context, tx *store.Tx) error {
		p, created, err = projects.Register(ctx, tx, w.path(rel), prefix, "")
		return err
	})
	return p, created, err
}

func (w *world) join(rel, prefix string) (p projects.Project, err error) {
	err = w.db.Write(context.Background(), func(ctx context.Context, tx *store.Tx) error {
		p, err = projects.Join(ctx, tx, w.path(rel), prefix)
		return err
	})
	return p, err
}

// find returns the prefix, or the code of the fault.
func (w *world) find(dir string) string {
	w.t.Helper()
	p, err := projects.Find(context.Background(), w.db.SQL(), dir)
	if err != nil {
		return string(fault.CodeOf(err))
	}
	return p.Prefix
}

func (w *world) history(event string) (n int) {
	w.t.Helper()
	must(w.t, w.db.SQL().QueryRow("SELECT count(*) FROM history WHERE entity = 'project' AND event = ? AND person = 'ada'", event).Scan(&n))
	return n
}

func TestFind(t *testing.T) {
	w := newWorld(t)
	w.repo("code/web")
	w.repo("code/web-2")
	w.repo("code/lib")
	w.git("code/web", "worktree", "add", "-q", w.path("trees/web-feature"))
	w.git("code/web", "worktree", "add", "-q", w.path("code/web/.claude/worktrees/inner"))
	w.git("code/web", "submodule", "-q", "add", w.path("code/lib"), "vendor/lib")
	w.mkdir("code/web/deep/down")
	w.mkdir("code/bare-home")
	w.git("code", "clone", "-q", "--bare", "web", "bare.git")
	w.git("code/bare.git", "worktree", "add", "-q", w.path("trees/of-bare"), "HEAD")
	w.mkdir("notes/2026")
	w.repo("notes/clone")
	w.mkdir("elsewhere")
	w.mkdir("separate/tree")
	w.git("separate", "init", "-q", "--separate-git-dir", w.path("separate/gitdir"), w.path("separate/tree"))
	must(t, os.Symlink(w.path("code/web"), w.path("link")))
	must(t, os.Symlink(w.path("code/web/deep"), w.path("elsewhere/deep")))
	w.mkdir("fake")
	must(t, os.WriteFile(w.path("fake/.git"), []byte("gitdir: /nowhere/at/all\n"), 0o644))
	w.mkdir("code/web/broken")
	must(t, os.WriteFile(w.path("code/web/broken/.git"), []byte("not a gitdir line\n"), 0o644))

	w.register("code/web", "WEB")
	w.register("trees/of-bare", "BARE")
	w.register("notes", "NOTE")
	w.register("separate/tree", "SEP")

	for _, c := range []struct{ name, dir, want string }{
		{"the root of the work tree", "code/web", "WEB"},
		{"a directory below it", "code/web/deep/down", "WEB"},
		{"the git directory itself", "code/web/.git/refs", "WEB"},
		{"a sibling whose name starts the same", "code/web-2", "no_project"},
		{"a linked work tree", "trees/web-feature", "WEB"},
		{"a linked work tree inside the main one", "code/web/.claude/worktrees/inner", "WEB"},
		{"a submodule is its own repository", "code/web/vendor/lib", "no_project"},
		{"through a symbolic link", "link/deep", "WEB"},
		{"through a link into the middle", "elsewhere/deep/down", "WEB"},
		{"with .. after a link, as the kernel reads it", "elsewhere/deep/..", "WEB"},
		{"a work tree of a bare repository", "trees/of-bare", "BARE"},
		{"a bare repository", "code/bare.git", "BARE"},
		{"a directory without git", "notes", "NOTE"},
		{"below a directory without git", "notes/2026", "NOTE"},
		{"an unregistered clone in it", "notes/clone", "no_project"},
		{"a separate git directory", "separate/tree", "SEP"},
		{"not registered", "elsewhere", "no_project"},
		{"above all of them", "", "no_project"},
		{"deleted", "code/web/gone", "no_project"},
		{"a file", "code/web/a.go", "no_project"},
		{"a .git file that leads nowhere", "fake", "no_project"},
		{"a .git file with other content", "code/web/broken", "no_project"},
		{"a NUL", "code/web\x00", "no_project"},
		{"a very long path", strings.Repeat("d/", 5000), "no_project"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := w.find(w.path(c.dir)); got != c.want {
				t.Errorf("Find(%q) = %s, want %s", c.dir, got, c.want)
			}
		})
	}
	if got := w.find(""); got != "no_project" {
		t.Errorf(`Find("") = %s`, got)
	}
}

// A pipe in the place of a file of git's must not make a hook wait for ever.
func TestAPipeIsNotRead(t *testing.T) {
	w := newWorld(t)
	w.mkdir("a")
	w.mkdir("b/.git")
	mkfifo(t, w.path("a/.git"))
	mkfifo(t, w.path("b/.git/commondir"))
	if got, _, err := projects.Identify(w.path("a")); got != w.path("a") {
		t.Errorf("a = %s, %v", got, err)
	}
	if got, _, err := projects.Identify(w.path("b")); got != w.path("b/.git") {
		t.Errorf("b = %s, %v", got, err)
	}
}

func TestIdentify(t *testing.T) {
	w := newWorld(t)
	w.repo("web")
	w.git("web", "worktree", "add", "-q", w.path("tree"))
	w.mkdir("tree/sub")
	w.mkdir("plain")
	for _, c := range []struct{ dir, identity, worktree string }{
		{"web", "web/.git", "web"},
		{"tree/sub", "web/.git", "tree"},
		{"plain", "plain", "plain"},
	} {
		identity, worktree, err := projects.Identify(w.path(c.dir))
		if err != nil || identity != w.path(c.identity) || worktree != w.path(c.worktree) {
			t.Errorf("Identify(%s) = %s, %s, %v", c.dir, identity, worktree, err)
		}
	}
	// git can write relative gitdir and commondir lines.
	w.git("web", "config", "worktree.useRelativePaths", "true")
	must(t, os.WriteFile(w.path("tree/.git"), []byte("gitdir: ../web/.git/worktrees/tree\r\n"), 0o644))
	if identity, _, err := projects.Identify(w.path("tree")); identity != w.path("web/.git") {
		t.Errorf("a relative gitdir line: %s, %v", identity, err)
	}
	must(t, os.Rename(w.path("web"), w.path("moved")))
	if _, _, err := projects.Identify(w.path("tree")); !errors.Is(err, fault.Of(fault.NoProject)) {
		t.Errorf("a work tree whose clone was moved: %v", err)
	}
}

func TestRegister(t *testing.T) {
	w := newWorld(t)
	w.repo("web-shop")
	w.git("web-shop", "worktree", "add", "-q", w.path("tree"))
	w.mkdir("web-shop/sub")
	p, created, err := w.tryRegister("web-shop/sub", "")
	if err != nil || !created || p.Prefix != "WS" || p.Name != "web-shop" || p.Root != w.path("web-shop") || p.ID == 0 || p.CreatedAt == 0 {
		t.Fatalf("registered %+v, %v, %v", p, created, err)
	}
	if len(p.UUID) != 36 || p.UUID[14] != '7' {
		t.Errorf("UUID %s is not of version 7", p.UUID)
	}
	for _, c := range []struct{ dir, prefix string }{{"web-shop", ""}, {"tree", ""}, {"web-shop", "WS"}, {"web-shop", "ws"}} {
		if again, created, err := w.tryRegister(c.dir, c.prefix); err != nil || created || again != p {
			t.Errorf("registering it again from %s: %+v, %v, %v", c.dir, again, created, err)
		}
	}
	if n := w.history("register"); n != 1 {
		t.Errorf("%d history rows", n)
	}
	w.mkdir("other")
	for _, c := range []struct {
		name, dir, prefix string
		want              fault.Code
	}{
		{"another prefix for the same project", "tree", "OTHER", fault.Conflict},
		{"a prefix that is taken", "other", "WS", fault.Conflict},
		{"one letter", "other", "W", fault.Invalid},
		{"eleven letters", "other", "ABCDEFGHIJK", fault.Invalid},
		{"a digit first", "other", "1AB", fault.Invalid},
		{"a dash", "other", "A-B", fault.Invalid},
		{"an escape", "other", "A\x1b[2J", fault.Invalid},
		{"a directory that does not exist", "gone", "", fault.NoProject},
	} {
		if _, _, err := w.tryRegister(c.dir, c.prefix); fault.CodeOf(err) != c.want || strings.ContainsRune(err.Error(), 0x1b) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	var n int
	must(t, w.db.SQL().QueryRow("SELECT count(*) FROM projects").Scan(&n))
	if n != 1 {
		t.Errorf("%d projects after refusals", n)
	}
}

func TestJoin(t *testing.T) {
	w := newWorld(t)
	w.repo("web")
	w.git("", "clone", "-q", w.path("web"), w.path("clone"))
	w.repo("foreign")
	p := w.register("web", "WEB")
	w.used(w.register("foreign", "FOR"))
	if got := w.find(w.path("clone")); got != "no_project" {
		t.Fatalf("a clone is attached by itself: %s", got)
	}
	for range 2 {
		if got, err := w.join("clone", "web"); err != nil || got != p {
			t.Fatalf("join: %+v, %v", got, err)
		}
	}
	if n := w.history("join"); n != 1 {
		t.Errorf("%d history rows", n)
	}
	if got := w.find(w.path("clone")); got != "WEB" {
		t.Errorf("the clone belongs to %s", got)
	}
	if _, err := w.join("foreign", "WEB"); !errors.Is(err, fault.Of(fault.Conflict)) {
		t.Errorf("a repository of another project: %v", err)
	}
	if _, err := w.join("clone", "NONE"); !errors.Is(err, fault.Of(fault.NotFound)) {
		t.Errorf("an unknown prefix: %v", err)
	}

	must(t, os.Rename(w.path("web"), w.path("moved")))
	if got := w.find(w.path("moved")); got != "no_project" {
		t.Errorf("a moved clone is guessed: %s", got)
	}
	if got, err := w.join("moved", "WEB"); err != nil || got.Root != w.path("moved") {
		t.Errorf("join of a moved clone: %+v, %v", got, err)
	}
	if got, err := projects.ByPrefix(context.Background(), w.db.SQL(), "web"); err != nil || got.Root != w.path("moved") || got.UUID != p.UUID {
		t.Errorf("ByPrefix = %+v, %v", got, err)
	}
	all, err := projects.All(context.Background(), w.db.SQL())
	if err != nil || len(all) != 2 || all[0].Prefix != "FOR" || all[1].Prefix != "WEB" {
		t.Errorf("All = %+v, %v", all, err)
	}
}

// A directory that is registered before it becomes a repository stays the same project.
func TestGitInitLater(t *testing.T) {
	w := newWorld(t)
	w.mkdir("notes")
	w.register("notes", "NOTE")
	w.repo("notes")
	if got := w.find(w.path("notes")); got != "NOTE" {
		t.Errorf("after git init it belongs to %s", got)
	}
}
