package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"board/internal/fault"
)

// MaxCopy is the size above which a store is not copied to be looked at, log included.
const MaxCopy = 512 << 20

// Copy copies the store at path, its log included, to an empty folder, and returns the new path. It opens nothing, takes
// no lock and writes nothing beside the original: it works for a store that is locked or in a folder that may not be
// written. A copy during which the original changed is made anew until ctx ends.
func Copy(ctx context.Context, path, dir string) (string, error) {
	for {
		before, err := stamp(path)
		if err != nil {
			return "", err
		}
		if before[0].size+before[1].size > MaxCopy {
			return "", fault.New(fault.Limit, "", "the store has more than %d MiB", MaxCopy>>20)
		}
		to := filepath.Join(dir, "board.db")
		for _, side := range []string{"", "-wal"} {
			if err := copyFile(path+side, to+side); err != nil && (side == "" || !errors.Is(err, fs.ErrNotExist)) {
				return "", openFault(path, err)
			}
		}
		after, err := stamp(path)
		if err != nil {
			return "", err
		}
		if before == after {
			return to, nil
		}
		t := time.NewTimer(longPause)
		select {
		case <-ctx.Done():
			t.Stop()
			return "", fault.New(fault.StoreBusy, "try again", "the store changes while it is copied")
		case <-t.C:
		}
	}
}

// mark tells two states of a file apart.
type mark struct{ size, at int64 }

// stamp is that of the database and its log.
func stamp(path string) (m [2]mark, err error) {
	h, err := readHeader(path)
	if err == nil {
		err = h.check(path) // here, where the path is the one that the caller knows
	}
	if err != nil {
		return m, err
	}
	if h.empty {
		return m, openFault(path, errNotExist)
	}
	for i, side := range []string{"", "-wal"} {
		st, err := os.Stat(path + side)
		switch {
		case err == nil:
			m[i] = mark{st.Size(), st.ModTime().UnixNano()}
		case side == "" || !errors.Is(err, fs.ErrNotExist):
			return m, openFault(path, err)
		}
	}
	return m, nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		_ = os.Remove(to) // of the attempt before
		return err
	}
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
