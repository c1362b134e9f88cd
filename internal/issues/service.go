package issues

import (
	"board/internal/store"
)

// Service is every use case that touches an Issue. CLI, MCP and the boards call the same methods, so that a rule exists
// once. It is safe for concurrent use: its state is in the store.
type Service struct {
	db *store.DB
}

// New returns the use cases over db.
func New(db *store.DB) *Service {
	return &Service{db: db}
}

// Note is a short learning of a project.
type Note struct {
	ID        int64
	ProjectID int64
	At        int64
	Actor     string // as in Comment
	Text      string
	Repeat    bool // the same run wrote it a moment ago; nothing was written
}

// Counts are the numbers of a project, archived Issues left out.
type Counts struct {
	States           map[State]int // every state, 0 included
	Ready            int           // what the next agent may take
	ChangesRequested int           // sent back by a person, and nobody began since
	WaitingOnPerson  int           // in review, or paused for a question, a block or by a person
	Held             int           // todo, but kept back by the hold flag
}

// HistoryFilter selects changes of Issues, newest first.
type HistoryFilter struct {
	ProjectID int64  // 0: all projects
	Key       string // "": every Issue
	Limit     int    // 0: no limit
	Cursor    int64  // Change.Seq of the last one seen: only older ones follow; 0 starts at the newest
}
