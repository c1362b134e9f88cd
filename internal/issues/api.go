// Package issues owns the Issue: a unit of durable work, its machine, its claims, and every use case that touches it.
package issues

import "board/internal/runs"

// State is a state of the Issue machine.
type State string

// The states.
const (
	Todo       State = "todo"
	InProgress State = "in_progress"
	Paused     State = "paused"
	InReview   State = "in_review"
	Done       State = "done"
	Canceled   State = "canceled"
)

// States returns every state, in the order of the columns.
func States() []State { return []State{Todo, InProgress, Paused, InReview, Done, Canceled} }

// ClaimState says how firmly an Issue is held. It is a reading, never stored.
type ClaimState string

// The readings of a claim.
const (
	Unclaimed ClaimState = ""
	Active    ClaimState = "active"   // a run of the line is live
	Reserved  ClaimState = "reserved" // kept for the line for a while after its last event
	Lapsed    ClaimState = "lapsed"   // free for everybody; the line's next run makes it active again
)

// PauseReason says why an Issue is paused.
type PauseReason string

// The reasons: a handoff frees the Issue for everybody, the others keep it for the line that paused it.
const (
	Handoff   PauseReason = "handoff"
	Question  PauseReason = "question"
	BlockedBy PauseReason = "blocked"
)

// PauseReasons returns every reason.
func PauseReasons() []PauseReason { return []PauseReason{Handoff, Question, BlockedBy} }

// Verdict is an agent's judgment of one criterion.
type Verdict string

// The verdicts.
const (
	Met           Verdict = "met"
	Unmet         Verdict = "unmet"
	NotApplicable Verdict = "not_applicable"
)

// Limits on what people and agents write. Longer text is refused, never cut.
const (
	MaxTitleRunes       = 240
	MaxDescriptionBytes = 64 << 10
	MaxCriteria         = 64
	MaxCriterionRunes   = 2000
	MaxCommentBytes     = 16 << 10
	MaxReasonRunes      = 2000
	MaxSummaryBytes     = 16 << 10
	MaxLabels           = 32
	MaxLabelRunes       = 64
	MaxLinks            = 32
	MaxBlockers         = 64
	MaxNoteRunes        = 2000
	MaxCreatesPerRun    = 20
)

// Actor is who changes an Issue: a person (Agent false), a run (Agent and Who), or an agent that used the command line
// without saying which run it is (Undeclared).
type Actor struct {
	Person     string
	Machine    string
	Agent      bool
	Undeclared bool
	Who        runs.Who
}

// Claim is the claim on an Issue as everybody may see it.
type Claim struct {
	State ClaimState `json:"state"`
	Run   string     `json:"run"` // short handle of the newest run of the line
	Host  string     `json:"host"`
	Since int64      `json:"since"` // UTC ms; shown as RFC 3339
	Fence int64      `json:"fence"`
}

// Criterion is one thing that must hold before an Issue is done.
type Criterion struct {
	N       int     `json:"n"`
	Text    string  `json:"text"`
	Verdict Verdict `json:"verdict,omitempty"`
	How     string  `json:"how,omitempty"`
}

// Comment is one remark on an Issue.
type Comment struct {
	ID    int64  `json:"id"`
	At    int64  `json:"at"`
	Actor string `json:"actor"` // person's name, or the short handle of a run, or "agent, undeclared"
	Text  string `json:"text"`
}

// Closure is an agent's request to close.
type Closure struct {
	Summary     string `json:"summary"`
	Run         string `json:"run"`
	RequestedAt int64  `json:"requested_at"`
	Revision    int64  `json:"revision"`
	Evidence    int64  `json:"evidence"`
}

// Change is one history row of an Issue.
type Change struct {
	Seq      int64             `json:"seq"`
	At       int64             `json:"at"`
	Event    string            `json:"event"`
	Actor    string            `json:"actor"`
	Person   string            `json:"person"`
	Machine  string            `json:"machine"`
	Identity string            `json:"identity,omitempty"` // proven, declared, undeclared
	From     string            `json:"from,omitempty"`
	To       string            `json:"to,omitempty"`
	Revision int64             `json:"revision"`
	Detail   map[string]string `json:"detail,omitempty"`
	Key      string            `json:"key,omitempty"`
}

// Issue is an Issue with everything derived. Full fields are empty in lists.
type Issue struct {
	Key            string
	UUID           string
	ProjectID      int64
	Title          string
	State          State
	Priority       int
	Rank           int64
	Type           string
	Due            string
	Labels         []string
	Links          []string
	Hold           bool
	Archived       bool
	Blocked        bool
	BlockedBy      []string // keys of open and closed blockers alike
	Parent         string
	Claim          Claim
	Ready          bool
	Stale          bool // in progress or paused, no active claim, nothing for 24 h
	Abandoned      bool // in progress with a lapsed claim
	Revision       int64
	CreatedAt      int64
	UpdatedAt      int64
	PauseReason    PauseReason
	PausedByPerson bool   // only a person resumes it
	LastReason     string // of the last pause, release or request for changes: what the next agent reads
	SentBack       bool   // changes were requested and nobody began since

	// Full only.
	LastReasonOf Event // the move that LastReason belongs to
	Description  string
	Criteria     []Criterion
	Comments     []Comment
	Closure      *Closure
	History      []Change

	// Only where they are asked for, see GetWithWork.
	Work  []Work
	Basis *Basis // nil unless it is in review
}

// Result is the answer to a move or an edit: the whole Issue, and the acting run where there is one.
type Result struct {
	Issue  Issue
	Run    *runs.Run // nil for people
	Repeat bool      // it had already taken effect; nothing was written
	// Of request_closure: the subagent that held the Issue, and the subagents of the session that still run, which hold
	// it no more.
	Displaced string
	Children  []string
	// Of begin_work and resume by a run: live runs of other sessions that changed the same files.
	Collisions []Collision
}

// Filter selects Issues. The zero Filter is every Issue of every project that is not archived.
type Filter struct {
	ProjectID int64 // 0: all projects
	States    []State
	Ready     bool
	Mine      int64 // a line id: Issues this line holds or moved last
	Label     string
	Text      string // in title or description, case-insensitive
	Archived  bool   // archived ones too
	Limit     int    // 0: no limit
	Cursor    string // opaque, from Page.Next
}

// Page is one page of a list.
type Page struct {
	Issues []Issue
	Next   string // "" on the last page
	Total  int
}

// The commands. CLI, MCP and the boards fill the same ones. Revision fields are 0 where the caller did not say one.

// CreateCmd creates an Issue, and with Begin begins work on it in the same transaction.
type CreateCmd struct {
	ProjectID   int64
	Title       string
	Description string
	Criteria    []string
	Labels      []string
	Links       []string
	Priority    *int // nil: 2
	Type        string
	Due         string
	Parent      string
	BlockedBy   []string
	Hold        *bool // nil: agents' Issues are held for triage, begun ones too; people's are not
	Begin       bool
	RunRevision int64
	Run         string // people: the short handle of a run whose work is put to the Issue; then Title may be empty
}

// EditCmd changes the content of an Issue. Nil fields stay. Agents may not use the fields marked people.
type EditCmd struct {
	ProjectID       int64
	Key             string
	IssueRevision   int64
	RunRevision     int64
	Title           *string
	Description     *string
	Priority        *int
	Rank            *int64 // people
	Type            *string
	Due             *string
	Parent          *string // "" clears
	AddLabels       []string
	RemoveLabels    []string
	AddLinks        []string
	RemoveLinks     []string
	AddCriteria     []string
	RemoveCriteria  []int          // people; numbers are not given again
	ChangeCriteria  map[int]string // people
	AddBlockedBy    []string
	RemoveBlockedBy []string // people
	Run             string   // people: the short handle of a run whose work is put to the Issue
}

// MoveCmd is any move that needs no more than a key, a reason and revisions.
type MoveCmd struct {
	ProjectID     int64
	Key           string // begin_work: "" takes the next ready Issue
	Reason        string // a sentence; required for pause and request_changes
	PauseReason   PauseReason
	RunRevision   int64
	IssueRevision int64
	Force         bool // release while a run is live
	// Of approve: the commit that each work tree of the Issue has checked out, by its path, as Basis.Heads gives them.
	Heads map[string]string
}

// Judgment is an agent's verdict on criterion N, and how it was checked.
type Judgment struct {
	N       int
	Verdict Verdict
	How     string
}

// ClosureCmd asks a person to approve.
type ClosureCmd struct {
	ProjectID     int64
	Key           string
	RunRevision   int64
	IssueRevision int64
	Summary       string
	Judgments     []Judgment
}

// Event is an event of the Issue machine, in history rows too.
type Event string

// The events. The content events change no state.
const (
	Create         Event = "create"
	BeginWork      Event = "begin_work"
	Resume         Event = "resume"
	Pause          Event = "pause"
	Unclaim        Event = "unclaim"
	Release        Event = "release"
	RequestClosure Event = "request_closure"
	Approve        Event = "approve"
	RequestChanges Event = "request_changes"
	Close          Event = "close"
	Reopen         Event = "reopen"
	Cancel         Event = "cancel"
	Archive        Event = "archive"
	Unarchive      Event = "unarchive"
	Hold           Event = "hold"
	Unhold         Event = "unhold"
	Edit           Event = "edit"
	CommentAdded   Event = "comment"
	Attach         Event = "attach" // a run was put to it afterwards
)

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
