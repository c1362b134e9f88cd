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
}

func readHeader(path string) (header, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return header{}, nil
	}
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
	}, nil
}

// check refuses what this program must not write to.
func (h header) check(path string) error {
	if !h.exists || h.empty {
		return nil
	}
	if h.applicationID != 0 && h.applicationID != ApplicationID {
		return notOurs(path)
	}
	if h.userVersion > SchemaVersion {
		return newer(path, h.userVersion)
	}
	return nil
}

func notOurs(path string) error {
	return fault.New(fault.StoreBroken, "move the file away, or set BOARD_DB to another file; board doctor says more",
		"%s is not a board database", path)
}

func newer(path string, v int) error {
	return fault.New(fault.StoreNewer, "update board to the newest version on this machine",
		"%s was written by a newer board (schema %d, this one knows %d)", path, v, SchemaVersion)
}
