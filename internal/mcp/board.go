package mcp

import (
	"context"

	"board/internal/fault"
	"board/internal/store"
)

// board is the store, opened when a call needs it. A server may start before there is a board, outlive a restored or
// replaced file, and wait for hours: so nothing is kept open that is not in use, and nothing that failed.
type board struct {
	open func(context.Context) (*store.DB, error)
	db   *store.DB
}

// use returns the open store: the one that stands at the path now. A connection outlives its file, and what it writes to
// one that was replaced or deleted is lost.
func (b *board) use(ctx context.Context) (*store.DB, error) {
	if b.db != nil && b.db.Replaced() {
		b.close()
	}
	if b.db == nil {
		db, err := b.open(ctx)
		if err != nil {
			return nil, err
		}
		b.db = db
	}
	return b.db, nil
}

// close closes the store until the next use.
func (b *board) close() {
	if b.db != nil {
		_ = b.db.Close() // every change is committed by now; a failing checkpoint is done by the next writer
		b.db = nil
	}
}

// after closes the store when a call showed that it does not work, so that the next call begins anew.
func (b *board) after(err error) {
	switch fault.CodeOf(err) {
	case fault.StoreNewer, fault.StoreReadonly, fault.StoreBroken, fault.Internal:
		b.close()
	}
}
