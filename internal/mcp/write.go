package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"board/internal/issues"
)

// writer is the arguments that every changing tool takes: who changes, and on what view of its own authority.
type writer struct {
	RunID       string `json:"run_id,omitempty"`
	RunRevision int64  `json:"run_revision,omitempty"`
}

func (w writer) runID() string { return w.RunID }

// priority is a priority as rows show it.
type priority string

func priorities() []priority { return []priority{"p0", "p1", "p2", "p3", "p4"} }

// number is the priority as commands want it, nil for none.
func (p priority) number() *int {
	if n := slices.Index(priorities(), p); n >= 0 {
		return &n
	}
	return nil
}

type createArgs struct {
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	Criteria    []string `json:"criteria,omitempty"`
	Labels      []string `json:"labels,omitempty"`
	Links       []string `json:"links,omitempty"`
	Priority    priority `json:"priority,omitempty"`
	Parent      string   `json:"parent,omitempty"`
	BlockedBy   []string `json:"blocked_by,omitempty"`
	Begin       bool     `json:"begin,omitempty"`
	writer
}

func create(ctx context.Context, c *call, in createArgs) (reply, error) {
	r, err := c.issues.Create(ctx, c.actor, issues.CreateCmd{
		ProjectID: c.project, Title: in.Title, Description: in.Description, Criteria: in.Criteria, Labels: in.Labels, Links: in.Links,
		Priority: in.Priority.number(), Parent: in.Parent, BlockedBy: in.BlockedBy, Begin: in.Begin, RunRevision: in.RunRevision,
	})
	if in.Begin {
		return whole("created and begun", r, err)
	}
	return brief("created", r, err)
}

type updateArgs struct {
	IssueKey      string   `json:"issue_key"`
	IssueRevision int64    `json:"issue_revision,omitempty"`
	Title         *string  `json:"title,omitempty"`
	Description   *string  `json:"description,omitempty"`
	Priority      priority `json:"priority,omitempty"`
	Criteria      []string `json:"criteria,omitempty"`
	Labels        []string `json:"labels,omitempty"`
	RemoveLabels  []string `json:"remove_labels,omitempty"`
	Links         []string `json:"links,omitempty"`
	RemoveLinks   []string `json:"remove_links,omitempty"`
	BlockedBy     []string `json:"blocked_by,omitempty"`
	writer
}

func update(ctx context.Context, c *call, in updateArgs) (reply, error) {
	r, err := c.issues.Edit(ctx, c.actor, issues.EditCmd{
		ProjectID: c.project, Key: in.IssueKey, IssueRevision: in.IssueRevision, RunRevision: in.RunRevision,
		Title: in.Title, Description: in.Description, Priority: in.Priority.number(), AddLabels: in.Labels, RemoveLabels: in.RemoveLabels,
		AddLinks: in.Links, RemoveLinks: in.RemoveLinks, AddCriteria: in.Criteria, AddBlockedBy: in.BlockedBy,
	})
	return brief("updated", r, err)
}

// noteArgs takes run_revision like every changing tool, but nothing is compared with it: a comment needs no authority,
// and a writer that lost its Issue may still leave one.
type noteArgs struct {
	Text     string `json:"text"`
	IssueKey string `json:"issue_key,omitempty"`
	writer
}

type noteBody struct {
	head
	Repeat bool    `json:"repeat,omitempty"`
	Note   noteRow `json:"note"`
}

type noteRow struct {
	ID    int64  `json:"id"`
	At    string `json:"at"`
	Actor string `json:"actor"`
	Text  string `json:"text"`
}

func note(ctx context.Context, c *call, in noteArgs) (reply, error) {
	if in.IssueKey != "" {
		r, err := c.issues.Comment(ctx, c.actor, c.project, in.IssueKey, in.Text)
		return brief("commented", r, err)
	}
	n, err := c.issues.Note(ctx, c.actor, c.project, in.Text)
	if err != nil {
		return reply{}, err
	}
	text := fmt.Sprintf("note %d kept for the project.\n", n.ID)
	if n.Repeat {
		text = fmt.Sprintf("note %d was kept already, nothing was written.\n", n.ID)
	}
	return reply{text, &noteBody{Repeat: n.Repeat, Note: noteRow{n.ID, at(n.At), n.Actor, n.Text}}}, nil
}

type beginArgs struct {
	IssueKey string `json:"issue_key,omitempty"`
	writer
}

func beginWork(ctx context.Context, c *call, in beginArgs) (reply, error) {
	r, err := c.issues.BeginWork(ctx, c.actor, in.writer.move(c, in.IssueKey))
	return whole("begun", r, err)
}

type moveArgs struct {
	IssueKey string `json:"issue_key"`
	writer
}

func resume(ctx context.Context, c *call, in moveArgs) (reply, error) {
	r, err := c.issues.Resume(ctx, c.actor, in.writer.move(c, in.IssueKey))
	return whole("resumed", r, err)
}

func unclaim(ctx context.Context, c *call, in moveArgs) (reply, error) {
	r, err := c.issues.Unclaim(ctx, c.actor, in.writer.move(c, in.IssueKey))
	return brief("given back", r, err)
}

type pauseArgs struct {
	IssueKey string             `json:"issue_key"`
	Reason   issues.PauseReason `json:"reason"`
	Text     string             `json:"text" jsonschema:"why, one sentence"`
	writer
}

func pause(ctx context.Context, c *call, in pauseArgs) (reply, error) {
	m := in.writer.move(c, in.IssueKey)
	m.PauseReason, m.Reason = in.Reason, in.Text
	r, err := c.issues.Pause(ctx, c.actor, m)
	return brief("paused", r, err)
}

type verdictArgs struct {
	N       int            `json:"n"`
	Verdict issues.Verdict `json:"verdict"`
	How     string         `json:"how"`
}

type closureArgs struct {
	IssueKey      string        `json:"issue_key"`
	IssueRevision int64         `json:"issue_revision"`
	Summary       string        `json:"summary,omitempty"`
	Verdicts      []verdictArgs `json:"verdicts,omitempty"`
	writer
}

func requestClosure(ctx context.Context, c *call, in closureArgs) (reply, error) {
	cmd := issues.ClosureCmd{
		ProjectID: c.project, Key: in.IssueKey, RunRevision: in.RunRevision, IssueRevision: in.IssueRevision, Summary: in.Summary,
	}
	for _, v := range in.Verdicts {
		cmd.Judgments = append(cmd.Judgments, issues.Judgment{N: v.N, Verdict: v.Verdict, How: v.How})
	}
	r, err := c.issues.RequestClosure(ctx, c.actor, cmd)
	return brief("closure requested, a person decides now", r, err)
}

func (w writer) move(c *call, key string) issues.MoveCmd {
	return issues.MoveCmd{ProjectID: c.project, Key: key, RunRevision: w.RunRevision}
}

// whole answers with everything about the Issue, so that work can begin without a second call.
func whole(done string, r issues.Result, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	text, data := showIssue(r.Issue, 0)
	data.Repeat = r.Repeat
	notes := ""
	data.Collisions, notes = forecast(r.Collisions)
	return reply{said(done, r) + notes + text, data}, nil
}

// brief answers with the row of the Issue.
func brief(done string, r issues.Result, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	data := &issueBody{Notice: dataNotice, Repeat: r.Repeat, Issue: issues.Row(r.Issue), Displaced: r.Displaced, Children: r.Children}
	return reply{said(done, r) + showLine(r.Issue), data}, nil
}

// said is the first sentence of an answer.
func said(done string, r issues.Result) string {
	s := r.Issue.Key + " " + done
	if r.Repeat {
		s = r.Issue.Key + " was so already, nothing was written: " + done
	}
	if r.Displaced != "" {
		s += "; your subagent " + r.Displaced + " no longer holds it"
	}
	if len(r.Children) > 0 {
		s += "; your subagents " + strings.Join(r.Children, ", ") + " still run"
	}
	return s + ".\n"
}
