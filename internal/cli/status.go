package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"board/internal/agents"
)

type statusJSON struct {
	Line     string               `json:"line,omitempty"`
	Counts   map[agents.State]int `json:"counts"`
	Waiting  int                  `json:"waiting"` // things that wait for you
	Oldest   *inboxRow            `json:"oldest,omitempty"`
	Degraded []string             `json:"degraded"`
}

// statusTime is for how long a prompt may wait.
const statusTime = 500 * time.Millisecond

func (a *app) statusCmd() *cobra.Command {
	var line bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say in a line how things stand, for a prompt or a status bar",
		Long: `Say how things stand, of all projects from any directory; -P narrows. With --line in one line for a prompt or a status
bar, and in none where nothing is going on, there is no board, or it cannot be read: it never fails.

Through a pipe, without --line: "agents", then state and number by turns; "waiting" and a number; "oldest" with the fields
of board inbox.`,
		Example: "  set -g status-right '#(board status --line)'    in tmux.conf",
		Args:    exactly(),
	}
	cmd.Flags().BoolVar(&line, "line", false, "one line, or none")
	cmd.PersistentPreRunE = func(*cobra.Command, []string) error { // instead of the root's: -C may fail it, but not the line
		if line {
			return nil
		}
		return a.dirExists()
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, stop := cmd.Context(), func() {}
		if line {
			ctx, stop = context.WithTimeout(ctx, statusTime)
		}
		defer stop()
		err := a.dirExists()
		if err == nil {
			err = a.read(ctx, func(ctx context.Context, s *session) error { return a.status(ctx, s, line) })
		}
		if line && err != nil { // it stands where nobody can act on it
			a.out.buf.Reset()
			return nil
		}
		return err
	}
	return cmd
}

func (a *app) status(ctx context.Context, s *session, line bool) error {
	project, err := s.narrowed(ctx)
	if err != nil {
		return err
	}
	view, err := agents.Look(ctx, s.db, agents.Filter{ProjectID: project})
	if err != nil {
		return err
	}
	in, err := s.inbox(ctx, project)
	if err != nil {
		return err
	}
	st := statusJSON{Line: statusLine(view.Counts, len(in.rows), len(view.Degraded) > 0), Counts: view.Counts, Waiting: len(in.rows), Degraded: append([]string{}, view.Degraded...)}
	if len(in.rows) > 0 {
		st.Oldest = &in.rows[0]
	}
	switch {
	case a.json:
		return a.out.document("status", st, "")
	case line:
		if st.Line != "" {
			a.out.line(st.Line)
		}
		return nil
	}
	a.out.status(view.Counts, in, st)
	return nil
}

func (o *output) status(counts map[agents.State]int, in inbox, st statusJSON) {
	if !o.tty {
		o.fields(append([]string{"agents"}, countFields(counts)...)...)
		for _, w := range st.Degraded {
			o.fields("degraded", w)
		}
		o.fields("waiting", strconv.Itoa(st.Waiting))
		if st.Oldest != nil {
			o.fields(append([]string{"oldest"}, st.Oldest.fields()...)...)
		}
		return
	}
	o.degraded(st.Degraded)
	who := o.stateCounts(counts)
	if len(who) == 0 {
		who = []string{noAgent}
	}
	o.flow(who)
	if st.Oldest == nil {
		o.line(nothingWaits)
		return
	}
	if st.Waiting > 1 {
		o.line(o.style.person(fmt.Sprintf("%d wait for you", st.Waiting)), ", the oldest:")
	}
	in.items, in.rows = in.items[:1], in.rows[:1]
	o.inbox(in)
}

// statusLine is who works, and how much waits for a person: "" for neither.
func statusLine(counts map[agents.State]int, waiting int, partial bool) string {
	var parts []string
	for _, st := range []agents.State{agents.Working, agents.Quiet} {
		if n := counts[st]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, agentWord(st)))
		}
	}
	switch waiting {
	case 0:
	case 1:
		parts = append(parts, "1 needs you")
	default:
		parts = append(parts, fmt.Sprintf("%d need you", waiting))
	}
	if partial {
		parts = append(parts, "partial")
	}
	return strings.Join(parts, " · ")
}
