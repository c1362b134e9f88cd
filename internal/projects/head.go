package projects

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"board/internal/text"
)

// Head is what a work tree has checked out. What is not known is "": a wrong name would be worse than none.
type Head struct {
	Worktree string // its root, every symbolic link resolved; "" outside of a repository
	Branch   string // short, such as main or feature/x, safe to show; "" when HEAD is detached
	Commit   string // 40 or 64 hexadecimal digits in lower case; "" on a branch without a commit
}

const (
	maxRefName    = 1024    // bytes of the name of a ref; a longer one is not looked at
	maxSymbolic   = 5       // refs that are read one after another, HEAD the first, as git does
	maxPackedRefs = 8 << 20 // bytes that are read of packed-refs; what stands behind them is not known
)

// HeadOf returns what is checked out in the work tree around dir. Branches of a repository that keeps its refs in another
// format (reftable) are not known.
func HeadOf(dir string) Head {
	at, err := resolveDir(dir)
	if err != nil {
		return Head{}
	}
	cs, err := climb(at, true)
	if err != nil {
		return Head{}
	}
	return Spot{cs: cs}.Head()
}

// Head returns what is checked out there, out of a few small files of git's: every hook waits for it.
func (s Spot) Head() Head {
	for _, c := range s.cs {
		if c.git != "" {
			h := c.head()
			h.Worktree = c.root
			return h
		}
	}
	return Head{}
}

// head reads HEAD and the refs that it leads to.
func (c candidate) head() Head {
	line := firstLine(filepath.Join(c.git, "HEAD"))
	branch := ""
	for range maxSymbolic {
		target, symbolic := strings.CutPrefix(line, "ref:")
		if !symbolic {
			return Head{Branch: branch, Commit: commitID(line)}
		}
		ref := strings.TrimSpace(target)
		if !validRef(ref) {
			break
		}
		branch = ""
		if short, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
			branch = text.Visible(short, false)
		}
		loose := filepath.Join(c.identity, filepath.FromSlash(ref))
		if line = firstLine(loose); line == "" {
			h := Head{Branch: branch}
			if st, err := os.Stat(loose); err != nil || st.IsDir() { // else it is there, and damaged
				h.Commit = packedRef(filepath.Join(c.identity, "packed-refs"), ref)
			}
			return h
		}
	}
	return Head{}
}

// packedRef returns the commit that a ref has in packed-refs, "" if it is not there.
func packedRef(path, ref string) string {
	f := openRegular(path)
	if f == nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	r := bufio.NewReaderSize(io.LimitReader(f, maxPackedRefs), 32<<10)
	sorted := false
	for first := true; ; first = false {
		line, err := r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return "" // nothing of git's
		}
		if first && bytes.HasPrefix(line, []byte("# pack-refs with:")) {
			sorted = bytes.Contains(line, []byte(" sorted"))
		}
		if err != nil {
			return "" // the last line has an end, too: what has none was cut
		}
		if id, name, ok := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(" ")); ok && line[0] != '#' {
			switch order := bytes.Compare(name, []byte(ref)); {
			case order == 0:
				return commitID(string(id))
			case order > 0 && sorted:
				return ""
			}
		}
	}
}

// commitID returns s as the id of a commit, "" if it is none.
func commitID(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if len(s) != 40 && len(s) != 64 || strings.Trim(s, "0123456789abcdef") != "" {
		return ""
	}
	return s
}

// validRef reports whether git would take name for a ref (git check-ref-format). No other is looked up: it could lead out
// of the repository. The stub that stands in HEAD where refs are kept in another format is none.
func validRef(name string) bool {
	if len(name) > maxRefName || !strings.HasPrefix(name, "refs/") || strings.HasSuffix(name, ".") ||
		strings.Contains(name, "..") || strings.Contains(name, "@{") || strings.ContainsAny(name, " ~^:?*[\\\x7f") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return strings.IndexFunc(name, func(r rune) bool { return r < ' ' }) < 0
}

// DiffLine returns the command that shows what changed in a work tree between two commits, to be pasted into a shell:
// `git -C WORKTREE diff FROM..TO`. It is "" if one of the three is not known, if the commits are the same, and for a work
// tree whose name cannot be shown as it is.
func DiffLine(worktree, from, to string) string {
	const short = 12
	from, to = commitID(from), commitID(to)
	word := quote(worktree, runtime.GOOS == "windows")
	if word == "" || from == "" || to == "" || from == to {
		return ""
	}
	return "git -C " + word + " diff " + from[:short] + ".." + to[:short]
}

// quote returns a path as one word for a shell, "" if there is none that a person can see and every shell reads alike.
func quote(path string, windows bool) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@"
	switch {
	case text.Visible(path, false) != path:
		return ""
	case windows: // git takes forward slashes there, and so do cmd, PowerShell and Git Bash
		path = strings.ReplaceAll(path, `\`, "/")
		if strings.ContainsAny(path, "\"$%!`") {
			return ""
		}
		if strings.Trim(path, plain) != "" {
			return `"` + path + `"`
		}
		return path
	case strings.Trim(path, plain) == "":
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
