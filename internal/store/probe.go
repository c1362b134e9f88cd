package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"board/internal/fault"
)

// Writable says why the store at path cannot be written, nil if it can. It waits for another writer until ctx ends.
// Nothing is written, and SQLite is not asked: to close a store as its last user changes its files. The store must not be
// open in this process: closing a file gives up the locks that a process has on it.
func Writable(ctx context.Context, path string) (err error) {
	db, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return openFault(path, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	sides := map[string]*os.File{}
	for _, side := range []string{"-wal", "-shm"} {
		f, err := os.OpenFile(path+side, os.O_RDWR, 0)
		switch {
		case errors.Is(err, fs.ErrNotExist): // SQLite makes it
			if err := mayCreate(path); err != nil {
				return openFault(path, err)
			}
		case err != nil:
			return openFault(path+side, err)
		default:
			defer func() { err = errors.Join(err, f.Close()) }()
			sides[side] = f
		}
	}
	for {
		busy, err := held(db, sides["-shm"])
		if err != nil {
			return openFault(path, err)
		}
		if !busy {
			return nil
		}
		t := time.NewTimer(longPause)
		select {
		case <-ctx.Done():
			t.Stop()
			return fault.New(fault.StoreBusy, "try again", "other programs are writing to the board")
		case <-t.C:
		}
	}
}
