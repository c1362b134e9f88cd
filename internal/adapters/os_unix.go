//go:build unix

package adapters

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// writable asks the system: a file may be on a read-only file system whatever its mode says.
func writable(path string) bool {
	const write = 2
	err := syscall.Access(path, write)
	return err == nil || !errors.Is(err, syscall.EROFS) && !errors.Is(err, syscall.EACCES) && !errors.Is(err, syscall.EPERM)
}

// links is the number of names that a file has.
func links(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Nlink)
	}
	return 1
}

// keepOwner gives a file the owner of the one that it replaces: board may be run as another user.
func keepOwner(f *os.File, info fs.FileInfo) error {
	want, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	now, err := f.Stat()
	if err != nil {
		return err
	}
	if have, ok := now.Sys().(*syscall.Stat_t); ok && have.Uid == want.Uid && have.Gid == want.Gid {
		return nil
	}
	return f.Chown(int(want.Uid), int(want.Gid))
}

// alive reports whether a process exists.
func alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// syncDir makes a rename in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) { // file systems that cannot
		err = nil
	}
	return errors.Join(err, d.Close())
}
