package store

import (
	"context"
	"os"
)

// maxFrames is the length of the write-ahead log, in pages, above which a hook that has answered folds it back. A hook
// does not close its connection: the last close of a store folds the log back every time, which costs more than the
// whole hook, and never doing so lets the log grow without bound.
const maxFrames = 192

const frameBytes = pageSize + 24

// hugeFrames is the length above which folding back takes longer than a hook has. A command or a server does it then.
const hugeFrames = 8192

// LogIsLong reports whether TrimLog is worth its time.
func (d *DB) LogIsLong() bool {
	st, err := os.Stat(d.path + "-wal")
	return err == nil && st.Size() > maxFrames*frameBytes && st.Size() <= hugeFrames*frameBytes
}

// TrimLog folds the write-ahead log back into the file. Errors mean that somebody else is using it, and
// that the next hook will try again.
func (d *DB) TrimLog() {
	_, _ = d.sql.ExecContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
}
