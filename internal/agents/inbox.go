package agents

import (
	"context"

	"board/internal/runs"
	"board/internal/store"
)

// Item is one thing that waits on a person.
type Item struct {
	Code          string // an attention code, or your_turn
	Since         int64  // UTC ms
	ProjectID     int64  // 0 where it belongs to none
	IssueKey      string // "" where it is about none
	Title         string // of the Issue, as it was written
	Host, Session string
	Run           runs.Run // zero where it is about none
	Text          string   // what waits, in a few words
	Command       string   // a complete command line that answers it
}

// Inbox returns what waits on a person, the oldest first, and why the answer is partial, if it is.
func Inbox(ctx context.Context, db *store.DB, f Filter) (items []Item, degraded []string, err error) {
	return nil, nil, nil
}
