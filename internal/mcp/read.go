package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"board/internal/fault"
	"board/internal/issues"
)

// Limits of answers, in bytes of JSON where they are bytes.
const (
	defaultLimit = 20
	maxLimit     = 100
	maxList      = 8000 - 400 // of the 8 KB, what is left beside the first line and the cursor
	maxChanges   = 5          // newest rows of the history in one answer; people have the rest
	maxComments  = 16 << 10   // newest comments in one answer; a single one is always shown whole
)

// reader is the argument that every reading tool takes.
type reader struct {
	RunID string `json:"run_id,omitempty"`
}

func (r reader) runID() string { return r.RunID }

type listArgs struct {
	State  issues.State `json:"state,omitempty"`
	Ready  bool         `json:"ready,omitempty"`
	Mine   bool         `json:"mine,omitempty"`
	Label  string       `json:"label,omitempty"`
	Text   string       `json:"text,omitempty"`
	Limit  *int64       `json:"limit,omitempty"`
	Cursor string       `json:"cursor,omitempty"`
	reader
}

type listBody struct {
	head
	Notice     string `json:"notice"`
	Counts     counts `json:"counts"`
	Total      int    `json:"total"`
	Issues     []any  `json:"issues"`
	NextCursor string `json:"next_cursor,omitempty"`
}

// counts are the numbers of the whole project, whatever the filter.
type counts struct {
	Todo             int `json:"todo"`
	InProgress       int `json:"in_progress"`
	Paused           int `json:"paused"`
	InReview         int `json:"in_review"`
	Done             int `json:"done"`
	Canceled         int `json:"canceled"`
	Ready            int `json:"ready"`
	ChangesRequested int `json:"changes_requested"`
}

func countsOf(n issues.Counts) counts {
	return counts{
		n.States[issues.Todo], n.States[issues.InProgress], n.States[issues.Paused], n.States[issues.InReview],
		n.States[issues.Done], n.States[issues.Canceled], n.Ready, n.ChangesRequested,
	}
}

func (c counts) String() string {
	return fmt.Sprintf("todo %d, in_progress %d, paused %d, in_review %d, done %d, canceled %d; ready %d, changes_requested %d",
		c.Todo, c.InProgress, c.Paused, c.InReview, c.Done, c.Canceled, c.Ready, c.ChangesRequested)
}

func list(ctx context.Context, c *call, in listArgs) (reply, error) {
	f := issues.Filter{ProjectID: c.project, Ready: in.Ready, Label: in.Label, Text: in.Text, Limit: defaultLimit, Cursor: in.Cursor}
	if in.Limit != nil {
		if *in.Limit < 1 || *in.Limit > maxLimit {
			return reply{}, fault.New(fault.Invalid, fmt.Sprintf("kanban_list with limit 1 to %d, then next_cursor", maxLimit), "limit %d is out of range", *in.Limit)
		}
		f.Limit = int(*in.Limit)
	}
	switch {
	case in.State != "":
		f.States = []issues.State{in.State}
	case !in.Ready:
		f.States = open()
	}
	if in.Mine {
		run, _, err := c.issues.Acting(ctx, c.actor)
		if err != nil {
			return reply{}, err
		}
		f.Mine = run.LineID
	}
	n, err := c.issues.Counts(ctx, c.project)
	if err != nil {
		return reply{}, err
	}
	// A page is made smaller until it fits; the cursor must be the one that belongs to the rows shown.
	for {
		page, err := c.issues.List(ctx, f)
		if err != nil {
			return reply{}, err
		}
		r := showPage(page, countsOf(n))
		bytes := size(r)
		if bytes <= maxList {
			return r, nil
		}
		if len(page.Issues) == 1 {
			return showShort(page, countsOf(n)), nil
		}
		f.Limit = max(1, min(len(page.Issues)-1, len(page.Issues)*maxList/bytes))
	}
}

// open is the states of Issues that are not over.
func open() []issues.State {
	return []issues.State{issues.Todo, issues.InProgress, issues.Paused, issues.InReview}
}

func showPage(p issues.Page, n counts) reply {
	data := &listBody{Notice: dataNotice, Counts: n, Total: p.Total, Issues: []any{}, NextCursor: p.Next}
	var b strings.Builder
	fmt.Fprintf(&b, "project: %s\n%d of %d Issues. %s\n", n, len(p.Issues), p.Total, dataNotice)
	for _, i := range p.Issues {
		data.Issues = append(data.Issues, issues.Row(i))
		b.WriteString(showLine(i) + "\n")
	}
	if p.Next != "" {
		fmt.Fprintf(&b, "more: kanban_list with cursor %s\n", quote(p.Next))
	}
	return reply{b.String(), data}
}

// showShort is a page of one Issue whose row alone is over the limit, by its labels or blockers: kanban_get has them.
func showShort(p issues.Page, n counts) reply {
	i := p.Issues[0]
	p.Issues = []issues.Issue{{
		Key: i.Key, UUID: i.UUID, ProjectID: i.ProjectID, Title: i.Title, State: i.State, Priority: i.Priority, Hold: i.Hold,
		Blocked: i.Blocked, Ready: i.Ready, Revision: i.Revision, Claim: i.Claim, CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt,
	}}
	r := showPage(p, n)
	r.text += "shortened: kanban_get shows its labels and blockers\n"
	return r
}

func size(r reply) int {
	b, err := json.Marshal(success(nil, r))
	if err != nil {
		return 0
	}
	return len(b)
}

type getArgs struct {
	IssueKey string `json:"issue_key"`
	Cursor   string `json:"cursor,omitempty"`
	reader
}

// issueBody is an Issue, whole or as its row.
type issueBody struct {
	head
	Notice     string         `json:"notice"`
	Repeat     bool           `json:"repeat,omitempty"`
	Issue      any            `json:"issue"`
	Displaced  string         `json:"displaced,omitempty"`
	Children   []string       `json:"children,omitempty"`
	Collisions []collisionRow `json:"collisions,omitempty"`
	Older      int            `json:"older_comments,omitempty"`
	NextCursor string         `json:"next_cursor,omitempty"`
}

// get shows Issues of every project: one may wait for another, and whoever is told so looks there.
func get(ctx context.Context, c *call, in getArgs) (reply, error) {
	i, err := c.issues.Get(ctx, 0, in.IssueKey)
	if err != nil {
		return reply{}, err
	}
	before := int64(0)
	if in.Cursor != "" {
		if before, err = strconv.ParseInt(in.Cursor, 10, 64); err != nil || before < 1 {
			return reply{}, fault.New(fault.Invalid, "kanban_get without cursor", "the cursor is not one of kanban_get")
		}
	}
	text, data := showIssue(i, before)
	return reply{text, data}, nil
}

// showIssue is the whole Issue with the newest comments before a comment, 0 for all.
func showIssue(i issues.Issue, before int64) (string, *issueBody) {
	data := &issueBody{Notice: dataNotice}
	i.Comments, data.Older = newest(i.Comments, before)
	if data.Older > 0 {
		data.NextCursor = strconv.FormatInt(i.Comments[0].ID, 10)
	}
	i.History = i.History[max(0, len(i.History)-maxChanges):] // it grows without bound and decides nothing
	data.Issue = issues.FullRow(i)
	text := showWhole(i, data.Older)
	if data.Older > 0 {
		text += fmt.Sprintf("older comments: kanban_get with cursor %s\n", quote(data.NextCursor))
	}
	return text, data
}

// newest returns the newest comments that fit into an answer, and how many older ones there are.
func newest(all []issues.Comment, before int64) ([]issues.Comment, int) {
	end := len(all)
	for before > 0 && end > 0 && all[end-1].ID >= before {
		end--
	}
	start, n := end, 0
	for start > 0 && (start == end || n+len(all[start-1].Text) <= maxComments) {
		start--
		n += len(all[start].Text)
	}
	return all[start:end], start
}
