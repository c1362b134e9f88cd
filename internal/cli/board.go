package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"board/internal/issues"
	"board/internal/projects"
)

// runBoard is `board` alone.
func (a *app) runBoard(cmd *cobra.Command, _ []string) error {
	all, err := cmd.Flags().GetBool("all")
	if err != nil {
		return err
	}
	return a.read(cmd.Context(), func(ctx context.Context, s *session) error {
		p, err := s.anyProject(ctx)
		if err != nil {
			return err
		}
		if p.ID == 0 {
			if related := s.related(ctx); related != "" {
				a.talk("This directory belongs to no project. If it is another clone of one, or its new place: %s", related)
			}
			return a.home(ctx, s)
		}
		return a.board(ctx, s, p, all)
	})
}

type columnJSON struct {
	State  issues.State `json:"state"`
	Total  int          `json:"total"`
	Issues []any        `json:"issues"`
}

type boardJSON struct {
	Project projectJSON    `json:"project"`
	Counts  map[string]int `json:"counts"`
	Columns []columnJSON   `json:"columns"`
}

func (a *app) board(ctx context.Context, s *session, p projects.Project, all bool) error {
	c, err := s.svc.Counts(ctx, p.ID)
	if err != nil {
		return err
	}
	page, err := s.svc.List(ctx, issues.Filter{ProjectID: p.ID})
	if err != nil {
		return err
	}
	if a.json {
		b := boardJSON{Project: projectRow(p), Counts: counts(c), Columns: []columnJSON{}}
		for _, st := range issues.States() {
			col := columnJSON{State: st, Issues: []any{}}
			for _, i := range page.Issues {
				if i.State == st {
					col.Total++
					col.Issues = append(col.Issues, issues.Row(i))
				}
			}
			b.Columns = append(b.Columns, col)
		}
		return a.out.document("board", b, "")
	}
	if !a.out.tty {
		for _, i := range page.Issues {
			if i.State != issues.Canceled {
				a.out.issueFields(i)
			}
		}
		return nil
	}
	a.out.wrapped("", "", a.out.summary(p, c))
	if len(page.Issues) == 0 {
		a.out.line()
		a.out.line("No Issues yet. Add one: board add TITLE")
		return nil
	}
	lanes := lanesOf(page.Issues)
	a.out.line()
	a.out.columns(lanes, all)
	if foot := a.out.footer(lanes, c); foot != "" {
		a.out.line()
		a.out.line(foot)
	}
	return nil
}

// summary is the first line of the board: the project, and what the person should know before reading on.
func (o *output) summary(p projects.Project, c issues.Counts) string {
	parts := []string{o.style.bold(p.Prefix)}
	if !strings.EqualFold(p.Name, p.Prefix) {
		parts[0] += "  " + one(p.Name)
	}
	if c.WaitingOnPerson > 0 {
		parts = append(parts, o.style.person(fmt.Sprintf("%d waiting for you", c.WaitingOnPerson)))
	}
	if c.ChangesRequested > 0 {
		parts = append(parts, fmt.Sprintf("%d sent back", c.ChangesRequested))
	}
	parts = append(parts, fmt.Sprintf("%d ready", c.Ready))
	if c.Held > 0 {
		parts = append(parts, fmt.Sprintf("%d on hold", c.Held))
	}
	return strings.Join(parts, o.style.dim(" · "))
}

// footer counts what the lanes do not show.
func (o *output) footer(lanes []lane, c issues.Counts) string {
	shown, _ := fitLanes(lanes, o.width)
	if o.width < narrow {
		shown = lanes
	}
	var parts []string
	done := false
	for _, l := range shown {
		done = done || l.quiet
	}
	if n := c.States[issues.Done]; n > 0 && !done {
		parts = append(parts, fmt.Sprintf("%d done", n))
	}
	if n := c.States[issues.Canceled]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d canceled", n))
	}
	if len(parts) == 0 {
		return ""
	}
	return o.style.dim(fitEnd("also "+strings.Join(parts, ", ")+": board list --all", o.width))
}

// counts as JSON, with the states by their names.
func counts(c issues.Counts) map[string]int {
	out := map[string]int{"ready": c.Ready, "changes_requested": c.ChangesRequested, "waiting_on_person": c.WaitingOnPerson, "held": c.Held}
	for _, st := range issues.States() {
		out[string(st)] = c.States[st]
	}
	return out
}
