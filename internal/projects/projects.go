// Package projects answers which project a directory or a file belongs to, with a few small reads, one query and no
// child process, because every hook waits for it; and it registers projects.
package projects

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"board/internal/fault"
	"board/internal/store"
	"board/internal/text"
)

// maxPath bounds a path that is looked at: PATH_MAX of Linux. A longer one names no file.
const maxPath = 4096

// Project is one repository with all its work trees, or a directory without git.
type Project struct {
	ID        int64
	UUID      string
	Prefix    string // of the keys of its Issues
	Name      string
	Root      string // the work tree, or plain directory, that it was registered from
	CreatedAt int64  // UTC ms
}

// Find returns the project of the directory dir: the one whose git common directory belongs to the nearest .git, or a
// registered directory without git at or above dir. A directory that is not registered, or no longer exists, is a
// NoProject fault.
func Find(ctx context.Context, q store.Querier, dir string) (Project, error) {
	at, err := resolveDir(dir)
	if err != nil {
		return Project{}, err
	}
	cs, err := climb(at, true)
	if err != nil {
		return Project{}, err
	}
	p, _, err := match(ctx, q, cs)
	if err != nil {
		return Project{}, err
	}
	if p.ID == 0 {
		return Project{}, noProject(dir)
	}
	return p, nil
}

// Spot is where a directory is: in which project, and in which work tree.
type Spot struct {
	ProjectID int64 // 0 for none
	cs        []candidate
}

// At is Find for a caller that needs the id alone, and maybe what is checked out there. It is on every hook's path.
func At(ctx context.Context, q store.Querier, dir string) (Spot, error) {
	at, err := resolveDir(dir)
	if err != nil {
		return Spot{}, none(err)
	}
	cs, err := climb(at, true)
	if err != nil {
		return Spot{}, none(err)
	}
	id, err := idOf(ctx, q, cs)
	if err == nil && id == 0 {
		var p Project
		p, _, err = match(ctx, q, cs) // in another spelling
		id = p.ID
	}
	return Spot{id, cs}, err
}

// none turns a NoProject fault into no error.
func none(err error) error {
	if fault.CodeOf(err) == fault.NoProject {
		return nil
	}
	return err
}

// Locate returns the project that the file at path belongs to, and its path relative to the work tree it is in, with
// forward slashes. path is absolute; the file need not exist any more. The innermost registered project wins. ok is
// false for a path in no registered project, and for board's own files, which are nobody's work.
func Locate(ctx context.Context, q store.Querier, path string) (projectID int64, rel string, ok bool, err error) {
	if !filepath.IsAbs(path) || len(path) > maxPath || strings.ContainsRune(path, 0) {
		return 0, "", false, nil
	}
	file := resolveFile(path, 0)
	if file == "" {
		return 0, "", false, nil
	}
	cs, err := climb(filepath.Dir(file), false)
	if err != nil {
		return 0, "", false, err
	}
	p, root, err := match(ctx, q, cs)
	if err != nil || p.ID == 0 {
		return 0, "", false, err
	}
	db, err := databaseFile(ctx, q)
	if err != nil {
		return 0, "", false, err
	}
	r, err := filepath.Rel(root, file)
	if err != nil {
		return 0, "", false, nil
	}
	if r == "." || own(r, file, db) {
		return 0, "", false, nil
	}
	return p.ID, filepath.ToSlash(r), true, nil
}

// own reports whether a file is board's own: the database, its side files, its spool and its backups, whatever the
// default folder of the database holds, and everything named .board*. A database that BOARD_DB puts into a work tree
// does not make its neighbours ours.
func own(rel, file, db string) bool {
	for name := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if strings.HasPrefix(name, ".board") {
			return true
		}
	}
	if db == "" {
		return false
	}
	if strings.HasPrefix(file, db) {
		return true
	}
	dir, base := filepath.Split(db)
	return base == "board.db" && filepath.Base(dir) == "board" && strings.HasPrefix(file, dir)
}

// match asks which of the candidates is registered, and returns the innermost and the work tree in which it was met. Names are compared without regard to case first, because a volume may ignore it; a match
// in another case counts only if both names lead to the same directory.
func match(ctx context.Context, q store.Querier, cs []candidate) (p Project, root string, err error) {
	rows, err := lookUp(ctx, q, cs)
	if err != nil {
		return Project{}, "", err
	}
	for _, c := range cs { // innermost first
		for _, r := range rows {
			if r.path == c.identity || strings.EqualFold(r.path, c.identity) && sameDir(r.path, c.identity) {
				return r.Project, c.root, nil
			}
		}
	}
	return Project{}, "", nil
}

func sameDir(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// ByPrefix returns the project with that prefix, in any case. An unknown one is a NotFound fault.
func ByPrefix(ctx context.Context, q store.Querier, prefix string) (Project, error) {
	p, err := byPrefix(ctx, q, strings.ToUpper(prefix))
	if err == nil && p.ID == 0 {
		err = fault.New(fault.NotFound, "board outside a project lists all of them", "there is no project %s", text.Line(prefix, 20))
	}
	return p, err
}

// wellFormed reports whether a prefix is 2 to 10 upper-case letters and digits, a letter first. A regular expression
// would be compiled at the start of every hook.
func wellFormed(prefix string) bool {
	for i, r := range prefix {
		if (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return len(prefix) >= 2 && len(prefix) <= 10
}

func badPrefix(prefix string) error {
	return fault.New(fault.Invalid, "for example --prefix WEB", "%q is no prefix: a letter, then 1 to 9 letters or digits", text.Line(prefix, 20))
}

func noProject(dir string) error {
	if dir == "" {
		return fault.New(fault.NoProject, "go to another directory, or name a project with -P", "the current directory was deleted")
	}
	return fault.New(fault.NoProject, "run board init there, or name a project with -P", "%s belongs to no registered project", text.Visible(dir, false))
}

// nameOf returns the name of the directory that people know a repository by: the main work tree's, also when it is
// registered from another one.
func nameOf(identity, root string) string {
	base := filepath.Base(identity)
	switch {
	case base == ".git":
		return filepath.Base(filepath.Dir(identity))
	case strings.HasSuffix(base, ".git"):
		return strings.TrimSuffix(base, ".git")
	}
	return filepath.Base(root)
}

// newUUID makes a UUID of version 7 for that time (RFC 9562, section 5.7).
func newUUID(now int64) string {
	var b [16]byte
	_, _ = rand.Read(b[6:]) // never fails (documented)
	for i := 5; i >= 0; i-- {
		b[i] = byte(now)
		now >>= 8
	}
	b[6] = b[6]&0x0f | 0x70
	b[8] = b[8]&0x3f | 0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
