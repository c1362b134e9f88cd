package cli

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"board/internal/fault"
	"board/internal/issues"
	"board/internal/projects"
)

type waitingJSON struct {
	For   string `json:"for"`
	Issue any    `json:"issue"`
}

type projectCountsJSON struct {
	projectJSON
	Counts map[string]int `json:"counts"`
}

type homeJSON struct {
	Waiting  []waitingJSON       `json:"waiting"` // the Issues among what waits, whole
	Projects []projectCountsJSON `json:"projects"`
	Inbox    []inboxRow          `json:"inbox"`
	Degraded []string            `json:"degraded,omitempty"`
}

// home is the board outside of a project: what waits on a person, and one line per project.
func (a *app) home(ctx context.Context, s *session) error {
	all, err := projects.All(ctx, s.db.SQL())
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fault.New(fault.NoProject, "run board init in a repository", "there is no project yet")
	}
	in, err := s.inbox(ctx, 0)
	if err != nil {
		return err
	}
	numbers := make([]issues.Counts, len(all))
	for i, p := range all {
		if numbers[i], err = s.svc.Counts(ctx, p.ID); err != nil {
			return err
		}
	}
	if a.json {
		h := homeJSON{Inbox: in.rows, Degraded: in.degraded, Projects: []projectCountsJSON{}}
		if h.Waiting, err = s.waitingIssues(ctx); err != nil {
			return err
		}
		for i, p := range all {
			h.Projects = append(h.Projects, projectCountsJSON{projectRow(p), counts(numbers[i])})
		}
		return a.out.document("projects", h, "")
	}
	a.out.home(in, all, numbers)
	return nil
}

// waitingIssues are those that wait on a person, the longest first.
func (s *session) waitingIssues(ctx context.Context) ([]waitingJSON, error) {
	page, err := s.svc.List(ctx, issues.Filter{States: openStates()})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(page.Issues, func(x, y issues.Issue) int { return cmp.Compare(x.UpdatedAt, y.UpdatedAt) })
	out := []waitingJSON{}
	for _, i := range page.Issues {
		if what := waits(i); what != "" {
			out = append(out, waitingJSON{what, issues.Row(i)})
		}
	}
	return out, nil
}

func (o *output) home(in inbox, all []projects.Project, numbers []issues.Counts) {
	if !o.tty {
		for _, r := range in.rows {
			o.fields(append([]string{"waiting"}, r.fields()...)...)
		}
		for i, p := range all {
			f := []string{"project", p.Prefix, p.Name, p.Root}
			for _, st := range issues.States() {
				f = append(f, strconv.Itoa(numbers[i].States[st]))
			}
			o.fields(append(f, strconv.Itoa(numbers[i].Ready))...)
		}
		return
	}
	o.degraded(in.degraded)
	o.inbox(in)
	o.line()
	cols := []column{
		{title: "PROJECT"},
		{title: "NAME", flex: true},
		{title: "READY", right: true},
		{title: "TODO", right: true, drop: 1},
		{title: "BEGUN", right: true},
		{title: "REVIEW", right: true},
		{title: "DONE", right: true, drop: 2},
		{title: "WHERE", drop: 3},
	}
	var cells [][]string
	for i, p := range all {
		n := numbers[i].States
		cells = append(cells, []string{
			o.style.bold(p.Prefix), one(p.Name), num(numbers[i].Ready), num(n[issues.Todo]), num(n[issues.InProgress] + n[issues.Paused]),
			num(n[issues.InReview]), num(n[issues.Done]), o.style.dim(tail(one(p.Root), o.width/3)),
		})
	}
	o.table(cols, cells)
}

func num(n int) string {
	if n == 0 {
		return "–"
	}
	return strconv.Itoa(n)
}

// tail keeps the end of a path, which tells more than its beginning.
func tail(path string, w int) string {
	if ansi.StringWidth(path) <= w {
		return path
	}
	return "…" + ansi.TruncateLeft(path, ansi.StringWidth(path)-w+1, "")
}

// fitEnd cuts s to w cells without filling it.
func fitEnd(s string, w int) string { return strings.TrimRight(ansi.Truncate(s, w, "…"), " ") }
