//go:build unix

package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Bytes that SQLite locks. Sources: the file format's "lock-byte page" (pending, reserved, then 510 shared ones), and
// "WAL-mode File Format", 2.3: the writer's lock is byte 120 of the -shm file.
const (
	lockByte  = 0x40000000
	lockBytes = 512
	writeByte = 120
)

// held reports whether another process holds the lock of a writer, without taking it: SQLite itself would fold the log
// back and delete it when the probe closes.
func held(db, shm *os.File) (bool, error) {
	one, err := locked(db, lockByte, lockBytes)
	if one || err != nil || shm == nil { // without that file nobody has the store open
		return one, err
	}
	return locked(shm, writeByte, 1)
}

// locked reports whether another process would keep this one from reading a range.
func locked(f *os.File, start, n int64) (bool, error) {
	l := syscall.Flock_t{Type: syscall.F_RDLCK, Start: start, Len: n}
	for {
		err := syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &l)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		return err == nil && l.Type != syscall.F_UNLCK, err
	}
}

// mayCreate says why no file can be made in the folder of path.
func mayCreate(path string) error {
	const write = 2
	dir := filepath.Dir(path)
	if err := syscall.Access(dir, write); err != nil {
		return &fs.PathError{Op: "access", Path: dir, Err: err}
	}
	return nil
}
