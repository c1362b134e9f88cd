// Package runs owns the AgentRun: what one root turn or one subagent execution of a host really did.
package runs

import (
	"fmt"

	"board/internal/process"
)

// The hosts, as they are named everywhere.
const (
	ClaudeCode = "claude-code"
	Codex      = "codex"
	OpenCode   = "opencode"
	Gemini     = "gemini"
	Cursor     = "cursor"
)

// Hosts returns every host, in the order in which they are shown.
func Hosts() []string { return []string{ClaudeCode, Codex, OpenCode, Gemini, Cursor} }

// State is a state of the AgentRun machine.
type State string

// The states. A run starts running; ended is terminal but for continue.
const (
	Running State = "running" // events of the run arrive; lease renewed by each of them
	Probing State = "probing" // its first Stop was answered with the reminder; the follow-up Stop or the deadline ends it
	Waiting State = "waiting" // its Stop listed new background work; the lease ends it, or the next Stop
	Ended   State = "ended"   // see Outcome, and Basis for whether that was observed or inferred
)

// States returns every state.
func States() []State { return []State{Running, Probing, Waiting, Ended} }

// Outcome is what is known of how a run ended. It is a function of the facts seen, not of their order.
type Outcome string

// The outcomes.
const (
	None        Outcome = ""
	Completed   Outcome = "completed"   // a Stop was seen
	Failed      Outcome = "failed"      // a failure was seen, and no Stop
	Interrupted Outcome = "interrupted" // an interrupt was seen, or on Claude Code the next prompt took over
	Abandoned   Outcome = "abandoned"   // a child whose root stopped without it
	Lost        Outcome = "lost"        // the lease ran out
	Unknown     Outcome = "unknown"     // ended, and nothing says how
)

// Outcomes returns every outcome.
func Outcomes() []Outcome {
	return []Outcome{None, Completed, Failed, Interrupted, Abandoned, Lost, Unknown}
}

// Kind tells a root turn from a subagent execution.
type Kind string

// The kinds.
const (
	Root     Kind = "root"
	Subagent Kind = "subagent"
)

// Origin tells who made the prompt of a turn.
type Origin string

// The origins.
const (
	User Origin = "user"
	Host Origin = "host" // task notifications and the like
)

// Basis tells an end that an event reported from one that board concluded.
type Basis string

// The bases of an end.
const (
	NotEnded Basis = ""
	Observed Basis = "observed"
	Inferred Basis = "inferred"
)

// Key says which run an event belongs to. Keys are compared byte for byte and never trimmed, normalised or guessed.
// A root has (host, session, turn, ""), a subagent (host, session, "", agent): turn ids change under a living subagent.
type Key struct {
	Host, Session, Turn, Agent string
}

// Line is what goes on from prompt to prompt: the root of a conversation, or one subagent. Claims belong to lines.
type Line struct {
	ID                   int64
	Host, Session, Agent string
	Prompts              int64 // prompts of origin user so far; on root lines
	LastPromptAt         int64
	RulesDue             bool
	Told                 string
	ProbedAt             int64
	ProbeWindow          bool
	ProbeEffect          bool
	News                 bool
	Awaits               bool   // unattributed events of the line wait for their run
	Unknown              string // facts that a later version wrote, as they stand
	Turns                int64  // counted turns so far, where the host names none
	Turn                 int64  // the counted turn that goes on
	Rooted               bool   // Cursor: known to be no subagent, which looks like a conversation of its own there
	Local                bool   // Cursor: known to run on the person's machine
	Remote               bool   // Cursor: known to run in the cloud
	LostOf               int64  // the run that was the newest when a Stop was lost last
	Aliased              int64  // the run whose reminder came back last as a prompt
	LastRun              int64
}

// Root reports whether the line is the root of its conversation.
func (l Line) Root() bool { return l.Agent == "" }

// Run is one AgentRun as stored. Times are UTC milliseconds.
type Run struct {
	ID             int64
	Handle         string
	LineID         int64
	Host           string // of its line
	Session        string
	Agent          string
	Stretch        int64
	Turn           string
	ProjectID      int64
	Kind           Kind
	Origin         Origin
	State          State
	Outcome        Outcome
	Basis          Basis
	Reason         string
	Revision       int64
	Version        int64
	IssueID        int64
	ParentID       int64
	ParentBasis    string
	AgentType      string
	HostProcess    string
	HostVersion    string
	PermissionMode string
	Attended       bool
	Direct         bool
	LateStart      bool
	SawStop        bool
	SawFailure     bool
	SawInterrupt   bool
	SawForeground  bool
	Probes         int64
	ProbeID        string
	ProbeSpent     bool   // the reminder came back as a prompt
	Alias          string // the turn key of that prompt, where the host names turns
	ContextSent    bool
	Decided        bool
	Answered       bool // the line wrote to the board after this run was asked, before its next user prompt
	Tools          int64
	Edits          int64
	Outside        int64
	NEvents        int64
	NStop          int64
	NStart         int64
	NNotice        int64
	StartedAt      int64
	LastSeenAt     int64
	LeaseUntil     int64
	Deadline       int64
	EndedAt        int64
	Person         string
	Machine        string
	HostProof      string          // which process of this machine the host is, for ever (package process); "" not proven
	Process        process.State   // what is known of that process now: read, never stored
	ExecutionHost  ExecutionHost   // where the host runs, as far as it was verified at registration
	ExecutionBasis string          // by what
	Worktree       string          // of the home project, at registration; "" without git
	Branch         string          // "" detached or unknown
	HeadStart      string          // commit at registration, "" unknown
	HeadEnd        string          // commit at the last recorded Stop or failure
	Asks           Ask             // what the last event says that the host waits for a person for
	AsksAt         int64           // since when
	LastKind       ObservationKind // of the last event that carried its key, 0 before the first
	Unknown        string          // facts that a later version wrote, as they stand
}

// Ask is what a host waits for a person for.
type Ask string

// What a host waits for.
const (
	AsksNothing  Ask = ""
	AsksApproval Ask = "approval" // a dialog: may this be done?
	AsksAnswer   Ask = "answer"   // a question, or idle without a recorded Stop
)

// Short is the handle that everybody may see. It names a run in lists and is worth nothing in a call.
func (r Run) Short() string { return ShortHandle(r.ID) }

// ShortHandle is Short for a run known by its id only.
func ShortHandle(id int64) string {
	if id == 0 {
		return ""
	}
	return fmt.Sprintf("r%d", id)
}

// Proof is what a host adds to a call of a tool, by which board knows the caller without being told.
type Proof struct {
	Host   string
	Key    Key    // Codex: session, turn and thread of the call
	CallID string // Claude Code: the tool call id that our PreToolUse hook recorded
}

// Who says who makes a call.
type Who struct {
	Handle    string // the run_id argument as given, "" for none
	Proof     *Proof // nil where the host proves nothing
	ProjectID int64  // home project of a run that this call registers, 0 for none
}

// Caller is who makes a call, resolved inside the transaction that acts on it.
type Caller struct {
	Run    Run  // the run that acts: the newest live run of the line, else the run that was named
	Named  Run  // the run whose revision the caller speaks of: the named one, else Run
	Line   Line // the line of Run
	Root   Line // the root line of its session; Line itself for a root
	Proven bool
	Live   bool // some run of the line is live
}

// Status is what is known of a line now. It is derived on every read; nothing of it is stored.
type Status struct {
	Line         Line
	Live         bool  // some run of the line is live
	Run          Run   // the newest live run, else the newest run; zero if there is none
	LastEventAt  int64 // of any run of the line
	HostGone     bool  // the process of its newest run's host is provably gone
	SessionEnded bool  // the newest stretch of its session is known to have ended
}

// Change is a change of a run's authority.
type Change string

// The changes that raise a run's revision.
const (
	Bind      Change = "bind"
	Unbind    Change = "unbind"
	Displaced Change = "displaced"
)
