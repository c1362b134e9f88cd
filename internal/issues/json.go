package issues

import (
	"strconv"

	"board/internal/runs"
)

// The names of these fields are part of the interface: they are only ever added to. Absent values are left out.

type claimJSON struct {
	State ClaimState `json:"state"`
	Run   string     `json:"run,omitempty"`
	Host  string     `json:"host,omitempty"`
	Since string     `json:"since,omitempty"`
	Fence int64      `json:"fence"`
}

type rowJSON struct {
	Key              string      `json:"key"`
	ID               string      `json:"id"`
	Title            string      `json:"title"`
	State            State       `json:"state"`
	Priority         string      `json:"priority"`
	Type             string      `json:"type,omitempty"`
	Labels           []string    `json:"labels"`
	Held             bool        `json:"held"`
	Blocked          bool        `json:"blocked"`
	BlockedBy        []string    `json:"blocked_by"`
	Parent           string      `json:"parent,omitempty"`
	Claim            *claimJSON  `json:"claim,omitempty"`
	Ready            bool        `json:"ready,omitempty"`
	Stale            bool        `json:"stale,omitempty"`
	Abandoned        bool        `json:"abandoned,omitempty"`
	Archived         bool        `json:"archived,omitempty"`
	ChangesRequested bool        `json:"changes_requested,omitempty"`
	PauseReason      PauseReason `json:"pause_reason,omitempty"`
	PausedByPerson   bool        `json:"paused_by_person,omitempty"`
	Due              string      `json:"due,omitempty"`
	Rank             int64       `json:"rank,omitempty"`
	Revision         int64       `json:"revision"`
	CreatedAt        string      `json:"created_at"`
	UpdatedAt        string      `json:"updated_at"`
}

type commentJSON struct {
	ID    int64  `json:"id"`
	At    string `json:"at"`
	Actor string `json:"actor"`
	Text  string `json:"text"`
}

type closureJSON struct {
	Summary     string `json:"summary,omitempty"`
	Run         string `json:"run"`
	RequestedAt string `json:"requested_at"`
}

type changeJSON struct {
	At       string            `json:"at"`
	Event    string            `json:"event"`
	Actor    string            `json:"actor"`
	Identity string            `json:"identity,omitempty"`
	From     string            `json:"from,omitempty"`
	To       string            `json:"to,omitempty"`
	Revision int64             `json:"revision"`
	Detail   map[string]string `json:"detail,omitempty"`
	Seq      int64             `json:"seq"`
	Key      string            `json:"key,omitempty"`
	Person   string            `json:"person,omitempty"`
	Machine  string            `json:"machine,omitempty"`
}

type fullJSON struct {
	rowJSON
	Links       []string      `json:"links"`
	Description string        `json:"description,omitempty"`
	Criteria    []Criterion   `json:"criteria"`
	Comments    []commentJSON `json:"comments"`
	Closure     *closureJSON  `json:"closure,omitempty"`
	ReviewNote  string        `json:"review_note,omitempty"`
	LastReason  string        `json:"last_reason,omitempty"`
	History     []changeJSON  `json:"history"`
	Work        []workJSON    `json:"work,omitempty"`
	Basis       *basisJSON    `json:"basis,omitempty"`
}

type workFileJSON struct {
	Path  string `json:"path"`
	Edits int64  `json:"edits"`
}

type workJSON struct {
	Run       string         `json:"run"`
	Host      string         `json:"host"`
	Session   string         `json:"session"`
	Agent     string         `json:"agent,omitempty"`
	Kind      runs.Kind      `json:"kind"`
	How       string         `json:"how"` // claimed or attached
	State     runs.State     `json:"state"`
	Outcome   runs.Outcome   `json:"outcome,omitempty"`
	StartedAt string         `json:"started_at"`
	EndedAt   string         `json:"ended_at,omitempty"`
	Worktree  string         `json:"worktree,omitempty"`
	Branch    string         `json:"branch,omitempty"`
	HeadStart string         `json:"head_start,omitempty"`
	HeadEnd   string         `json:"head_end,omitempty"`
	Files     []workFileJSON `json:"files"`
}

type treeJSON struct {
	Worktree  string `json:"worktree"`
	Branch    string `json:"branch,omitempty"`
	HeadStart string `json:"head_start,omitempty"`
	HeadEnd   string `json:"head_end,omitempty"`
	Head      string `json:"head,omitempty"`
	Diff      string `json:"diff,omitempty"`
}

type basisFileJSON struct {
	Path string   `json:"path"`
	Runs []string `json:"runs"`
}

type basisJSON struct {
	Worktrees []treeJSON      `json:"worktrees"`
	Files     []basisFileJSON `json:"files"`
	Changed   string          `json:"changed,omitempty"`
	Resume    string          `json:"resume,omitempty"`
}

func time3339(ms int64) string {
	if ms == 0 {
		return ""
	}
	return stamp(ms)
}

func row(i Issue) rowJSON {
	r := rowJSON{
		Key: i.Key, ID: i.UUID, Title: i.Title, State: i.State, Priority: "p" + strconv.Itoa(i.Priority), Type: i.Type, Labels: some(i.Labels),
		Held: i.Hold, Blocked: i.Blocked, BlockedBy: some(i.BlockedBy), Parent: i.Parent, Ready: i.Ready, Stale: i.Stale,
		Abandoned: i.Abandoned, Archived: i.Archived, ChangesRequested: i.SentBack, PauseReason: i.PauseReason,
		PausedByPerson: i.PausedByPerson, Due: i.Due, Rank: i.Rank, Revision: i.Revision,
		CreatedAt: time3339(i.CreatedAt), UpdatedAt: time3339(i.UpdatedAt),
	}
	if i.Claim.State != Unclaimed {
		r.Claim = &claimJSON{State: i.Claim.State, Run: i.Claim.Run, Host: i.Claim.Host, Since: time3339(i.Claim.Since), Fence: i.Claim.Fence}
	}
	return r
}

func some[T any](in []T) []T {
	if in == nil {
		return []T{}
	}
	return in
}

// Row is an Issue as a row of a list in JSON (SPEC §13).
func Row(i Issue) any { return row(i) }

// FullRow is an Issue as it is shown alone in JSON (SPEC §13).
func FullRow(i Issue) any {
	f := fullJSON{
		rowJSON: row(i), Links: some(i.Links), Description: i.Description, Criteria: some(i.Criteria),
		Comments: []commentJSON{}, LastReason: i.LastReason, History: []changeJSON{},
	}
	for _, c := range i.Comments {
		f.Comments = append(f.Comments, commentJSON{ID: c.ID, At: time3339(c.At), Actor: c.Actor, Text: c.Text})
	}
	if c := i.Closure; c != nil {
		f.Closure = &closureJSON{Summary: c.Summary, Run: c.Run, RequestedAt: time3339(c.RequestedAt)}
	}
	if i.LastReasonOf == RequestChanges {
		f.ReviewNote = i.LastReason
	}
	for _, c := range i.History {
		h := changeRow(c)
		h.Key, h.Person, h.Machine = "", "", ""
		f.History = append(f.History, h)
	}
	for _, w := range i.Work {
		f.Work = append(f.Work, workRow(w))
	}
	if i.Basis != nil {
		f.Basis = basisRow(i)
	}
	return f
}

func workRow(w Work) workJSON {
	r := w.Run
	out := workJSON{
		Run: r.Short(), Host: r.Host, Session: r.Session, Agent: r.Agent, Kind: r.Kind, How: w.How(), State: r.State, Outcome: r.Outcome,
		StartedAt: time3339(r.StartedAt), EndedAt: time3339(r.EndedAt), Worktree: r.Worktree, Branch: r.Branch,
		HeadStart: r.HeadStart, HeadEnd: r.HeadEnd, Files: []workFileJSON{},
	}
	for _, f := range w.Files {
		out.Files = append(out.Files, workFileJSON(f))
	}
	return out
}

func basisRow(i Issue) *basisJSON {
	out := &basisJSON{Worktrees: []treeJSON{}, Files: []basisFileJSON{}, Changed: i.Basis.Changed, Resume: i.Basis.Resume}
	for _, t := range i.Basis.Trees {
		out.Worktrees = append(out.Worktrees, treeJSON(t))
	}
	for _, f := range i.Changed() {
		out.Files = append(out.Files, basisFileJSON(f))
	}
	return out
}

func changeRow(c Change) changeJSON {
	return changeJSON{
		At: time3339(c.At), Event: c.Event, Actor: c.Actor, Identity: c.Identity, From: c.From, To: c.To, Revision: c.Revision,
		Detail: c.Detail, Seq: c.Seq, Key: c.Key, Person: c.Person, Machine: c.Machine,
	}
}
