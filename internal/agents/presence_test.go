package agents

import (
	"slices"
	"testing"

	"board/internal/process"
	"board/internal/runs"
)

const (
	second = 1_000
	minute = 60 * second
	hour   = 60 * minute
)

// at is when everything in these tests was heard of last.
const at = 1_000 * hour

// live is a session with one live run, changed by f.
func live(f func(*runs.Run)) runs.Conversation {
	r := runs.Run{
		ID: 7, LineID: 1, Kind: runs.Root, State: runs.Running, StartedAt: at - hour, LastSeenAt: at, LeaseUntil: at + 45*minute,
		LastKind: runs.OnTool,
	}
	if f != nil {
		f(&r)
	}
	return runs.Conversation{
		Line: runs.Line{ID: 1, Host: runs.ClaudeCode, Session: "s"}, Stretch: runs.Stretch{LineID: 1, N: 1, State: runs.StretchActive, OpenedAt: at - hour},
		Newest: r, Live: []runs.Run{r}, SeenAt: at, Config: runs.Defaults(),
	}
}

// over is a session whose only run has ended, changed by f.
func over(f func(*runs.Conversation)) runs.Conversation {
	c := live(func(r *runs.Run) {
		r.State, r.Outcome, r.Basis, r.Reason, r.EndedAt, r.SawStop, r.LastKind = runs.Ended, runs.Completed, runs.Observed, runs.ReasonStop, at, true, runs.OnStop
	})
	c.Live = nil
	if f != nil {
		f(&c)
	}
	return c
}

func TestTheStateOfASession(t *testing.T) {
	asks := func(a runs.Ask) func(*runs.Run) {
		return func(r *runs.Run) { r.Asks, r.AsksAt, r.LastKind = a, at-minute, runs.OnNotice }
	}
	closed := func(c *runs.Conversation) {
		c.Stretch.State, c.Stretch.EndedAt, c.Stretch.Basis = runs.StretchEnded, at+second, runs.Observed
	}
	gone := func(c *runs.Conversation) { c.Host = process.Gone }
	lost := func(c *runs.Conversation) {
		c.Newest.Outcome, c.Newest.Basis, c.Newest.Reason, c.Newest.EndedAt = runs.Lost, runs.Inferred, runs.ReasonLease, at+45*minute
		c.Newest.LastKind = runs.OnTool
	}
	lived := func(f func(*runs.Conversation)) runs.Conversation {
		c := live(nil)
		f(&c)
		return c
	}
	for _, c := range []struct {
		name  string
		c     runs.Conversation
		held  int64
		now   int64 // after at
		want  State
		since int64 // after at
		event string
		at    int64 // after at
	}{
		{"an event just now", live(nil), 0, 0, Working, 0, "tool", 0},
		{"an event 89 seconds ago", live(nil), 0, 89 * second, Working, 0, "tool", 0},
		{"an event 90 seconds ago", live(nil), 0, 90 * second, Working, 0, "tool", 0},
		{"an event a little more than 90 seconds ago", live(nil), 0, 90*second + 1, Quiet, 0, "tool", 0},
		{"an event 91 seconds ago", live(nil), 0, 91 * second, Quiet, 0, "tool", 0},
		{"an event of the future: the clock stepped back", live(nil), 0, -hour, Working, 0, "tool", 0},
		{"a dialog", live(asks(runs.AsksApproval)), 0, 5 * second, NeedsApproval, -minute, "notice", 0},
		{"a dialog of ten minutes ago", live(asks(runs.AsksApproval)), 0, 10 * minute, NeedsApproval, -minute, "notice", 0},
		{"a question", live(asks(runs.AsksAnswer)), 0, 5 * second, NeedsAnswer, -minute, "notice", 0},
		{"a question after a recorded Stop", live(func(r *runs.Run) { asks(runs.AsksAnswer)(r); r.SawStop = true }), 0, second, Working, 0, "notice", 0},
		{"the reminder", live(func(r *runs.Run) { r.State, r.SawStop, r.LastKind = runs.Probing, true, runs.OnStop }), 0, minute, Asked, 0, "stop", 0},
		{"background work", live(func(r *runs.Run) { r.State, r.SawStop, r.LastKind = runs.Waiting, true, runs.OnStop }), 0, hour / 2, Waiting, 0, "stop", 0},

		{"its turn is over", over(nil), 0, hour, Idle, 0, "stop", 0},
		{"its turn is over, and its Issue in progress", over(nil), 5, hour, YourTurn, 0, "stop", 0},
		{"a late notice says nothing of a turn that is over", over(func(c *runs.Conversation) { c.Newest.LastKind = runs.OnNotice }), 0, hour, Idle, 0, "stop", 0},
		{"an idle session of three hours is idle", over(nil), 0, 3 * hour, Idle, 0, "stop", 0},
		{"its lease ran out in mid-turn", over(lost), 0, hour, Lost, 45 * minute, "tool", 0},
		{"and its Issue is in progress", over(lost), 5, hour, Lost, 45 * minute, "tool", 0},
		{"nothing was ever heard of its root", over(func(c *runs.Conversation) { c.Newest = runs.Run{} }), 0, hour, Idle, -hour, "", -at},

		{"its host is gone", over(gone), 5, 10*minute - 1, Offline, 0, "stop", 0},
		{"its host is gone for ten minutes", over(gone), 5, 10 * minute, Ended, 0, "stop", 0},
		{"its host is gone, and the turn of another process goes on", lived(gone), 0, hour / 2, Quiet, 0, "tool", 0},
		{"silence of a day", over(nil), 5, 24*hour + 10*minute - 1, YourTurn, 0, "stop", 0},
		{"silence of a day and ten minutes", over(nil), 5, 24*hour + 10*minute, Ended, 24 * hour, "stop", 0},

		{"its session was ended", over(closed), 5, hour, Ended, second, "session_end", second},
		{"a run goes on in a session that has ended", lived(closed), 0, 10*minute + second - 1, Quiet, 0, "tool", 0},
		{"for ten minutes", lived(closed), 0, 10*minute + second, Ended, second, "tool", 0},
	} {
		r := Read(c.c, Held{IssueID: c.held}, at+c.now)
		if r.State != c.want || r.Since != at+c.since || r.Event != c.event || r.EventAt != at+c.at || r.Run.ID != c.c.Newest.ID {
			t.Errorf("%s: %s since %d, by %q at %d (run %d); want %s, %d, %q, %d", c.name,
				r.State, r.Since-at, r.Event, r.EventAt-at, r.Run.ID, c.want, c.since, c.event, c.at)
		}
	}
}

// A person must not miss what waits for them because something else of the session works.
func TestTheMostPressingRunDecides(t *testing.T) {
	order := []func(*runs.Run){
		func(r *runs.Run) { r.Asks, r.AsksAt = runs.AsksApproval, at },
		func(r *runs.Run) { r.Asks, r.AsksAt = runs.AsksAnswer, at },
		func(*runs.Run) {},
		func(r *runs.Run) { r.State = runs.Probing },
		func(r *runs.Run) { r.State = runs.Waiting },
		func(r *runs.Run) { r.LastSeenAt = at - 2*minute },
	}
	want := []State{NeedsApproval, NeedsAnswer, Working, Asked, Waiting, Quiet}
	for i := range order {
		for j := range order {
			c := live(nil)
			c.Live = []runs.Run{live(order[i]).Newest, live(order[j]).Newest}
			c.Live[0].ID, c.Live[1].ID = 8, 9
			if got := Read(c, Held{}, at).State; got != want[min(i, j)] {
				t.Errorf("%s and %s: %s", want[i], want[j], got)
			}
		}
	}
	c := live(nil)
	c.Live = []runs.Run{live(func(r *runs.Run) { r.ID, r.LastSeenAt = 8, at-second }).Newest, live(func(r *runs.Run) { r.ID = 9 }).Newest}
	if r := Read(c, Held{}, at); r.Run.ID != 9 || r.EventAt != at {
		t.Errorf("of two at work r%d decides, heard of at %d: want the one that was heard of last", r.Run.ID, r.EventAt-at)
	}
}

func TestAnOrphanIsFlaggedBeforeItCountsAsTheEnd(t *testing.T) {
	for _, c := range []struct {
		name    string
		c       runs.Conversation
		from    int64 // when the two began to contradict each other
		flagged bool
	}{
		{"a session whose host is gone", over(func(c *runs.Conversation) { c.Host = process.Gone }), at, true},
		{"a session that is silent", over(nil), at + 24*hour, true},
		{"a run whose session has ended", func() runs.Conversation {
			c := live(nil)
			c.Stretch.State, c.Stretch.EndedAt = runs.StretchEnded, at-hour
			return c
		}(), at, true},
		{"a run whose session is open", live(nil), at, false},
		{"a session that waits for its person", over(nil), at, false},
	} {
		var flags []bool
		for _, age := range []int64{119*second + 999, 120 * second, 599*second + 999, 600 * second} {
			flags = append(flags, Read(c.c, Held{}, c.from+age).Flagged(c.from+age))
		}
		if want := []bool{false, c.flagged, c.flagged, false}; !slices.Equal(flags, want) {
			t.Errorf("%s is flagged at 119, 120, 599 and 600 seconds: %v, want %v", c.name, flags, want)
		}
		if r := Read(c.c, Held{}, c.from-hour); r.Flagged(c.from - hour) {
			t.Errorf("%s is flagged after a step of the clock", c.name)
		}
	}
}
