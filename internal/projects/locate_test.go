package projects_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"board/internal/projects"
	"board/internal/store"
)

func (w *world) locate(path string) string {
	w.t.Helper()
	id, rel, ok, err := projects.Locate(context.Background(), w.db.SQL(), path)
	must(w.t, err)
	if !ok {
		if id != 0 || rel != "" {
			w.t.Errorf("not ok, and %d %q", id, rel)
		}
		return "-"
	}
	var prefix string
	must(w.t, w.db.SQL().QueryRow("SELECT prefix FROM projects WHERE id = ?", id).Scan(&prefix))
	return prefix + ":" + rel
}

func TestLocate(t *testing.T) {
	w := newWorld(t)
	w.repo("repo")
	w.repo("repo-2")
	w.repo("lib")
	w.repo("vendored")
	w.git("repo", "worktree", "add", "-q", w.path("trees/feature"))
	w.git("repo", "worktree", "add", "-q", w.path("repo/.claude/worktrees/inner"))
	w.git("repo", "submodule", "-q", "add", w.path("lib"), "mods/known")
	w.git("repo", "submodule", "-q", "add", w.path("vendored"), "mods/unknown")
	w.mkdir("notes/sub")
	w.mkdir("outside/dir")
	w.write("repo/src/x.go", "")
	w.write("outside/y.go", "")
	must(t, os.Symlink(w.path("repo"), w.path("link")))
	must(t, os.Symlink(w.path("repo/src"), w.path("outside/src")))
	must(t, os.Symlink(w.path("outside/y.go"), w.path("repo/out.go")))
	must(t, os.Symlink("../outside/dir/gone.go", w.path("repo/dangling.go")))
	must(t, os.Symlink("loop2", w.path("repo/loop1")))
	must(t, os.Symlink("loop1", w.path("repo/loop2")))
	w.register("repo", "REPO")
	w.register("repo/mods/known", "KNOWN")
	w.register("notes", "NOTE")

	for _, c := range []struct{ name, path, want string }{
		{"a file", "repo/src/x.go", "REPO:src/x.go"},
		{"a deleted file", "repo/src/gone.go", "REPO:src/gone.go"},
		{"a file in a deleted folder", "repo/a/b/c.go", "REPO:a/b/c.go"},
		{"a sibling whose name starts the same", "repo-2/a.go", "-"},
		{".. out of the repository", "repo/../repo-2/a.go", "-"},
		{".. into it", "repo-2/../repo/a.go", "REPO:a.go"},
		{".. behind what does not exist", "repo/a/b/../../../repo/c.go", "REPO:c.go"},
		{".. far above the root", "repo/" + strings.Repeat("../", 60) + "etc/passwd", "-"},
		{"through a link to the repository", "link/src/x.go", "REPO:src/x.go"},
		{"a deleted file through a link", "link/src/gone.go", "REPO:src/gone.go"},
		{"through a link into it", "outside/src/x.go", "REPO:src/x.go"},
		{".. after a link is the parent of its target", "outside/src/../a.go", "REPO:a.go"},
		{"the same with a deleted file", "outside/src/../gone/z.go", "REPO:gone/z.go"},
		{"a link that leads out", "repo/out.go", "-"},
		{"a link that leads to a deleted file outside", "repo/dangling.go", "-"},
		{"links without an end", "repo/loop1/x", "-"},
		{"a linked work tree", "trees/feature/a.go", "REPO:a.go"},
		{"a linked work tree inside the main one", "repo/.claude/worktrees/inner/a.go", "REPO:a.go"},
		{"a registered submodule", "repo/mods/known/a.go", "KNOWN:a.go"},
		{"an unregistered one: the innermost registered project", "repo/mods/unknown/a.go", "REPO:mods/unknown/a.go"},
		{"a directory without git", "notes/sub/n.md", "NOTE:sub/n.md"},
		{"the root itself", "repo", "-"},
		{"git's own files", "repo/.git/config", "REPO:.git/config"},
		{"a folder of board's", "repo/.board/notes.md", "-"},
		{"a file of board's", "repo/sub/.board.toml", "-"},
		{"a name like ours", "repo/board/x.go", "REPO:board/x.go"},
		{"a trailing slash", "repo/src/", "REPO:src"},
		{"a file as a folder", "repo/a.go/b", "REPO:a.go/b"},
		{"a NUL", "repo/a\x00.go", "-"},
		{"a very long path", "repo/" + strings.Repeat("d/", 5000), "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := w.locate(w.path(c.path)); got != c.want {
				t.Errorf("Locate(%q) = %s, want %s", c.path, got, c.want)
			}
		})
	}
	for _, p := range []string{"", "a.go", "./repo/a.go", "/"} {
		if got := w.locate(p); got != "-" {
			t.Errorf("Locate(%q) = %s", p, got)
		}
	}

	must(t, os.RemoveAll(w.path("repo/src")))
	if got := w.locate(w.path("repo/src/x.go")); got != "REPO:src/x.go" {
		t.Errorf("after its folder was deleted: %s", got)
	}
}

// Board's database may lie in a project: it is nobody's work, but its neighbours are.
func TestLocateOurOwnFiles(t *testing.T) {
	for _, c := range []struct {
		name, db string
		want     map[string]string
	}{
		{"the default folder", "repo/data/board/board.db", map[string]string{
			"repo/data/board/board.db": "-", "repo/data/board/board.db.spool/1.json": "-",
			"repo/data/board/anything": "-", "repo/data/x": "REPO:data/x", "repo/data/board2/x": "REPO:data/board2/x",
		}},
		{"a file beside the sources", "repo/my.db", map[string]string{
			"repo/my.db": "-", "repo/my.db-wal": "-", "repo/my.db.spool/1.json": "-", "repo/a.go": "REPO:a.go",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.repo("repo")
			w.mkdir(filepath.Dir(c.db))
			db, err := store.Open(context.Background(), store.Options{Path: w.path(c.db), Now: time.Now, Person: "ada", Machine: "m"})
			must(t, err)
			defer func() { must(t, db.Close()) }()
			w.db = db
			w.register("repo", "REPO")
			for path, want := range c.want {
				if got := w.locate(w.path(path)); got != want {
					t.Errorf("Locate(%s) = %s, want %s", path, got, want)
				}
			}
		})
	}
}
