package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"board/internal/agents"
	"board/internal/runs"
)

// inboxRow is one thing that waits for a person, and the command that answers it.
type inboxRow struct {
	Code    string `json:"code"`
	Since   string `json:"since,omitempty"`
	Project string `json:"project,omitempty"`
	Issue   string `json:"issue,omitempty"`
	Title   string `json:"title,omitempty"`
	Host    string `json:"host,omitempty"`
	Session string `json:"session,omitempty"`
	Run     string `json:"run,omitempty"`
	Text    string `json:"text,omitempty"`
	Command string `json:"command,omitempty"`
}

func (a *app) inboxCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "inbox",
		Short: "Show what waits for you, oldest first, with the command that answers it",
		Long: `Show what waits for you, oldest first, each with the command that answers it: of all projects from any directory; -P
narrows.

Through a pipe: code, since, project, issue, title, host, session, run, text, command.`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.read(cmd.Context(), func(ctx context.Context, s *session) error {
				project, err := s.narrowed(ctx)
				if err != nil {
					return err
				}
				in, err := s.inbox(ctx, project)
				if err != nil {
					return err
				}
				for _, w := range in.degraded {
					a.warn("%s. More may wait.", w)
				}
				if a.json {
					return a.out.document("inbox", in.rows, "")
				}
				if !a.out.tty {
					for _, r := range in.rows {
						a.out.fields(r.fields()...)
					}
					return nil
				}
				a.out.inbox(in)
				return nil
			})
		},
	}
}

func (r inboxRow) fields() []string {
	return []string{r.Code, r.Since, r.Project, r.Issue, r.Title, r.Host, r.Session, r.Run, r.Text, r.Command}
}

// nothingWaits is the best that an inbox can say.
const nothingWaits = "Nothing waits for you."

// inbox is what waits: items, and row by row how they are shown.
type inbox struct {
	items    []agents.Item
	rows     []inboxRow
	degraded []string
	prefixes map[int64]string
}

func (s *session) inbox(ctx context.Context, project int64) (in inbox, err error) {
	if in.prefixes, err = s.prefixes(ctx); err != nil {
		return in, err
	}
	if in.items, in.degraded, err = agents.Inbox(ctx, s.db, agents.Filter{ProjectID: project}); err != nil {
		return in, err
	}
	in.write()
	return in, nil
}

// write makes the rows of the items.
func (in *inbox) write() {
	in.rows = []inboxRow{}
	for _, i := range in.items {
		in.rows = append(in.rows, inboxRow{
			Code: i.Code, Since: rfc(i.Since), Project: in.prefixes[i.ProjectID], Issue: i.IssueKey, Title: i.Title, Host: i.Host, Session: i.Session,
			Run: runs.ShortHandle(i.Run.ID), Text: i.Text, Command: i.Command,
		})
	}
}

// inbox prints what waits for a person at a terminal. A command is there to be copied: where one does not fit beside the
// rest, they all get lines of their own, and none is ever cut.
func (o *output) inbox(in inbox) {
	if len(in.rows) == 0 {
		o.line(nothingWaits)
		return
	}
	cols := []column{{title: "WHAT"}, {title: "WHERE", flex: true}, {title: "SINCE", right: true}, {title: "ANSWER"}}
	var cells [][]string
	what, answer := 0, 0
	for i, r := range in.rows {
		c := []string{o.style.code(r.Code), o.where(in.items[i], r), o.style.dim(o.ago(in.items[i].Since)), one(r.Command)}
		what, answer = max(what, ansi.StringWidth(c[0])), max(answer, ansi.StringWidth(c[3]))
		cells = append(cells, c)
	}
	if what+goodFlex+len("SINCE")+answer+3*tableGap <= o.width {
		o.table(cols, cells)
		return
	}
	rest := *o
	rest.buf = bytes.Buffer{}
	short := make([][]string, len(cells))
	for i, c := range cells {
		short[i] = c[:3]
	}
	rest.table(cols[:3], short)
	for i, line := range strings.Split(strings.TrimSuffix(rest.buf.String(), "\n"), "\n") {
		o.line(line)
		if i > 0 {
			o.line("  ", cells[i-1][3])
		}
	}
}

// where names the Issue or, where there is none, who it is and what is known of it. Whoever waits in a terminal has to be
// found there: by the host, and the work tree that it runs in.
func (o *output) where(i agents.Item, r inboxRow) string {
	who := one(strings.TrimSpace(r.Host + " " + r.Run))
	if r.Issue != "" {
		title := o.style.bold(one(r.Issue)) + " "
		if i.Run.IsLive() && i.Run.Asks != runs.AsksNothing {
			title += terminalOf(i.Run) + ": "
		}
		return title + one(r.Title)
	}
	if r.Project != "" {
		who = strings.TrimSpace(who + " in " + o.style.bold(one(r.Project)))
	}
	what := r.Text
	if _, detail, ok := strings.Cut(what, ": "); ok {
		what = detail // the rest of it is what the code says
	}
	if who == "" || what == "" {
		return who + one(what)
	}
	return who + ": " + one(what)
}

// terminalOf is where a person finds the terminal of a run.
func terminalOf(r runs.Run) string {
	if r.Worktree == "" {
		return one(r.Host)
	}
	return one(r.Host + " in " + filepath.Base(r.Worktree))
}

// code is an attention code in words: coloured where an agent stands still until it is answered, or where what is shown
// cannot be relied on.
func (s style) code(code string) string {
	switch w := codeWord(code); agents.Code(code) {
	case agents.CodeNeedsApproval, agents.CodeNeedsAnswer:
		return s.person(w)
	case agents.CodeLostWithIssue, agents.CodeCorrelationDegraded, agents.CodeHooksSilent, agents.CodeViewDegraded:
		return s.bad(w)
	default:
		return w
	}
}

// codeWord is an attention code as people read it.
func codeWord(code string) string {
	switch agents.Code(code) {
	case agents.CodeNeedsAnswer:
		return "needs an answer"
	case agents.CodeClosureWaiting:
		return "closure to judge"
	case agents.CodeLostWithIssue:
		return "lost, Issue begun"
	case agents.CodeEditsWithoutIssue:
		return "edits, no Issue"
	case agents.CodeGuaranteeUnavailable:
		return "cannot be judged"
	case agents.CodeCorrelationDegraded:
		return "events do not match"
	case agents.CodeContestedPath:
		return "same files"
	case agents.CodeStaleIssue:
		return "stale"
	case agents.CodeViewDegraded:
		return "partial view"
	}
	return strings.ReplaceAll(code, "_", " ")
}
