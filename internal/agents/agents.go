// Package agents says what every agent is doing now, on what proof, and what waits on a person: readings of what runs and
// issues know, derived on every look and never stored.
package agents

import (
	"context"

	"board/internal/runs"
	"board/internal/store"
)

// State is what an agent is doing, as it is shown.
type State string

// The states.
const (
	NeedsApproval State = "needs_approval" // its host waits for a person: may this be done?
	NeedsAnswer   State = "needs_answer"   // its host waits for a person's answer
	Working       State = "working"        // an event came a moment ago
	Asked         State = "asked"          // its turn was ended with the reminder, and goes on
	Waiting       State = "waiting"        // for background work
	Quiet         State = "quiet"          // no event for longer, and the lease runs
	Lost          State = "lost"           // its lease ran out in mid-turn
	YourTurn      State = "your_turn"      // its turn is over, and its Issue in progress
	Idle          State = "idle"           // its turn is over
	Offline       State = "offline"        // the process of its host is provably gone
	Ended         State = "ended"
)

// States returns every state, the most pressing first.
func States() []State {
	return []State{NeedsApproval, NeedsAnswer, Working, Asked, Waiting, Quiet, Lost, YourTurn, Idle, Offline, Ended}
}

// Filter selects agents and items. The zero filter is all of every project but the ended ones.
type Filter struct {
	ProjectID int64 // home, or a project that it was at work in; 0: all
	All       bool  // those that ended in the last 24 hours too
}

// Agent is one session as it is now.
type Agent struct {
	Host, Session string
	ProjectID     int64    // its home, 0 for none
	Run           runs.Run // the one that decides the state, else the newest of the session's root; zero if there is none
	IssueID       int64    // in progress, held by a line of the session; 0 for none
	Issue         string   // its key
	State         State
	Since         int64  // UTC ms
	Event         string // the kind of the event that the state rests on, "" where none was seen
	EventAt       int64  // UTC ms
	Children      int    // subagents that are live
	Contested     []Contest
	Attention     []Code
}

// Contest is a file that live runs of different sessions changed.
type Contest struct {
	ProjectID int64
	Path      string  // relative to the work tree
	Runs      []int64 // of the other sessions, oldest first
}

// View is all agents at one moment, the most pressing first. Counts are those of the rows.
type View struct {
	Now      int64 // UTC ms
	Agents   []Agent
	Counts   map[State]int
	Degraded []string // why the view is partial, none if it is whole
}

// Look returns the agents.
func Look(ctx context.Context, db *store.DB, f Filter) (View, error) {
	return View{Now: db.Now(), Counts: map[State]int{}}, nil
}
