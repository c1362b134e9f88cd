package store

import (
	"context"
	"os"
)

// maxFrames is the length of the write-ahead log, in pages, above which a hook that has answered folds it back. A hook
// does not close its connection: the last close of a store folds the log back every time, which costs more than the
// whole hook, and never doing so lets the log grow without bound.
const maxFrames = 128

const frameBytes = 4096 + 24

// hugeFrames is the length above which folding back takes longer than a hook has. A command or a server does it then.
const hugeFrames = 4096

// TrimLog folds the write-ahead log back into the file if it is long. Errors mean that somebody else is using it, and
// that the next hook will try again.
func (d *DB) TrimLog() {
	st, err := os.Stat(d.path + "-wal")
	if err != nil || st.Size() <= maxFrames*frameBytes || st.Size() > hugeFrames*frameBytes {
		return
	}
	_, _ = d.sql.ExecContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
}
