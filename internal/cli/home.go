package cli

import (
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
	Waiting  []waitingJSON       `json:"waiting"`
	Projects []projectCountsJSON `json:"projects"`
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
	page, err := s.svc.List(ctx, issues.Filter{States: openStates()})
	if err != nil {
		return err
	}
	waiting := slices.DeleteFunc(page.Issues, func(i issues.Issue) bool { return waits(i) == "" })
	slices.SortStableFunc(waiting, func(x, y issues.Issue) int { return int(min(1, max(-1, x.UpdatedAt-y.UpdatedAt))) })
	numbers := make([]issues.Counts, len(all))
	for i, p := range all {
		if numbers[i], err = s.svc.Counts(ctx, p.ID); err != nil {
			return err
		}
	}
	if a.json {
		h := homeJSON{Waiting: []waitingJSON{}, Projects: []projectCountsJSON{}}
		for _, i := range waiting {
			h.Waiting = append(h.Waiting, waitingJSON{waits(i), issues.Row(i)})
		}
		for i, p := range all {
			h.Projects = append(h.Projects, projectCountsJSON{projectRow(p), counts(numbers[i])})
		}
		return a.out.document("projects", h, "")
	}
	a.out.home(waiting, all, numbers)
	return nil
}

func (o *output) home(waiting []issues.Issue, all []projects.Project, numbers []issues.Counts) {
	if !o.tty {
		for _, i := range waiting {
			o.fields("waiting", i.Key, waits(i), i.Title, rfc(i.UpdatedAt))
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
	if len(waiting) == 0 {
		o.line("Nothing waits for you.")
	} else {
		o.line(o.style.person("Waiting for you"))
		var cells [][]string
		for _, i := range waiting {
			cells = append(cells, []string{o.style.bold(i.Key), one(i.Title), waits(i), o.style.dim(o.ago(i.UpdatedAt))})
		}
		o.table([]column{{title: "KEY"}, {title: "TITLE", flex: true}, {title: "TO DO"}, {title: "SINCE", right: true, drop: 1}}, cells)
	}
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
