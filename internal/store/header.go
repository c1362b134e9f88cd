package store

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"

	"board/internal/fault"
)

// ApplicationID marks a SQLite file as a board database ("bord").
const ApplicationID = 0x626f7264

// header is what the first 100 bytes of a SQLite file say. It is read without SQLite, so that a file of a newer board,
// or of somebody else, is refused before anything could write to it.
// Source: the database file format of SQLite, section "The Database Header".
type header struct {
	exists, empty bool
	wal           bool
	userVersion   int
	applicationID uint32
	pages         uint32
}

func readHeader(path string) (header, error) {
	// The link first: somebody may make a store between two looks, and that is no link then.
	st, err := os.Lstat(path)
	link := err == nil && st.Mode()&fs.ModeSymlink != 0
	if link {
		st, err = os.Stat(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && link:
		return header{}, fault.New(fault.StoreBroken, "make the file that it points to, or set BOARD_DB to another path", "%s is a link that leads nowhere", path)
	case errors.Is(err, fs.ErrNotExist):
		return header{}, nil
	case err != nil:
		return header{}, openFault(path, err)
	case st.IsDir():
		return header{}, fault.New(fault.StoreBroken, "set BOARD_DB to the path of a file", "the database path %s is a directory", path)
	case !st.Mode().IsRegular(): // opening a pipe would wait for ever, and a device is not ours to write to
		return header{}, fault.New(fault.StoreBroken, "set BOARD_DB to the path of a file", "the database path %s is no ordinary file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return header{}, openFault(path, err)
	}
	defer func() { _ = f.Close() }()
	var b [100]byte
	n, err := io.ReadFull(f, b[:])
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		return header{exists: true, empty: true}, nil
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return header{}, openFault(path, err)
	}
	if n < len(b) || string(b[:16]) != "SQLite format 3\x00" {
		return header{}, notOurs(path)
	}
	return header{
		exists:        true,
		wal:           b[18] == 2 && b[19] == 2,
		userVersion:   int(binary.BigEndian.Uint32(b[60:])),
		applicationID: binary.BigEndian.Uint32(b[68:]),
		pages:         binary.BigEndian.Uint32(b[28:]),
	}, nil
}

// ours reports whether the file is a board database, or may become one. One that another process is making at this
// moment has a first page without our mark: the mark is in its log, with everything else.
func (h header) ours() bool {
	return h.applicationID == ApplicationID || h.applicationID == 0 && h.userVersion == 0 && h.pages <= 1
}

// check refuses what this program must not write to.
func (h header) check(path string) error {
	if !h.exists || h.empty {
		return nil
	}
	if !h.ours() {
		return notOurs(path)
	}
	if h.userVersion > SchemaVersion {
		return newer(path, h.userVersion)
	}
	return nil
}

func notOurs(path string) error {
	return fault.New(fault.StoreBroken, "move the file away, or set BOARD_DB to another file",
		"%s is not a board database", path)
}

func newer(path string, v int) error {
	return fault.New(fault.StoreNewer, "update board to the newest version on this machine",
		"%s was written by a newer board (schema %d, this one knows %d)", path, v, SchemaVersion)
}
