package agents

import "board/internal/runs"

// Held is the Issue in progress that a line of a session holds, zero for none.
type Held struct {
	IssueID int64
	Key     string
}

// Reading is what a session is doing, and the proof.
type Reading struct {
	State   State
	Since   int64    // UTC ms
	Event   string   // the kind of the event that the state rests on, "" where none was seen
	EventAt int64    // UTC ms
	Run     runs.Run // the one that decides, else the newest of the root; zero if there is none
	Orphan  runs.Orphan
}

// Read is the state of a session: a function of its last correlated event, the clock and the process proof alone.
func Read(c runs.Conversation, held Held, now int64) Reading {
	return Reading{State: Idle, Run: c.Newest, Orphan: c.Orphan(now)}
}
