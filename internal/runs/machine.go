package runs

import (
	"errors"

	"board/internal/machine"
	"board/internal/process"
)

// Event is an event of the AgentRun machine.
type Event string

// The events. A host's event tries the ones that it may mean, in order; the first one whose guard allows it happens.
const (
	Start      Event = "start"       // a registering event of an unseen key
	Touch      Event = "touch"       // a prompt, tool or edit event of the exact key, or a call proven to be its own
	Background Event = "background"  // a Stop that lists new background work
	Probe      Event = "probe"       // the first Stop of a root, when the policy asks
	Stop       Event = "stop"        // any other Stop
	Fail       Event = "fail"        // a failed turn
	Interrupt  Event = "interrupt"   // an aborted turn
	Supersede  Event = "supersede"   // the next prompt of the same session and host process
	SessionEnd Event = "session_end" // the session ended around it
	Expire     Event = "expire"      // the clock
	Abandon    Event = "abandon"     // its root stopped, and does not list it among its background work
	Reaped     Event = "reaped"      // its session is over, and has been for too long
	Continue   Event = "continue"    // an event of the exact key after a Stop or an inferred end
)

// Facts is what the guards look at.
type Facts struct {
	Run           Run
	Now           int64
	Continuation  bool // the host says that this Stop follows a continuation
	NewBackground bool // this Stop lists background work that no Stop of an earlier turn listed
	ProbeDue      bool // the policy asks at this Stop (SPEC §5)
	Heard         bool // an event of it happened at Now: the process of its host, which may be gone since, is not asked
	Orphaned      bool // it lives, and its session has been over for too long
	Newer         bool // a newer root turn of the same host process is registered
}

var (
	errNotRoot    = errors.New("not a root")
	errProbed     = errors.New("the turn was probed")
	errForeground = errors.New("no new background work")
	errNotDue     = errors.New("no probe is due")
	errNotExpired = errors.New("neither lease nor deadline is over, and the host is not gone")
	errOver       = errors.New("the turn failed or was interrupted")
	errNewer      = errors.New("a newer turn exists")
	errNotChild   = errors.New("not a subagent")
	errNoOrphan   = errors.New("its session is open")
)

// Live returns the states of a run that is not over.
func Live() []State { return []State{Running, Probing, Waiting} }

// Machine returns the AgentRun machine, the only table that says how a run changes state.
func Machine() machine.Table[State, Event, Facts] {
	live := Live()
	return machine.Must("AgentRun", "", States(), []machine.Row[State, Event, Facts]{
		{On: Start, From: []State{""}, To: Running, Who: "host, or a proven call", Note: "registered"},
		{On: Touch, From: live, To: Running, Who: "host, or a proven call", Note: "lease renewed; a spent probe stays spent"},
		{On: Background, From: []State{Running, Waiting}, To: Waiting, Guard: newBackground, Who: "host", Note: "a recorded Stop"},
		{On: Probe, From: []State{Running, Waiting}, To: Probing, Guard: probeDue, Who: "host", Note: "deadline set; at most once a turn"},
		{On: Stop, From: live, To: Ended, Who: "host", Note: "completed"},
		{On: Fail, From: live, To: Ended, Who: "host", Note: "failed, unless a Stop was seen"},
		{On: Interrupt, From: live, To: Ended, Who: "host", Note: "interrupted, unless a Stop was seen"},
		{On: Supersede, From: live, To: Ended, Guard: isRoot, Who: "host", Note: "inferred"},
		{On: SessionEnd, From: live, To: Ended, Who: "host", Note: "inferred"},
		{On: Abandon, From: live, To: Ended, Guard: isChild, Who: "host", Note: "inferred"},
		{On: Expire, From: live, To: Ended, Guard: isExpired, Who: "clock; a person who switches the probe off", Note: "inferred, by the clock or because the host's process is gone, on read"},
		{On: Reaped, From: live, To: Ended, Guard: isOrphaned, Who: "next writer", Note: "inferred; an orphan"},
		{On: Continue, From: []State{Ended}, To: Running, Guard: mayContinue, Who: "host, or a proven call", Note: "no authority comes back"},
	})
}

func isRoot(f Facts) error { return unless(f.Run.Kind == Root, errNotRoot) }

func isChild(f Facts) error { return unless(f.Run.Kind == Subagent, errNotChild) }

func newBackground(f Facts) error {
	switch {
	case f.Run.Kind != Root:
		return errNotRoot
	case f.Run.Probes > 0:
		return errProbed
	}
	return unless(f.NewBackground, errForeground)
}

func probeDue(f Facts) error {
	switch {
	case f.Run.Kind != Root:
		return errNotRoot
	case f.Run.Probes > 0:
		return errProbed
	case f.Run.SawForeground, f.Continuation:
		return errNotDue // not the first Stop of the turn, or one that says it is not
	}
	return unless(f.ProbeDue, errNotDue)
}

func isOrphaned(f Facts) error { return unless(f.Orphaned, errNoOrphan) }

func isExpired(f Facts) error {
	return unless(f.Run.Process == process.Gone || f.Run.ExpiresAt() <= f.Now, errNotExpired)
}

func mayContinue(f Facts) error {
	if !f.Run.SawStop && (f.Run.SawFailure || f.Run.SawInterrupt) {
		return errOver
	}
	if f.Run.Kind == Root && f.Newer {
		return errNewer
	}
	return nil
}

func unless(ok bool, err error) error {
	if ok {
		return nil
	}
	return err
}
