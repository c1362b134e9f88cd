package runs

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Kind of an observation, as stored in events.kind. Values are only ever added to.
type ObservationKind int64

// The kinds of observations. Prompts, subagent starts, tools and edits register a run; the others never do.
const (
	OnPrompt ObservationKind = iota + 1
	OnSubagentStart
	OnTool
	OnEdit
	OnStop
	OnFailure
	OnInterrupt
	OnSubagentStop
	OnSessionStart
	OnSessionEnd
	OnCompaction
	OnNotice
)

// String names the kind as tests, logs and JSON do.
func (k ObservationKind) String() string {
	return name(int(k), "", "prompt", "subagent_start", "tool", "edit", "stop", "failure", "interrupt", "subagent_stop",
		"session_start", "session_end", "compaction", "notice")
}

// Registers reports whether an observation of this kind creates a run of an unseen key.
func (k ObservationKind) Registers() bool { return k >= OnPrompt && k <= OnEdit }

// sessionLevel reports whether the observation carries no run key.
func (k ObservationKind) sessionLevel() bool {
	return k == OnSessionStart || k == OnSessionEnd || k == OnCompaction
}

// lateStart reports whether an observation that registers a run comes instead of its prompt. Where Cursor names no turns
// there are no prompts.
func (o Observation) lateStart() bool {
	return (o.Kind == OnTool || o.Kind == OnEdit) && o.Key.Host != Cursor
}

// Disposition is what became of an observation, as stored in events.disposition.
type Disposition int

// The dispositions. Duplicates, conflicts and out-of-scope observations are counted, not stored.
const (
	Applied Disposition = iota + 1
	Adopted
	Duplicate
	Conflicting
	Unattributed
	OutOfScope
	Scaffold
	Late
)

// String names the disposition.
func (d Disposition) String() string {
	return name(int(d), "", "applied", "adopted", "duplicate", "conflict", "unattributed", "out_of_scope", "scaffold", "late")
}

// Why says why an observation has its disposition, as stored in events.reason.
type Why int

// The reasons.
const (
	NoReason         Why = iota
	UnknownKey           // no run has this key
	NoLiveRoot           // the session has no live root, or more than one
	NoSession            // the session was never seen
	TurnOver             // the run ended, and cannot go on
	NothingToEnd         // a session's end that found nothing alive
	NoTurnID             // the host's event names no turn, and no counted turn is open
	SameID               // stored before
	OtherBody            // a given id came with other content
	NoProject            // no registered project
	StaleSpooled         // it was spooled before what it would end had begun
	AlreadyStored        // the spooled event was stored by a drain that was killed
	MarkerUnresolved     // a prompt that looks like our reminder coming back, of a probe that is not open: work like any
)

// String names the reason.
func (w Why) String() string {
	return name(int(w), "", "unknown_key", "no_live_root", "no_session", "turn_over", "nothing_to_end", "no_turn_id", "same_id",
		"other_content", "no_project", "stale_spooled", "already_stored", "marker_unresolved")
}

func name(i int, names ...string) string {
	if i < 0 || i >= len(names) {
		return "unknown"
	}
	return names[i]
}

// Task is a background task that a Stop lists.
type Task struct {
	ID    string `json:"id"`
	Type  string `json:"type,omitempty"`
	State string `json:"state,omitempty"`
}

// Edit is a changed file of a registered project.
type Edit struct {
	ProjectID int64  `json:"project"`
	Path      string `json:"path"` // relative to the work tree, with slashes
}

// Observation is one event of a host, normalised: the allow-list of what board keeps in memory of a payload. It is what
// is spooled, so nothing may be added that must not reach a disk.
type Observation struct {
	Kind           ObservationKind `json:"kind"`
	Name           string          `json:"name"` // the host's own name of the event
	Key            Key             `json:"key"`
	RawTurn        string          `json:"raw_turn,omitempty"` // the turn id as sent, also where the key has none
	CallID         string          `json:"call_id,omitempty"`
	GivenID        string          `json:"given_id,omitempty"` // an id that a plugin gave
	AgentType      string          `json:"agent_type,omitempty"`
	Process        string          `json:"process,omitempty"`
	Version        string          `json:"version,omitempty"`
	PermissionMode string          `json:"permission_mode,omitempty"`
	Unattended     bool            `json:"unattended,omitempty"`
	Continuation   bool            `json:"continuation,omitempty"`
	HostMade       bool            `json:"host_made,omitempty"` // a prompt that no person wrote
	Empty          bool            `json:"empty,omitempty"`     // a prompt without text: the turn before it goes on
	Marker         string          `json:"marker,omitempty"`    // the probe that the prompt says to answer
	Stamp          string          `json:"stamp,omitempty"`     // the host's time of the event, where it is known by nothing else
	Local          bool            `json:"local,omitempty"`     // the session runs on the person's machine
	Homeless       bool            `json:"homeless,omitempty"`  // in several projects at once: none of them is home
	Tool           string          `json:"tool,omitempty"`
	OwnTool        bool            `json:"own_tool,omitempty"`  // one of board's own MCP tools
	Announces      bool            `json:"announces,omitempty"` // an own tool is about to run: CallID proves its call
	Source         string          `json:"source,omitempty"`
	Detail         string          `json:"detail,omitempty"` // end reason, notice type or failure class: enums of the host
	Tasks          []Task          `json:"tasks,omitempty"`
	TasksListed    bool            `json:"tasks_listed,omitempty"`
	Edits          []Edit          `json:"edits,omitempty"`
	Outside        int             `json:"outside,omitempty"` // edited paths outside all projects
	ProjectID      int64           `json:"project,omitempty"`
	ReceivedAt     int64           `json:"received_at"`
	AfterRun       int64           `json:"after_run,omitempty"` // spooled: the newest run that was registered at its receipt
	Asks           Ask             `json:"asks,omitempty"`      // of a notice: what the host waits for a person for
	Proof          string          `json:"proof,omitempty"`     // which process the host is, see package process
	ExecutionHost  ExecutionHost   `json:"execution_host,omitempty"`
	ExecutionBasis string          `json:"execution_basis,omitempty"` // how that was verified
	Worktree       string          `json:"worktree,omitempty"`        // of the project; with branch and commit as they are now
	Branch         string          `json:"branch,omitempty"`
	Head           string          `json:"head,omitempty"`
	Place          string          `json:"place,omitempty"` // spooled, project unknown: digest of the repository's identity
	Spooled        bool            `json:"-"`

	// Whereabouts fills in Proof, ExecutionHost and ExecutionBasis. It is called only where the observation registers a run:
	// looking at processes costs more than most events may. nil where they are known, or cannot be.
	Whereabouts func(*Observation) `json:"-"`

	CanAsk bool `json:"-"` // the host can be asked to go on in answer to this Stop
	CanSay bool `json:"-"` // the host takes context in answer to this event
}

// eventID is the identity of an observation: the same delivery gives the same id whoever sends it. ordinal tells apart
// what the host's ids cannot.
func (o Observation) eventID(ordinal int64) [16]byte {
	h := sha256.New()
	var n [8]byte
	part := func(s string) {
		binary.BigEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	part(o.Key.Host)
	part(o.Key.Session)
	if o.GivenID != "" {
		part("given")
		part(o.GivenID)
		return [16]byte(h.Sum(nil))
	}
	part(o.Name)
	if o.Stamp != "" {
		part("at " + o.Stamp)
		ordinal = 0
	}
	part(o.RawTurn)
	part(o.Key.Agent)
	part(o.CallID)
	if o.Continuation {
		part("continuation")
	} else {
		part("")
	}
	binary.BigEndian.PutUint64(n[:], uint64(ordinal))
	h.Write(n[:])
	part(o.Source)
	part(o.Detail)
	if o.Kind == OnTool || o.Kind == OnEdit {
		c := o.content()
		h.Write(c[:])
	}
	return [16]byte(h.Sum(nil))
}

// given is a digest of all that an observation with a given id says.
func (o Observation) given() [16]byte {
	h := sha256.New()
	c := o.content()
	for _, s := range []string{string(c[:]), o.Name, o.RawTurn, o.Key.Agent, o.CallID} {
		sum := sha256.Sum256([]byte(s))
		h.Write(sum[:])
	}
	return [16]byte(h.Sum(nil))
}

// content is a digest of what the observation says, beside who it belongs to.
func (o Observation) content() [16]byte {
	h := sha256.New()
	part := func(s string) { h.Write([]byte(s)); h.Write([]byte{0}) }
	part(o.Kind.String())
	part(o.Tool)
	part(o.Source)
	part(o.Detail)
	for _, e := range o.Edits {
		part(itoa(e.ProjectID))
		part(e.Path)
	}
	for _, t := range o.Tasks {
		part(t.ID)
		part(t.State)
	}
	return [16]byte(h.Sum(nil))
}

// MaxKeyBytes bounds what is stored of a host's id; a longer one is stored as its digest.
const MaxKeyBytes = 256

// FitKey returns s, or its SHA-256 in hexadecimal with a prefix if s is longer than MaxKeyBytes.
func FitKey(s string) string {
	if len(s) <= MaxKeyBytes {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// PlaceOf is a digest of a repository's identity. An event that is spooled while the store cannot be read carries it
// instead of a path, because the repository may be none of ours.
func PlaceOf(identity string) string {
	sum := sha256.Sum256([]byte(identity))
	return hex.EncodeToString(sum[:])
}
