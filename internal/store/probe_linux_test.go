package store

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"

	"board/internal/fault"
)

// TestWhoHoldsTheLockOfAWriterIsSeen. Locks of a process are no hindrance to itself; those of an open file are.
func TestWhoHoldsTheLockOfAWriterIsSeen(t *testing.T) {
	const setLock = 37 // F_OFD_SETLK
	for name, c := range map[string]struct {
		side        string
		kind        int16
		start, size int64
		busy        bool
	}{
		"a writer of the log":               {"-shm", syscall.F_WRLCK, 120, 1, true},
		"somebody who folds the log back":   {"-shm", syscall.F_WRLCK, 121, 1, false},
		"a reader":                          {"-shm", syscall.F_RDLCK, 124, 1, false},
		"somebody who has the store open":   {"", syscall.F_RDLCK, 0x40000002, 510, false},
		"somebody who has it alone":         {"", syscall.F_WRLCK, 0x40000002, 510, true},
		"a writer that knows no such log":   {"", syscall.F_WRLCK, 0x40000001, 1, true},
		"somebody who locks its first page": {"", syscall.F_WRLCK, 0, 100, false},
	} {
		p := closed(t)
		if err := errors.Join(os.WriteFile(p+"-wal", nil, 0o600), os.WriteFile(p+"-shm", make([]byte, 32<<10), 0o600)); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(p+c.side, os.O_RDWR, 0)
		if err == nil {
			err = syscall.FcntlFlock(f.Fd(), setLock, &syscall.Flock_t{Type: c.kind, Start: c.start, Len: c.size})
		}
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		stop() // nobody waits
		if err := Writable(ctx, p); (fault.CodeOf(err) == fault.StoreBusy) != c.busy || err != nil && !c.busy {
			t.Errorf("%s: %v", name, err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if err := Writable(ctx, p); err != nil {
			t.Errorf("%s, and gave it back: %v", name, err)
		}
	}
}
