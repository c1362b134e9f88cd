package projects_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"board/internal/projects"
)

// repositories is a world without a store.
func repositories(t *testing.T) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	return &world{t: t, root: root}
}

// tell runs git and returns what it prints, "" if it refuses.
func (w *world) tell(dir string, args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", w.path(dir), "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_EDITOR=true")
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(out), "\r\n")
}

// read returns a file's text.
func (w *world) read(rel string) string {
	w.t.Helper()
	b, err := os.ReadFile(w.path(rel))
	must(w.t, err)
	return string(b)
}

// commit adds a file with that name and returns the new commit.
func (w *world) commit(dir, name string) string {
	w.t.Helper()
	w.write(dir+"/"+name, name)
	w.git(dir, "add", ".")
	w.git(dir, "commit", "-q", "-m", name)
	return w.tell(dir, "rev-parse", "HEAD")
}

// agrees checks HeadOf against git in one directory, and returns it.
func (w *world) agrees(dir string) projects.Head {
	w.t.Helper()
	got := projects.HeadOf(w.path(dir))
	want := projects.Head{
		Worktree: filepath.FromSlash(w.tell(dir, "rev-parse", "--show-toplevel")),
		Branch:   w.tell(dir, "branch", "--show-current"),
		Commit:   w.tell(dir, "rev-parse", "--verify", "-q", "HEAD"),
	}
	if got != want {
		w.t.Errorf("HeadOf(%s) = %+v\ngit says %+v", dir, got, want)
	}
	return got
}

// TestHeadOfSaysWhatGitSays: each row brings a repository into a state, and tells what is to be known there: the branch, the
// commit, or both.
func TestHeadOfSaysWhatGitSays(t *testing.T) {
	for _, c := range []struct {
		name  string
		dir   string // looked at; "" for the repository itself
		state func(w *world)
		known string
	}{
		{"a repository", "", func(w *world) { w.repo("r") }, "branch commit"},
		{"a folder in it", "r/sub/deep", func(w *world) { w.repo("r"); w.mkdir("r/sub/deep") }, "branch commit"},
		{"through a link", "link", func(w *world) { w.repo("r"); must(w.t, os.Symlink("r", w.path("link"))) }, "branch commit"},
		{"no commit yet", "", func(w *world) { w.mkdir("r"); w.git("r", "init", "-q") }, "branch"},
		{"no commit yet on a branch of that name", "", func(w *world) {
			w.mkdir("r")
			w.git("r", "init", "-q", "-b", "feature/first")
		}, "branch"},
		{"another branch", "", func(w *world) { w.repo("r"); w.git("r", "checkout", "-q", "-b", "feature/x"); w.commit("r", "b") }, "branch commit"},
		{"letters of another script", "", func(w *world) { w.repo("r"); w.git("r", "checkout", "-q", "-b", "zażółć/日本") }, "branch commit"},
		{"a branch without commits beside one that has some", "", func(w *world) { w.repo("r"); w.git("r", "checkout", "-q", "--orphan", "new") }, "branch"},
		{"detached", "", func(w *world) { w.repo("r"); w.commit("r", "b"); w.git("r", "checkout", "-q", "HEAD~1") }, "commit"},
		{"at a tag with a name like a branch", "", func(w *world) {
			w.repo("r")
			w.git("r", "tag", "-a", "-m", "x", "v1")
			w.git("r", "checkout", "-q", "v1")
		}, "commit"},
		{"in the middle of a rebase", "", func(w *world) {
			w.repo("r")
			w.commit("r", "b")
			w.commit("r", "c")
			if w.tell("r", "rebase", "--exec", "false", "HEAD~2"); w.tell("r", "rev-parse", "--git-path", "rebase-merge") == "" {
				w.t.Fatal("no rebase")
			}
			w.read("r/.git/rebase-merge/head-name")
		}, "commit"},
		{"in the middle of a bisection", "", func(w *world) {
			w.repo("r")
			for _, name := range []string{"b", "c", "d"} {
				w.commit("r", name)
			}
			w.git("r", "bisect", "start", "HEAD", "HEAD~3")
		}, "commit"},
		{"refs are packed", "", func(w *world) {
			w.repo("r")
			for _, name := range []string{"a", "main2", "zz"} {
				w.git("r", "branch", name)
			}
			w.commit("r", "b")
			w.git("r", "tag", "-a", "-m", "x", "v1")
			w.git("r", "pack-refs", "--all")
		}, "branch commit"},
		{"packed, and a commit since", "", func(w *world) { w.repo("r"); w.git("r", "pack-refs", "--all"); w.commit("r", "b") }, "branch commit"},
		{"packed, in no order", "", func(w *world) {
			w.repo("r")
			w.git("r", "checkout", "-q", "-b", "b")
			w.git("r", "branch", "z")
			w.git("r", "pack-refs", "--all")
			var lines []string
			for line := range strings.Lines(w.read("r/.git/packed-refs")) {
				if line[0] != '#' {
					lines = append([]string{line}, lines...)
				}
			}
			w.write("r/.git/packed-refs", "# pack-refs with: peeled \n"+strings.Join(lines, ""))
		}, "branch commit"},
		{"packed, and the branch is not in it", "", func(w *world) {
			w.repo("r")
			w.git("r", "pack-refs", "--all")
			w.git("r", "checkout", "-q", "--orphan", "a")
		}, "branch"},
		{"packed, and the folder of its name is left", "", func(w *world) {
			w.repo("r")
			w.git("r", "checkout", "-q", "-b", "feature")
			w.git("r", "pack-refs", "--all")
			w.mkdir("r/.git/refs/heads/feature")
		}, "branch commit"},
		{"a linked work tree", "tree", func(w *world) {
			w.repo("r")
			w.git("r", "worktree", "add", "-q", "-b", "other", w.path("tree"))
			w.commit("tree", "b")
		}, "branch commit"},
		{"a linked work tree, packed", "tree", func(w *world) {
			w.repo("r")
			w.git("r", "worktree", "add", "-q", w.path("tree"))
			w.commit("tree", "b")
			w.git("r", "pack-refs", "--all")
		}, "branch commit"},
		{"a linked work tree, detached", "tree", func(w *world) {
			w.repo("r")
			w.git("r", "worktree", "add", "-q", "--detach", w.path("tree"))
			w.commit("r", "b")
		}, "commit"},
		{"a work tree of a bare repository", "tree", func(w *world) {
			w.repo("r")
			w.git("", "clone", "-q", "--bare", "r", "bare.git")
			w.git("bare.git", "worktree", "add", "-q", "-b", "t", w.path("tree"))
		}, "branch commit"},
		{"a submodule", "r/mods/lib", func(w *world) {
			w.repo("lib")
			w.commit("lib", "b")
			w.repo("r")
			w.git("r", "submodule", "-q", "add", w.path("lib"), "mods/lib")
		}, "branch commit"},
		{"a submodule, as an update leaves it", "r/mods/lib", func(w *world) {
			w.repo("lib")
			w.repo("r")
			w.git("r", "submodule", "-q", "add", w.path("lib"), "mods/lib")
			w.git("r/mods/lib", "checkout", "-q", "--detach")
		}, "commit"},
		{"a separate git directory", "tree", func(w *world) {
			w.mkdir("tree")
			w.git("tree", "init", "-q", "--separate-git-dir", w.path("gitdir"))
			w.commit("tree", "a")
		}, "branch commit"},
		{"a clone", "clone", func(w *world) { w.repo("r"); w.git("", "clone", "-q", "r", "clone") }, "branch commit"},
		{"ids of SHA-256", "", func(w *world) { w.mkdir("r"); w.git("r", "init", "-q", "--object-format=sha256"); w.commit("r", "a") }, "branch commit"},
		{"ids of SHA-256, packed", "", func(w *world) {
			w.mkdir("r")
			w.git("r", "init", "-q", "--object-format=sha256")
			w.commit("r", "a")
			w.git("r", "pack-refs", "--all")
		}, "branch commit"},
		{"a branch that stands for another", "", func(w *world) {
			w.repo("r")
			w.git("r", "branch", "real")
			w.git("r", "symbolic-ref", "refs/heads/alias", "refs/heads/real")
			w.git("r", "symbolic-ref", "HEAD", "refs/heads/alias")
		}, "branch commit"},
		{"a branch that stands for a packed one", "", func(w *world) {
			w.repo("r")
			w.git("r", "branch", "real")
			w.git("r", "symbolic-ref", "refs/heads/alias", "refs/heads/real")
			w.git("r", "pack-refs", "--all")
			w.git("r", "symbolic-ref", "HEAD", "refs/heads/alias")
		}, "branch commit"},
		{"as many that stand for one another as git follows", "", func(w *world) { w.repo("r"); w.chain("r", 4) }, "branch commit"},
		{"HEAD outside of the branches", "", func(w *world) {
			w.repo("r")
			w.git("r", "update-ref", "refs/remotes/origin/main", "HEAD")
			w.write("r/.git/HEAD", "ref: refs/remotes/origin/main\n")
		}, "commit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := repositories(t)
			c.state(w)
			dir := c.dir
			if dir == "" {
				dir = "r"
			}
			got := w.agrees(dir)
			if (got.Branch != "") != strings.Contains(c.known, "branch") || (got.Commit != "") != strings.Contains(c.known, "commit") || got.Worktree == "" {
				t.Errorf("%+v, want to know: %s", got, c.known)
			}
		})
	}
}

// chain makes HEAD lead through n branches, the last of which has a commit.
func (w *world) chain(dir string, n int) {
	w.t.Helper()
	w.git(dir, "branch", "-f", "c"+string(rune('0'+n)), "HEAD")
	for i := n - 1; i > 0; i-- {
		w.write(dir+"/.git/refs/heads/c"+string(rune('0'+i)), "ref: refs/heads/c"+string(rune('1'+i))+"\n")
	}
	w.write(dir+"/.git/HEAD", "ref: refs/heads/c1\n")
}

// TestHeadOfFollowsTheWork: the same directory, from its first commit to a packed and a detached one.
func TestHeadOfFollowsTheWork(t *testing.T) {
	w := repositories(t)
	w.mkdir("r")
	w.git("r", "init", "-q")
	seen := map[projects.Head]string{w.agrees("r"): "init"}
	for _, step := range []struct {
		name string
		args []string
	}{
		{"the first commit", []string{"commit", "-q", "--allow-empty", "-m", "one"}},
		{"a branch", []string{"checkout", "-q", "-b", "feature/x"}},
		{"a commit on it", []string{"commit", "-q", "--allow-empty", "-m", "two"}},
		{"an amended commit", []string{"commit", "-q", "--amend", "--allow-empty", "-m", "three"}},
		{"detached", []string{"checkout", "-q", "--detach"}},
	} {
		w.git("r", step.args...)
		h := w.agrees("r")
		if before, ok := seen[h]; ok {
			t.Errorf("after %s it is what it was after %s: %+v", step.name, before, h)
		}
		seen[h] = step.name
		w.git("r", "pack-refs", "--all")
		if packed := w.agrees("r"); packed != h {
			t.Errorf("after %s: %+v, and packed %+v", step.name, h, packed)
		}
	}
}

// TestWhatHeadOfDoesNotKnow: of a damaged or hostile repository nothing is told but its work tree, and nothing waits.
func TestWhatHeadOfDoesNotKnow(t *testing.T) {
	const id = "0123456789abcdef0123456789abcdef01234567"
	long := strings.Repeat("x", 1100)
	for _, c := range []struct {
		name         string
		spoil        func(w *world)
		branch, head string
	}{
		{"refs in another format", func(w *world) { w.write("r/.git/HEAD", "ref: refs/heads/.invalid\n") }, "", ""},
		{"no HEAD", func(w *world) { must(w.t, os.Remove(w.path("r/.git/HEAD"))) }, "", ""},
		{"an empty HEAD", func(w *world) { w.write("r/.git/HEAD", "") }, "", ""},
		{"a HEAD of something else", func(w *world) { w.write("r/.git/HEAD", "\x00\x01\xff\xfe\n") }, "", ""},
		{"a HEAD with prose", func(w *world) { w.write("r/.git/HEAD", "the main branch\n") }, "", ""},
		{"a HEAD of half an id", func(w *world) { w.write("r/.git/HEAD", id[:39]+"\n") }, "", ""},
		{"a HEAD as long as an id", func(w *world) { w.write("r/.git/HEAD", strings.Repeat("g", 40)+"\n") }, "", ""},
		{"a huge HEAD", func(w *world) { w.write("r/.git/HEAD", "ref: refs/heads/"+strings.Repeat("x", 1<<20)) }, "", ""},
		{"a very long name", func(w *world) { w.write("r/.git/HEAD", "ref: refs/heads/"+long+"\n") }, "", ""},
		{"a HEAD that is a pipe", func(w *world) { must(w.t, os.Remove(w.path("r/.git/HEAD"))); mkfifo(w.t, w.path("r/.git/HEAD")) }, "", ""},
		{"a HEAD that is a folder", func(w *world) { must(w.t, os.Remove(w.path("r/.git/HEAD"))); w.mkdir("r/.git/HEAD") }, "", ""},
		{"HEAD leads out of the repository", func(w *world) {
			w.write("secret", id+"\n")
			w.write("r/.git/HEAD", "ref: refs/../../../secret\n")
		}, "", ""},
		{"HEAD leads to an absolute path", func(w *world) {
			w.write("secret", id+"\n")
			w.write("r/.git/HEAD", "ref: "+w.path("secret")+"\n")
		}, "", ""},
		{"HEAD leads to itself", func(w *world) { w.write("r/.git/HEAD", "ref: HEAD\n") }, "", ""},
		{"a branch that stands for itself", func(w *world) { w.write("r/.git/refs/heads/main", "ref: refs/heads/main\n") }, "", ""},
		{"more that stand for one another than git follows", func(w *world) { w.chain("r", 5) }, "", ""},
		{"an escape in a name", func(w *world) { w.write("r/.git/HEAD", "ref: refs/heads/a\x1b[31m\n") }, "", ""},
		{"a space in a name", func(w *world) { w.write("r/.git/HEAD", "ref: refs/heads/a b\n") }, "", ""},
		{"a name that git does not give", func(w *world) { w.write("r/.git/HEAD", "ref: refs/heads/a.lock\n") }, "", ""},
		{"letters that turn the text around", func(w *world) { w.write("r/.git/HEAD", "ref: refs/heads/a\u202eb\n") }, `a\u{202e}b`, ""},
		{"bytes that are no text", func(w *world) { w.write("r/.git/HEAD", "ref: refs/heads/a\xffb\n") }, "a\uFFFDb", ""},
		{"a branch of something else", func(w *world) { w.write("r/.git/refs/heads/main", "nothing of git's\n") }, "main", ""},
		{"an empty branch, as a lost write leaves it", func(w *world) {
			w.git("r", "pack-refs", "--all")
			w.write("r/.git/refs/heads/main", "")
		}, "main", ""},
		{"a branch that is a pipe", func(w *world) {
			must(w.t, os.Remove(w.path("r/.git/refs/heads/main")))
			mkfifo(w.t, w.path("r/.git/refs/heads/main"))
		}, "main", ""},
		{"packed refs that are a pipe", func(w *world) {
			must(w.t, os.Remove(w.path("r/.git/refs/heads/main")))
			mkfifo(w.t, w.path("r/.git/packed-refs"))
		}, "main", ""},
		{"packed refs of one long line", func(w *world) { w.pack(strings.Repeat("x", 1<<20) + "\n" + id + " refs/heads/main\n") }, "main", ""},
		{"packed refs with another's end", func(w *world) { w.pack(id + " refs/heads/main2\n" + id + " xrefs/heads/main\n") }, "main", ""},
		{"packed refs that end in the middle", func(w *world) { w.pack(id + " refs/heads/main") }, "main", ""},
		{"a note in the packed refs", func(w *world) { w.pack("# refs/heads/main\n" + id + " refs/heads/main\n") }, "main", id},
		{"packed refs whose part that is read does not hold it", func(w *world) {
			w.pack(strings.Repeat(id+" refs/heads/a\n", 8<<20/50) + id + " refs/heads/main\n")
		}, "main", ""},
		{"a large part that does", func(w *world) {
			w.pack(strings.Repeat(id+" refs/heads/a\n", 100_000) + id + " refs/heads/main\n")
		}, "main", id},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := repositories(t)
			w.repo("r")
			w.git("r", "checkout", "-q", "-B", "main")
			c.spoil(w)
			if got, want := projects.HeadOf(w.path("r")), (projects.Head{Worktree: w.path("r"), Branch: c.branch, Commit: c.head}); got != want {
				t.Errorf("HeadOf = %+v, want %+v", got, want)
			}
		})
	}
}

// pack puts a text in the place of the packed refs, and takes the branch away.
func (w *world) pack(refs string) {
	w.t.Helper()
	must(w.t, os.Remove(w.path("r/.git/refs/heads/main")))
	w.write("r/.git/packed-refs", refs)
}

func TestHeadOfOutsideOfARepository(t *testing.T) {
	w := repositories(t)
	w.mkdir("plain")
	w.write("plain/file", "")
	w.mkdir("lost")
	w.write("lost/.git", "gitdir: /nowhere/at/all\n")
	for _, dir := range []string{w.path("plain"), w.path("plain/file"), w.path("gone"), w.path("lost"), "", "\x00", strings.Repeat("/d", 5000)} {
		if got := projects.HeadOf(dir); got != (projects.Head{}) {
			t.Errorf("HeadOf(%.40q) = %+v, want nothing", dir, got)
		}
	}
}

func TestDiffLine(t *testing.T) {
	a, b := strings.Repeat("0123456789abcdef", 3)[:40], strings.Repeat("fedcba98", 8)
	for _, c := range []struct{ name, worktree, from, to, want string }{
		{"two commits", "/work/web", a, a[1:] + "0", "git -C /work/web diff 0123456789ab..123456789abc"},
		{"ids of SHA-256", "/work/web", b, b[1:] + "0", "git -C /work/web diff fedcba98fedc..edcba98fedcb"},
		{"the same commit", "/work/web", a, a, ""},
		{"the start is not known", "/work/web", "", b, ""},
		{"the end is not known", "/work/web", a, "", ""},
		{"the work tree is not known", "", a, b, ""},
		{"what is no id", "/work/web", "--output=/etc/passwd", b, ""},
		{"a name with a line end", "/work/a\nb", a, b, ""},
		{"a name that hides letters", "/work/a\u202eb", a, b, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := projects.DiffLine(c.worktree, c.from, c.to); got != c.want {
				t.Errorf("DiffLine = %q, want %q", got, c.want)
			}
		})
	}
}

// TestDiffLineRuns: a shell takes the line, and git says what changed.
func TestDiffLineRuns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the name is none for a file there, and sh is no shell of the system")
	}
	w := repositories(t)
	w.repo("it's a $HOME `x`")
	from := w.agrees("it's a $HOME `x`")
	w.commit("it's a $HOME `x`", "added.go")
	to := w.agrees("it's a $HOME `x`")
	line := projects.DiffLine(to.Worktree, from.Commit, to.Commit)
	out, err := exec.Command("sh", "-c", line+" --name-only").CombinedOutput()
	if err != nil || string(out) != "added.go\n" {
		t.Errorf("%s\nsays %q (%v)", line, out, err)
	}
}
