package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"board/internal/fault"
)

// File is one file or folder of a store.
type File struct {
	Path string
	Size int64
	Mode fs.FileMode // permission bits
	Lax  bool        // others may read or write it
}

// Files returns the files of the store at path that exist: the database, its log, and the folder of its spool. The
// folder around them is among them only where it is the default one: $BOARD_DB may point into a shared one.
func Files(path string, getenv func(string) string) []File {
	names := []string{path, path + "-wal", path + "-shm", path + ".spool"}
	if getenv(EnvPath) == "" {
		names = append([]string{filepath.Dir(path)}, names...)
	}
	var out []File
	for _, name := range names {
		st, err := os.Stat(name)
		if err != nil || !st.Mode().IsRegular() && !st.IsDir() {
			continue
		}
		mode := st.Mode().Perm()
		out = append(out, File{name, st.Size(), mode, runtime.GOOS != "windows" && mode&0o077 != 0})
	}
	return out
}

// Tighten takes the file away from everybody but its owner.
func (f File) Tighten() error { return os.Chmod(f.Path, f.Mode&^0o077) }

// Check reads the whole database and returns what is wrong with it, nothing if it is whole.
func (d *DB) Check(ctx context.Context) ([]string, error) {
	rows, err := d.sql.QueryContext(ctx, "PRAGMA quick_check(5)")
	if err != nil {
		return nil, translate(err)
	}
	defer func() { _ = rows.Close() }()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, translate(err)
		}
		if s != "ok" {
			out = append(out, s)
		}
	}
	err = translate(rows.Err())
	if fault.CodeOf(err) == fault.StoreBroken { // the look itself met the damage: that says less than what it found before
		if len(out) == 0 {
			out = append(out, err.Error())
		}
		return out, nil
	}
	return out, err
}

// Schema returns the schema of the open store.
func (d *DB) Schema(ctx context.Context) (v int, err error) {
	err = d.sql.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v)
	return v, translate(err)
}

// SpoolState is what lies in a spool.
type SpoolState struct {
	Waiting  int
	SetAside []string // entries that could not be read, by name
	Unknown  int      // neither events nor counts
	Broken   error    // why it cannot be looked at
}

// State looks at the spool.
func (s Spool) State() SpoolState {
	var st SpoolState
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			st.Broken = s.fault(err)
		}
		return st
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case strings.HasSuffix(name, ".json"):
			st.Waiting++
		case strings.HasSuffix(name, ".bad"):
			st.SetAside = append(st.SetAside, name)
		case strings.HasPrefix(name, "refused."), strings.HasSuffix(name, ".part"):
		default:
			st.Unknown++
		}
	}
	return st
}

// fault says why the spool cannot be looked at. It is not the database: what is done about it is something else.
func (s Spool) fault(err error) error {
	if st, serr := os.Stat(s.dir); serr == nil && !st.IsDir() {
		return fault.Wrap(err, fault.StoreBroken, "move it away: the folder is made when it is needed",
			"%s is no folder, and events that cannot be stored at once are kept in one of that name: they are lost", s.dir)
	}
	return fault.Wrap(err, fault.StoreReadonly, "make the folder yours again: chmod 700 "+s.dir,
		"the folder %s, where events wait to be stored, cannot be read: %v", s.dir, cause(err))
}
