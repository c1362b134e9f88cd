// Package fault is board's error taxonomy: every failure that a person, an agent or a script sees has a
// code, one sentence, the next step, and an exit status.
package fault

import (
	"errors"
	"fmt"
)

// Code names a kind of failure. Codes are part of the interface: they are only ever added to.
type Code string

// The codes. The first group is what MCP tools answer (SPEC §7); the second belongs to the CLI.
const (
	RunStale         Code = "run_stale"         // the run's authority changed since the caller looked
	RunEnded         Code = "run_ended"         // no run of the line lives and the call is not proven
	RunUnknown       Code = "run_unknown"       // no run has this id
	NotYourRun       Code = "not_your_run"      // the proof names another line than run_id does
	HeldByOther      Code = "held_by_other"     // a live run of another line holds the Issue
	HoldsOther       Code = "holds_other"       // the line already holds another Issue
	Reserved         Code = "reserved"          // kept for the line that worked on it last
	ByPerson         Code = "by_person"         // a person took it away; wait for their next prompt
	NothingReady     Code = "nothing_ready"     // no Issue is ready
	WrongProject     Code = "wrong_project"     // the Issue belongs to another project
	FenceLost        Code = "fence_lost"        // the caller held the Issue, and no longer does
	WrongState       Code = "wrong_state"       // the machine refuses the move in this state
	NotHolder        Code = "not_holder"        // only the holder may do this
	RootOnly         Code = "root_only"         // a subagent may not do this
	CriteriaUnjudged Code = "criteria_unjudged" // a criterion lacks a verdict
	CriteriaUnmet    Code = "criteria_unmet"    // a criterion is judged unmet
	Blocked          Code = "blocked"           // an open Issue blocks it
	IssueStale       Code = "issue_stale"       // the Issue changed since the caller read it
	Conflict         Code = "conflict"          // two writers met; nothing was written
	NotEstablished   Code = "not_established"   // a claim lacks its proof
	NotFound         Code = "not_found"         // no such Issue, run or project
	Invalid          Code = "invalid"           // an argument is wrong
	Limit            Code = "limit"             // a named limit is reached
	NoProject        Code = "no_project"        // the directory belongs to no registered project
	StoreBusy        Code = "store_busy"        // other writers held the store past the deadline
	StoreNewer       Code = "store_newer"       // a newer board wrote this store
	StoreReadonly    Code = "store_readonly"    // the store or its folder cannot be written
	StoreBroken      Code = "store_broken"      // the store is not a board database, or is damaged
	NotWritten       Code = "not_written"       // a host's file stays as it is: it is not understood, or cannot be written
	ReviewNeeded     Code = "review_needed"     // what was shown has changed; look again, then repeat
	PersonOnly       Code = "person_only"       // a decision that belongs to a person
	Usage            Code = "usage"             // the command line is wrong
	NothingToDo      Code = "nothing_to_do"     // there is nothing for the command to do
	IdentityMismatch Code = "identity_mismatch" // unknown protocol or schema
	Interrupted      Code = "interrupted"       // a person ended the command before it was done
	Internal         Code = "internal"          // a defect in board
)

// Exit statuses of the programs (SPEC §13).
const (
	ExitOK = iota
	ExitError
	ExitUsage
	ExitNoProject
	ExitNotFound
	ExitConflict
	ExitRefused
	ExitNothing
	ExitBusy
)

// Fault is a failure that is told to the caller. Message is one sentence without a final full stop; Hint is the
// next step, never a complete destructive command. Neither ever holds a prompt, a transcript or tool content.
type Fault struct {
	Code    Code
	Message string
	Hint    string
	Cause   error // for errors.Is and tests; never shown
}

// Error returns code and message.
func (f *Fault) Error() string { return string(f.Code) + ": " + f.Message }

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Cause }

// Is reports whether target is a Fault of the same code, so that errors.Is(err, fault.Of(fault.Blocked)) works.
func (f *Fault) Is(target error) bool {
	t, ok := target.(*Fault)
	return ok && t.Code == f.Code
}

// Of returns a bare Fault of that code, to compare with errors.Is.
func Of(c Code) *Fault { return &Fault{Code: c} }

// New makes a Fault. The message is formatted as by fmt.Sprintf.
func New(c Code, hint, format string, args ...any) *Fault {
	return &Fault{Code: c, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// Wrap is New with a cause.
func Wrap(cause error, c Code, hint, format string, args ...any) *Fault {
	return &Fault{Code: c, Message: fmt.Sprintf(format, args...), Hint: hint, Cause: cause}
}

// View is what is shown of an error, in text or as JSON.
type View struct {
	Code      Code   `json:"code"`
	Message   string `json:"message"`
	Hint      string `json:"hint,omitempty"`
	Retriable bool   `json:"retriable"`
}

// ViewOf returns what may be shown of err. An error that is no Fault is shown as internal, with its text.
func ViewOf(err error) View {
	f := As(err)
	return View{Code: f.Code, Message: f.Message, Hint: f.Hint, Retriable: f.Code.Retriable()}
}

// As returns the Fault in err's chain, or wraps err as Internal.
func As(err error) *Fault {
	var f *Fault
	if errors.As(err, &f) {
		return f
	}
	return &Fault{Code: Internal, Message: err.Error(), Cause: err}
}

// CodeOf returns the code of err, "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return As(err).Code
}

// Retriable reports whether the same call may succeed later without any other change.
func (c Code) Retriable() bool { return c == StoreBusy || c == Conflict }

// Exit returns the exit status for err, 0 for nil.
func Exit(err error) int {
	if err == nil {
		return ExitOK
	}
	switch As(err).Code {
	case Usage, Invalid, Limit:
		return ExitUsage
	case NoProject:
		return ExitNoProject
	case NotFound, RunUnknown:
		return ExitNotFound
	case Conflict, IssueStale, RunStale, ReviewNeeded, WrongState, HeldByOther, HoldsOther, Reserved, ByPerson, FenceLost,
		NotHolder, Blocked, WrongProject, NotYourRun, RunEnded: // how things stand is in the way: others moved, or hold it
		return ExitConflict
	case PersonOnly, RootOnly, CriteriaUnjudged, CriteriaUnmet, NotEstablished: // a gate, whoever else does what
		return ExitRefused
	case NothingReady, NothingToDo:
		return ExitNothing
	case StoreBusy:
		return ExitBusy
	default:
		return ExitError
	}
}
