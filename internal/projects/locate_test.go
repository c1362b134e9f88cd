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
	w.repo("repo/nested/known")
	w.repo("repo/nested/unknown")
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
	w.register("repo/nested/known", "NEST")
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
		{"a registered repository in another", "repo/nested/known/sub/a.go", "NEST:sub/a.go"},
		{"its own git files", "repo/nested/known/.git/HEAD", "NEST:.git/HEAD"},
		{"beside it", "repo/nested/a.go", "REPO:nested/a.go"},
		{".. out of it", "repo/nested/known/../a.go", "REPO:nested/a.go"},
		{"an unregistered repository in another: the innermost registered project", "repo/nested/unknown/a.go", "REPO:nested/unknown/a.go"},
		{"a deleted folder of one that is left", "repo/nested/known/gone/a.go", "NEST:gone/a.go"},
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

// ignoresCase reports whether two spellings of a name in dir are one file.
func (w *world) ignoresCase() bool {
	w.t.Helper()
	w.write("Spelling", "")
	_, err := os.Stat(w.path("sPELLING"))
	return err == nil
}

// respell renames a folder in case alone. What it was called before still leads to it, as on a volume that ignores case.
func (w *world) respell(from, to string) {
	w.t.Helper()
	must(w.t, os.Rename(w.path(from), w.path(to)))
	if !w.ignoresCase() {
		must(w.t, os.Symlink(filepath.Base(to), w.path(from)))
	}
}

// TestLocateInAnotherSpelling: a spelling other than that on record counts if both lead to the same directory.
func TestLocateInAnotherSpelling(t *testing.T) {
	w := newWorld(t)
	for _, dir := range []string{"Repo", "Żółć", "outer", "outer/Inner"} {
		w.repo(dir)
	}
	w.mkdir("plain/Inner")
	for dir, prefix := range map[string]string{"Repo": "REPO", "Żółć": "ZOL", "outer": "OUT", "outer/Inner": "IN"} {
		w.register(dir, prefix)
	}
	w.register("plain/Inner", "PIN")
	w.register("plain", "PLAIN") // later: inside of a project there is no other without git
	for from, to := range map[string]string{"Repo": "repo", "Żółć": "żółĆ", "outer/Inner": "outer/inner", "plain/Inner": "plain/inner"} {
		w.respell(from, to)
	}
	for _, c := range []struct{ name, path, want string }{
		{"today's", "repo/src/x.go", "REPO:src/x.go"},
		{"the one on record", "Repo/src/x.go", "REPO:src/x.go"},
		{"letters of another script", "żółĆ/src/x.go", "ZOL:src/x.go"},
		{"of a repository in another that is spelled as on record", "outer/inner/src/x.go", "IN:src/x.go"},
		{"of the one around it", "outer/src/x.go", "OUT:src/x.go"},
		{"of a directory without git in another", "plain/inner/src/x.go", "PIN:src/x.go"},
		{"of the directory around it", "plain/src/x.go", "PLAIN:src/x.go"},
		{"one that leads nowhere", "rEPO-2/src/x.go", "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &world{t: t, root: w.root, db: w.db}
			if got := w.locate(w.path(c.path)); got != c.want {
				t.Errorf("Locate(%s) = %s, want %s", c.path, got, c.want)
			}
			dir, _, _ := strings.Cut(c.path, "/src/")
			prefix, _, _ := strings.Cut(c.want, ":")
			if got := w.find(w.path(dir)); got != prefix && prefix != "-" {
				t.Errorf("Find(%s) = %s, want %s", dir, got, prefix)
			}
			if got := w.idOf(dir); got != prefix {
				t.Errorf("At(%s) = %s, want %s", dir, got, prefix)
			}
		})
	}
}

// idOf returns the prefix, "-" for no project.
func (w *world) idOf(dir string) string {
	w.t.Helper()
	spot, err := projects.At(context.Background(), w.db.SQL(), w.path(dir))
	id := spot.ProjectID
	must(w.t, err)
	all, err := projects.All(context.Background(), w.db.SQL())
	must(w.t, err)
	for _, p := range all {
		if p.ID == id {
			return p.Prefix
		}
	}
	return "-"
}

// TestNamesThatDifferInCaseAloneAreTwo where the volume has room for both.
func TestNamesThatDifferInCaseAloneAreTwo(t *testing.T) {
	w := newWorld(t)
	if w.ignoresCase() {
		t.Skip("the volume ignores case: there is one such directory")
	}
	for _, dir := range []string{"Repo", "repo", "Żółć", "żółć", "same"} {
		w.repo(dir)
	}
	w.repo("same/Repo")
	w.mkdir("same/repo")
	w.register("Repo", "BIG")
	w.register("Żółć", "ZOL")
	w.register("same", "SAME")
	w.register("same/Repo", "INNER")
	want := func(path, prefix string) {
		t.Helper()
		if got, _, _ := strings.Cut(w.locate(w.path(path+"/x.go")), ":"); got != prefix {
			t.Errorf("Locate(%s/x.go) = %s, want %s", path, got, prefix)
		}
		if got := w.idOf(path); got != prefix {
			t.Errorf("At(%s) = %s, want %s", path, got, prefix)
		}
	}
	want("Repo", "BIG")
	want("repo", "-")
	want("Żółć", "ZOL")
	want("żółć", "-")
	want("same/Repo", "INNER")
	want("same/repo", "SAME")
	w.register("repo", "SMALL")
	want("Repo", "BIG")
	want("repo", "SMALL")
}

// TestLocateOnAVolumeThatIgnoresCase: the usual one of macOS and Windows, else one that is mounted for it. It may also be
// that of TMPDIR.
func TestLocateOnAVolumeThatIgnoresCase(t *testing.T) {
	w := newWorld(t)
	if !w.ignoresCase() {
		if w.root = mountFolding(t); w.root == "" || !w.ignoresCase() {
			t.Skip("there is no volume here that ignores case")
		}
	}
	w.repo("Web")
	w.repo("Web/Vendored")
	w.repo("Żółć")
	w.mkdir("Notes")
	w.git("Web", "worktree", "add", "-q", w.path("Trees/Feature"))
	w.register("Web", "WEB")
	w.register("Web/Vendored", "VEND")
	w.register("Żółć", "ZOL")
	w.register("Notes", "NOTE")
	for _, c := range []struct{ name, path, want string }{
		{"as it is called", "Web/src/x.go", "WEB:src/x.go"},
		{"in small letters", "web/src/x.go", "WEB:src/x.go"},
		{"in large letters", "WEB/A.GO", "WEB:a.go"},
		{"letters of another script", "żÓŁĆ/a.go", "ZOL:a.go"},
		{"a repository in another", "Web/vendored/a.go", "VEND:a.go"},
		{"both in another spelling", "wEB/vENDORED/a.go", "VEND:a.go"},
		{".. out of it", "web/VENDORED/../a.go", "WEB:a.go"},
		{"a linked work tree", "trees/FEATURE/a.go", "WEB:a.go"},
		{"a directory without git", "NOTES/sub/n.md", "NOTE:sub/n.md"},
		{"a deleted folder", "WEB/gone/x.go", "WEB:gone/x.go"},
		{"a sibling whose name starts the same", "WEB-2/a.go", "-"},
	} {
		if got := w.locate(w.path(c.path)); !strings.EqualFold(got, c.want) { // no subtest: it would not see the volume
			t.Errorf("%s: Locate(%s) = %s, want %s", c.name, c.path, got, c.want)
		}
	}
	if again, created, err := w.tryRegister("wEB", ""); created || again.Prefix != "WEB" {
		t.Errorf("registered again in another spelling: %+v, %v, %v", again, created, err)
	}
}
