package projects

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxGitFile bounds what is read of a .git or commondir file: one line with a path.
const maxGitFile = maxPath + 16

// maxLinks bounds the symbolic links that lead to one file, as Linux does (ELOOP).
const maxLinks = 40

// candidate is a directory that may be registered: its identity, the work tree it was met in, and that one's own git
// directory, "" where there is no git.
type candidate struct{ identity, root, git string }

// Identify returns the identity of the repository that dir is in, its resolved git common directory, and the root of
// the work tree. Work trees of one repository have one identity; a submodule has its own. Without git both are the
// resolved dir itself. A directory that does not exist is a NoProject fault.
func Identify(dir string) (identity, worktree string, err error) {
	at, err := resolveDir(dir)
	if err != nil {
		return "", "", err
	}
	cs, err := climb(at, true)
	if err != nil {
		return "", "", err
	}
	for _, c := range cs {
		if c.git != "" {
			return c.identity, c.root, nil
		}
	}
	return at, at, nil
}

// climb returns, innermost first, what may be registered at or above the resolved directory at: the repository of
// each .git, and each directory itself, for those without git. With nearest it stops at the first .git. A .git that
// leads nowhere (its main clone was moved or deleted) is no repository, and hides those around it as it does for git.
func climb(at string, nearest bool) ([]candidate, error) {
	var cs []candidate
	for d := at; ; d = filepath.Dir(d) {
		git, common, found := gitDirs(d)
		if found && common == "" && nearest {
			return nil, noProject(at)
		}
		if common != "" {
			cs = append(cs, candidate{common, d, git})
		}
		if filepath.Base(d) != ".git" { // else a file of the repository itself would seem to have its work tree there
			cs = append(cs, candidate{d, d, ""})
		}
		if found && nearest || filepath.Dir(d) == d {
			return cs, nil
		}
	}
}

// gitDirs returns the git directory of the work tree that has its root at d, and the resolved common directory of its
// repository: two directories for a linked work tree, else one. found tells that d has a .git; common is "" if that leads
// nowhere.
func gitDirs(d string) (git, common string, found bool) {
	git = filepath.Join(d, ".git")
	st, err := os.Stat(git)
	switch {
	case err != nil:
		return "", "", false
	case st.Mode().IsRegular(): // a linked work tree, a submodule, or git init --separate-git-dir
		line, ok := strings.CutPrefix(firstLine(git), "gitdir:")
		if git = strings.TrimSpace(line); !ok || git == "" {
			return "", "", true
		}
		if !filepath.IsAbs(git) {
			git = filepath.Join(d, git)
		}
	case !st.IsDir():
		return "", "", false
	}
	common = git
	if line := firstLine(filepath.Join(git, "commondir")); line != "" {
		if common = line; !filepath.IsAbs(common) {
			common = filepath.Join(git, common)
		}
	}
	common, err = filepath.EvalSymlinks(common)
	if err != nil {
		return "", "", true
	}
	return git, common, true
}

// openRegular opens a file for reading, nil if there is none. Anything but a regular file is left alone: a pipe would
// never end.
func openRegular(path string) *os.File {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	return f
}

// firstLine returns the first line of a small file, "" if there is none.
func firstLine(path string) string {
	f := openRegular(path)
	if f == nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, maxGitFile))
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimRight(line, "\r")
}

// resolveDir returns dir with every symbolic link resolved.
func resolveDir(dir string) (string, error) {
	if dir == "" || len(dir) > maxPath || strings.ContainsRune(dir, 0) {
		return "", noProject(dir)
	}
	abs := dir
	if !filepath.IsAbs(dir) {
		var err error
		if abs, err = filepath.Abs(dir); err != nil { // the working directory was deleted
			return "", noProject(dir)
		}
	}
	r, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", noProject(dir)
	}
	if st, err := os.Stat(r); err != nil || !st.IsDir() {
		return "", noProject(dir)
	}
	return filepath.Clean(r), nil
}

// resolveFile resolves every symbolic link in an absolute path, as the kernel does: ".." after a link is the parent of
// where the link leads. What does not exist, an edited file that was deleted again, is put below its nearest existing
// parent. "" means that the links do not end.
func resolveFile(path string, links int) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return filepath.Clean(r)
	}
	if links > maxLinks {
		return ""
	}
	for len(path) > 0 && os.IsPathSeparator(path[len(path)-1]) {
		path = path[:len(path)-1]
	}
	dir, base := filepath.Split(path)
	if base == "" || dir == "" {
		return filepath.Clean(path + string(filepath.Separator)) // the root of a volume
	}
	if target, err := os.Readlink(path); err == nil { // leads to a file that does not exist
		if !filepath.IsAbs(target) {
			target = dir + target // not Join, which would take ".." by its spelling
		}
		return resolveFile(target, links+1)
	}
	parent := resolveFile(dir, links)
	switch {
	case parent == "":
		return ""
	case base == "..":
		return filepath.Dir(parent)
	}
	return filepath.Join(parent, base)
}
