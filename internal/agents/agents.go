// Package agents says what every agent is doing now, on what proof, and what waits on a person: readings of what runs and
// issues know, derived on every look and never stored.
package agents

import (
	"cmp"
	"context"
	"slices"

	"board/internal/issues"
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

// View is all agents at one moment, the most pressing first. Counts are those of the rows.
type View struct {
	Now      int64 // UTC ms
	Agents   []Agent
	Counts   map[State]int
	Degraded []string // why the view is partial, none if it is whole
}

// Look returns the agents.
func Look(ctx context.Context, db *store.DB, f Filter) (View, error) {
	var v View
	err := db.Read(ctx, func(ctx context.Context, tx *store.Tx) error {
		w, err := see(ctx, tx, db.Spool(), f.ProjectID)
		if err != nil {
			return err
		}
		if f.All {
			if err := w.addEnded(ctx, tx, f.ProjectID); err != nil {
				return err
			}
		}
		v = w.view(f)
		return nil
	})
	return v, err
}

// view is what the filter selects, the most pressing first.
func (w *world) view(f Filter) View {
	v := View{Now: w.now, Counts: map[State]int{}, Degraded: w.degraded}
	rank := map[State]int{}
	for i, s := range States() {
		rank[s] = i
	}
	chosen := slices.DeleteFunc(slices.Clone(w.agents), func(a *agent) bool {
		return !w.in(a, f.ProjectID) || a.State == Ended && !f.All
	})
	slices.SortStableFunc(chosen, func(a, b *agent) int { return cmp.Compare(rank[a.State], rank[b.State]) })
	v.Agents = make([]Agent, len(chosen))
	all := rules()
	for i, a := range chosen {
		v.Agents[i] = w.show(a, all)
		v.Counts[a.State]++
	}
	return v
}

// show is an agent as everybody may see it.
func (w *world) show(a *agent, all []rule) Agent {
	out := Agent{
		Host: a.of.host, Session: a.of.key, ProjectID: a.ProjectID(), Run: a.Run, IssueID: a.held.IssueID, Issue: a.held.Key,
		State: a.State, Since: a.Since, Event: a.Event, EventAt: a.EventAt, Contested: a.contested, Attention: w.attention(a, all),
	}
	for _, r := range a.Live {
		if r.Kind == runs.Subagent {
			out.Children++
		}
	}
	for _, i := range w.issuesOf[a.of] { // the Issue of the subagent that decides, rather than its root's
		if i.State == issues.InProgress && i.Holder != 0 && i.Holder == a.Run.LineID {
			out.IssueID, out.Issue = i.ID, i.Key
		}
	}
	return out
}

// endedSessions bounds the search for sessions that ended.
const endedSessions = 500

// addEnded takes in the sessions that ended a short while ago, the newest first.
func (w *world) addEnded(ctx context.Context, tx *store.Tx, project int64) error {
	list, err := runs.Sessions(ctx, tx, w.now, runs.SessionFilter{ProjectID: project, Limit: endedSessions})
	if err != nil {
		return err
	}
	known := map[session]bool{}
	for _, a := range w.agents {
		known[a.of] = true
	}
	for _, s := range list {
		of := session{s.Host, s.Session}
		if known[of] || w.now-s.EndedAt > EndedShown {
			continue
		}
		known[of] = true // of several stretches the newest one is shown
		a := &agent{of: of, Conversation: &runs.Conversation{
			Line: runs.Line{ID: s.LineID, Host: s.Host, Session: s.Session}, Stretch: s.Stretch, Newest: s.Newest, SeenAt: s.LastSeenAt,
		}}
		a.held = w.heldBy(a)
		a.Reading = Read(*a.Conversation, a.held, w.now)
		w.agents = append(w.agents, a)
	}
	return nil
}
