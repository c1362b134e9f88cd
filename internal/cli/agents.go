package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"board/internal/agents"
	"board/internal/runs"
)

// agentRow is one session, or the agent that stands for it.
type agentRow struct {
	Host      string        `json:"host"`
	Session   string        `json:"session"`
	Project   string        `json:"project,omitempty"`
	Run       string        `json:"run,omitempty"`
	Issue     string        `json:"issue,omitempty"`
	State     agents.State  `json:"state"`
	Since     string        `json:"since,omitempty"`
	LastEvent *lastEventRow `json:"last_event,omitempty"`
	Attention []agents.Code `json:"attention,omitempty"`
	Children  int           `json:"children,omitempty"`
	Contested []contestRow  `json:"contested,omitempty"`
}

// lastEventRow is the event that a state rests on.
type lastEventRow struct {
	Event string `json:"event"`
	At    string `json:"at"`
}

// contestRow is a file that live runs of other sessions changed too.
type contestRow struct {
	Project string   `json:"project,omitempty"`
	Path    string   `json:"path"`
	Runs    []string `json:"runs"`
}

type agentsJSON struct {
	Counts   map[agents.State]int `json:"counts"`
	Agents   []agentRow           `json:"agents"`
	Degraded []string             `json:"degraded"`
}

// noAgent is said where there is none to show.
const noAgent = "No agent is here."

func (a *app) agentsCmd() *cobra.Command {
	var watch, all bool
	cmd := &cobra.Command{
		Use:   "agents",
		Short: "Show what every agent is doing, and on what proof",
		Long: `Show what every agent is doing, of all projects from any directory; -P narrows.

  working          an event within the last 90 seconds
  quiet            none since then, and its time is not up: it may be inside a long call
  asked, waiting   reminded at the end of its turn; or its turn is over, and something runs in the background
  needs approval   a dialog waits for you
  needs answer     a question waits for you
  your turn        its turn is over, and its Issue is in progress
  idle, offline    an open session without a turn; the same, and its host is gone
  lost, ended      never heard of again; ended within the last day (--all)

Each with its age, the event that this rests on, what deserves your attention, and the files that another run
changes too. --watch looks again every second, until Ctrl-C; through a pipe it prints again what has changed.

"cannot be judged" (guarantee_unavailable): the files that it changed are on record, but it is not proven where or by
which turn: its host does not run on this machine as far as the hook could verify, or names no turns. What is missing
is in board stats.

Through a pipe, first "counts", then state and number by turns; after it a line for each agent: "agent", state, since,
host, session, project, issue, run, event, event_at, attention, children, contested (run+run:path, several with
commas between them). "degraded" and words say that something could not be read.`,
		Example: "  board agents --watch\n  board agents -P WEB --json",
		Args:    exactly(),
	}
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "look again every second")
	cmd.Flags().BoolVarP(&all, "all", "a", false, "also those that ended within the last day")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.read(cmd.Context(), func(ctx context.Context, s *session) error {
			look := func(ctx context.Context) error { return a.lookAtAgents(ctx, s, all) }
			if watch {
				return a.repeat(ctx, look)
			}
			return look(ctx)
		})
	}
	return cmd
}

func (a *app) lookAtAgents(ctx context.Context, s *session, all bool) error {
	project, err := s.narrowed(ctx)
	if err != nil {
		return err
	}
	prefixes, err := s.prefixes(ctx)
	if err != nil {
		return err
	}
	view, err := agents.Look(ctx, s.db, agents.Filter{ProjectID: project, All: all})
	if err != nil {
		return err
	}
	data := agentRows(view, prefixes)
	if a.json {
		return a.out.document("agents", data, "")
	}
	a.out.agents(view, data)
	return nil
}

// agentRows is a view for programs.
func agentRows(view agents.View, prefixes map[int64]string) agentsJSON {
	data := agentsJSON{Counts: view.Counts, Agents: []agentRow{}, Degraded: append([]string{}, view.Degraded...)}
	for _, g := range view.Agents {
		r := agentRow{
			Host: g.Host, Session: g.Session, Project: prefixes[g.ProjectID], Run: runs.ShortHandle(g.Run.ID), Issue: g.Issue, State: g.State,
			Since: rfc(g.Since), Attention: g.Attention, Children: g.Children,
		}
		if g.Event != "" {
			r.LastEvent = &lastEventRow{g.Event, rfc(g.EventAt)}
		}
		for _, c := range g.Contested {
			row := contestRow{prefixes[c.ProjectID], c.Path, []string{}}
			for _, id := range c.Runs {
				row.Runs = append(row.Runs, runs.ShortHandle(id))
			}
			r.Contested = append(r.Contested, row)
		}
		data.Agents = append(data.Agents, r)
	}
	return data
}

func (o *output) agents(view agents.View, data agentsJSON) {
	if !o.tty {
		o.agentFields(data)
		return
	}
	o.degraded(data.Degraded)
	if len(view.Agents) == 0 {
		o.line(noAgent)
		return
	}
	o.flow(o.stateCounts(view.Counts))
	o.hosts(view.Agents)
	o.line()
	var cells [][]string
	for i, g := range view.Agents {
		r := data.Agents[i]
		event := strings.ReplaceAll(one(g.Event), "_", " ")
		if event != "" && g.EventAt != g.Since {
			event += " " + o.ago(g.EventAt)
		}
		cells = append(cells, []string{
			o.style.agentState(g.State, agentWord(g.State)), o.style.dim(o.ago(g.Since)), one(g.Host), o.in(r), o.style.dim(r.Run),
			o.style.dim(event), o.regard(g, r),
		})
	}
	o.table([]column{
		{title: "STATE"},
		{title: "SINCE", right: true},
		{title: "HOST"},
		{title: "IN"},
		{title: "RUN", drop: 1},
		{title: "EVENT", drop: 2},
		{title: "NOTE", flex: true},
	}, cells)
}

// in is the Issue, whose key names its project, and the project where that is another one or there is no Issue.
func (o *output) in(r agentRow) string {
	issue, project := one(r.Issue), one(r.Project)
	switch {
	case issue == "":
		return project
	case project == "" || strings.HasPrefix(issue, project+"-"):
		return o.style.bold(issue)
	}
	return o.style.bold(issue) + " from " + project
}

// flow prints parts beside each other, in as many lines as they take. A part is never broken.
func (o *output) flow(parts []string) {
	gap := o.style.dim(" · ")
	line := ""
	for _, p := range parts {
		if line != "" && ansi.StringWidth(line+gap+p) > o.width {
			o.line(line)
			line = ""
		}
		if line != "" {
			line += gap
		}
		line += p
	}
	o.line(line)
}

// degraded says that what follows is a part.
func (o *output) degraded(words []string) {
	for _, w := range words {
		o.wrapped(o.style.bad("partial: "), "  ", one(w))
	}
}

// stateCounts is how many agents are in each state, as many as rows follow.
func (o *output) stateCounts(counts map[agents.State]int) (parts []string) {
	for _, st := range agents.States() {
		if n := counts[st]; n > 0 {
			parts = append(parts, o.style.agentState(st, fmt.Sprintf("%d %s", n, agentWord(st))))
		}
	}
	return parts
}

// countFields are the counts for programs.
func countFields(counts map[agents.State]int) (f []string) {
	for _, st := range agents.States() {
		if n := counts[st]; n > 0 {
			f = append(f, string(st), strconv.Itoa(n))
		}
	}
	return f
}

// ofHost reports whether a code is about the host as such.
func ofHost(c agents.Code) bool {
	return c == agents.CodeCorrelationDegraded || c == agents.CodeHooksSilent
}

// hosts says once what is wrong with a host, rather than beside each of its agents.
func (o *output) hosts(list []agents.Agent) {
	var said []string
	for _, g := range list {
		for _, c := range g.Attention {
			what := one(g.Host) + ": " + o.style.code(string(c))
			if ofHost(c) && !slices.Contains(said, what) {
				said = append(said, what)
				o.line(ansi.Truncate(what+o.style.dim(", board host check "+one(g.Host)), o.width, "…"))
			}
		}
	}
}

// regard is what else deserves attention of an agent: the first file that another run changes too, its subagents, and what
// its state does not say.
func (o *output) regard(g agents.Agent, r agentRow) string {
	var parts []string
	for i, c := range r.Contested {
		if i == 1 {
			parts = append(parts, fmt.Sprintf("%d more such", len(r.Contested)-1))
			break
		}
		parts = append(parts, o.style.bad("with "+strings.Join(c.Runs, ", ")+": "+tail(one(c.Path), goodFlex)))
	}
	for _, c := range g.Attention {
		said := string(c) == string(g.State) || c == agents.CodeLostWithIssue && g.State == agents.Lost || c == agents.CodeContestedPath
		if !said && !ofHost(c) {
			parts = append(parts, o.style.code(string(c)))
		}
	}
	switch g.Children {
	case 0:
	case 1:
		parts = append(parts, "1 subagent")
	default:
		parts = append(parts, fmt.Sprintf("%d subagents", g.Children))
	}
	return strings.Join(parts, ", ")
}

func (o *output) agentFields(data agentsJSON) {
	o.fields(append([]string{"counts"}, countFields(data.Counts)...)...)
	for _, w := range data.Degraded {
		o.fields("degraded", w)
	}
	for _, r := range data.Agents {
		event := lastEventRow{}
		if r.LastEvent != nil {
			event = *r.LastEvent
		}
		var codes, contested []string
		for _, c := range r.Attention {
			codes = append(codes, string(c))
		}
		for _, c := range r.Contested {
			contested = append(contested, strings.Join(c.Runs, "+")+":"+c.Path)
		}
		o.fields("agent", string(r.State), r.Since, r.Host, r.Session, r.Project, r.Issue, r.Run, event.Event, event.At,
			strings.Join(codes, ","), count(int64(r.Children)), strings.Join(contested, ","))
	}
}

// agentWord is a state as people read it.
func agentWord(s agents.State) string { return strings.ReplaceAll(string(s), "_", " ") }

// agentState colours what waits on a person and what went wrong, and dims what is over.
func (s style) agentState(st agents.State, t string) string {
	switch {
	case slices.Contains([]agents.State{agents.NeedsApproval, agents.NeedsAnswer, agents.YourTurn}, st):
		return s.person(t)
	case st == agents.Lost:
		return s.bad(t)
	case slices.Contains([]agents.State{agents.Idle, agents.Offline, agents.Ended}, st):
		return s.dim(t)
	}
	return t
}
