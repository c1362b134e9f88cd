package mcp

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"board/internal/fault"
	"board/internal/text"
)

// reply is what a tool answers, whole in both forms: hosts show a model only one of them, and not the same one.
type reply struct {
	text string // without the first line
	data body
}

// body is an answer as a JSON object. All bodies embed head.
type body interface{ by(c *caller) }

// head is what every body starts with.
type head struct {
	Caller *caller `json:"caller,omitempty"`
}

func (h *head) by(c *caller) { h.Caller = c }

// caller is the first line of every answer in its structured form: the values to pass in the next call.
type caller struct {
	RunID       string `json:"run_id"`
	RunRevision int64  `json:"run_revision"`
	IssueKey    string `json:"issue_key,omitempty"` // that the run's line holds

	line string
}

func success(c *caller, r reply) *mcp.CallToolResult {
	r.data.by(c)
	return &mcp.CallToolResult{
		Content:           []mcp.Content{mcp.NewTextContent(firstLine(c) + strings.TrimRight(r.text, "\n"))},
		StructuredContent: r.data,
	}
}

func firstLine(c *caller) string {
	if c == nil {
		return ""
	}
	return c.line + "\n"
}

// failure is an error as a model gets it: the first line, code, one sentence, the next step, in at most maxError bytes.
// There is no structured form: some clients would show that instead of the text.
func failure(c *caller, err error) *mcp.CallToolResult {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		err = fault.Wrap(err, fault.StoreBusy, "call again", "the call was not done in time, nothing was written")
	}
	v := fault.ViewOf(err)
	switch {
	case v.Code == fault.NotFound: // its hint names a command
		v.Hint = "kanban_list shows the keys of this project"
	case v.Hint == "":
		v.Hint = "look with kanban_list or kanban_get, then decide"
	}
	start := firstLine(c) + string(v.Code) + ": "
	next := ". Next: " + clip(oneLine(v.Hint), maxError/2-len(". Next: "))
	message := strings.TrimRight(oneLine(v.Message), ".")
	return &mcp.CallToolResult{
		Content: []mcp.Content{mcp.NewTextContent(start + clip(message, maxError-len(start)-len(next)) + next)},
		IsError: true,
	}
}

// clip cuts s to max bytes, at a rune.
func clip(s string, max int) string {
	const dots = "…"
	if len(s) <= max {
		return s
	}
	n := max - len(dots)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + dots
}

func oneLine(s string) string { return text.Visible(strings.ReplaceAll(s, "\n", " "), false) }

// quote shows foreign text on one line, with marks that it cannot end.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text.Visible(s, false)) + `"`
}

// block shows foreign text of several lines. Every line of it starts with a bar, so that no text can pretend to be the
// end of the block.
func block(b *strings.Builder, s string) {
	for l := range strings.SplitSeq(text.Visible(strings.TrimRight(s, "\n"), true), "\n") {
		b.WriteString("| " + l + "\n")
	}
}
