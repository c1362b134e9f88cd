package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"board/internal/fault"
)

// EnvPath is the environment variable that names the database file instead of the default place.
const EnvPath = "BOARD_DB"

// DefaultPath returns the database file of this user: $BOARD_DB, else board/board.db below $XDG_DATA_HOME
// (on Windows below %LOCALAPPDATA%), else below ~/.local/share.
func DefaultPath(getenv func(string) string) (string, error) {
	if p := getenv(EnvPath); p != "" {
		return filepath.Abs(p)
	}
	base := getenv("XDG_DATA_HOME")
	if base == "" && runtime.GOOS == "windows" {
		base = getenv("LOCALAPPDATA")
	}
	if base == "" || !filepath.IsAbs(base) { // the XDG specification tells us to ignore relative paths
		home := getenv("HOME")
		if home == "" && runtime.GOOS == "windows" {
			home = getenv("USERPROFILE")
		}
		if home == "" {
			return "", fault.New(fault.StoreBroken, "set HOME, or BOARD_DB to the path of a database file",
				"there is no home directory to keep the board in")
		}
		base = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(base, "board", "board.db"), nil
}

// prepare makes the folder (0700) and the file (0600) before SQLite sees them: SQLite gives -wal and -shm the mode of
// the file it opened. A lax mode of an existing file, which is known to be ours by now, is tightened; a folder that existed is left as it is, because
// $BOARD_DB may point into a shared one.
func prepare(path string) error {
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return openFault(path, err)
		}
		// A hostile umask may have taken bits that the owner needs.
		if err := os.Chmod(dir, 0o700); err != nil {
			return openFault(path, err)
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = errors.Join(f.Chmod(0o600), f.Close())
		if err != nil {
			return openFault(path, err)
		}
		return nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return openFault(path, err)
	}
	st, err := os.Stat(path)
	if err != nil {
		return openFault(path, err)
	}
	if runtime.GOOS != "windows" && st.Mode().Perm()&0o077 != 0 {
		_ = os.Chmod(path, 0o600) // not ours to change when this fails; opening says what is wrong
	}
	return nil
}

func openFault(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fault.Wrap(err, fault.StoreReadonly, "make the folder "+filepath.Dir(path)+" writable; in a sandboxed agent, add it to the writable roots",
			"the database %s cannot be written", path)
	case errors.Is(err, fs.ErrNotExist):
		return fault.Wrap(err, fault.NotFound, "run board init in a repository", "there is no database at %s", path)
	default:
		return fault.Wrap(err, fault.StoreBroken, "check the path, or set BOARD_DB to another file", "the database %s cannot be opened: %v", path, cause(err))
	}
}

// cause strips the operation and the path, which the message names already.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// Exists reports whether there is an ordinary file at path. It opens nothing.
func Exists(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}
