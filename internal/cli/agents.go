package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"board/internal/fault"
	"board/internal/mcp"
	"board/internal/runs"
	"board/internal/store"
)

type scopeRow struct {
	Project  string `json:"project"`
	Evidence int64  `json:"evidence"`
}

type runRow struct {
	Run         string     `json:"run"`
	Host        string     `json:"host"`
	Session     string     `json:"session"`
	Turn        string     `json:"turn,omitempty"`
	Agent       string     `json:"agent,omitempty"`
	AgentType   string     `json:"agent_type,omitempty"`
	Parent      string     `json:"parent,omitempty"`
	ParentBasis string     `json:"parent_basis,omitempty"`
	Kind        string     `json:"kind"`
	Origin      string     `json:"origin"`
	State       string     `json:"state"`
	Outcome     string     `json:"outcome,omitempty"`
	End         string     `json:"end,omitempty"`
	Revision    int64      `json:"revision"`
	Issue       string     `json:"issue,omitempty"`
	Project     string     `json:"project,omitempty"`
	Scopes      []scopeRow `json:"scopes"`
	StartedAt   string     `json:"started_at"`
	LastSeenAt  string     `json:"last_seen_at"`
	LeaseUntil  string     `json:"lease_until"`
	EndedAt     string     `json:"ended_at,omitempty"`
	Reason      string     `json:"reason,omitempty"`
}

func (a *app) runsCmd() *cobra.Command {
	var live bool
	var conversation, host string
	var limit int
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "Show the runs of agents, newest first",
		Long: `Show the runs of agents, newest first, of all projects; -P narrows.

Through a pipe: run, host, state, outcome, end, kind, origin, issue, project, session, turn, agent, parent, started_at,
last_seen_at, lease_until, ended_at, reason, evidence.`,
		Args: exactly(),
	}
	f := cmd.Flags()
	f.BoolVar(&live, "live", false, "only those that work now")
	f.StringVar(&conversation, "session", "", "only of the session with this `ID`")
	f.StringVar(&host, "host", "", "only of this `HOST`")
	f.IntVarP(&limit, "limit", "L", 30, "at most `N`")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := knownHost(host); err != nil {
			return err
		}
		if limit <= 0 {
			return usage("", "--limit is a number of runs")
		}
		return a.read(cmd.Context(), func(ctx context.Context, s *session) error {
			n, err := s.names(ctx)
			if err != nil {
				return err
			}
			project, err := s.narrowed(ctx)
			if err != nil {
				return err
			}
			list, err := runs.List(ctx, s.db.SQL(), s.db.Now(), runs.RunFilter{ProjectID: project, Host: host, Session: conversation, LiveOnly: live, Limit: limit})
			if err != nil {
				return err
			}
			return a.printRuns(n, list)
		})
	}
	return cmd
}

// narrowed is the project that -P names, 0 without it: agents are listed for all projects from any directory.
func (s *session) narrowed(ctx context.Context) (int64, error) {
	if s.app.prefix == "" {
		return 0, nil
	}
	p, err := s.project(ctx)
	return p.ID, err
}

func (a *app) printRuns(n names, list []runs.RunView) error {
	data := make([]runRow, 0, len(list))
	for _, r := range list {
		row := runRow{
			Run: r.Short(), Host: r.Host, Session: r.Session, Turn: r.Turn, Agent: r.Agent, AgentType: r.AgentType,
			Parent: runs.ShortHandle(r.ParentID), ParentBasis: r.ParentBasis, Kind: string(r.Kind), Origin: string(r.Origin),
			State: string(r.State), Outcome: string(r.Outcome), End: string(r.Basis), Revision: r.Revision,
			Issue: n.issues[r.IssueID], Project: n.projects[r.ProjectID], Scopes: []scopeRow{},
			StartedAt: rfc(r.StartedAt), LastSeenAt: rfc(r.LastSeenAt), LeaseUntil: rfc(r.LeaseUntil), EndedAt: rfc(r.EndedAt), Reason: r.Reason,
		}
		for _, sc := range r.Projects {
			row.Scopes = append(row.Scopes, scopeRow{n.projects[sc.ProjectID], sc.Evidence})
		}
		data = append(data, row)
	}
	if a.json {
		return a.out.document("runs", data, "")
	}
	if len(data) == 0 {
		a.talk("No agent has run yet.")
		return nil
	}
	o := a.out
	var cells [][]string
	for i, r := range data {
		evidence := int64(0)
		for _, sc := range r.Scopes {
			evidence += sc.Evidence
		}
		if !o.tty {
			o.fields(r.Run, r.Host, r.State, r.Outcome, r.End, r.Kind, r.Origin, r.Issue, r.Project, r.Session, r.Turn, r.Agent, r.Parent,
				r.StartedAt, r.LastSeenAt, r.LeaseUntil, r.EndedAt, r.Reason, strconv.FormatInt(evidence, 10))
			continue
		}
		state := r.State
		switch {
		case r.Outcome == string(runs.Lost) || r.Outcome == string(runs.Failed):
			state = o.style.bad(r.Outcome)
		case r.Outcome != "":
			state = o.style.dim(r.Outcome)
		}
		if r.End == string(runs.Inferred) {
			state += o.style.dim("?")
		}
		what := r.Kind
		if r.Parent != "" {
			what += " of " + r.Parent
		}
		if r.AgentType != "" {
			what += " (" + one(r.AgentType) + ")"
		}
		cells = append(cells, []string{
			o.style.bold(r.Run), one(r.Host), state, r.Issue, one(r.Project), what, count(evidence), o.style.dim(o.ago(list[i].StartedAt)), o.style.dim(o.ago(list[i].LastSeenAt)),
		})
	}
	if o.tty {
		o.table([]column{
			{title: "RUN"},
			{title: "HOST"},
			{title: "STATE"},
			{title: "ISSUE"},
			{title: "IN", drop: 2},
			{title: "WHAT", flex: true},
			{title: "FILES", right: true, drop: 3},
			{title: "STARTED", right: true, drop: 4},
			{title: "SEEN", right: true},
		}, cells)
	}
	return nil
}

func count(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

type sessionRow struct {
	Host       string `json:"host"`
	Session    string `json:"session"`
	Stretch    int64  `json:"stretch"`
	State      string `json:"state"`
	End        string `json:"end,omitempty"`
	Reason     string `json:"reason,omitempty"`
	Project    string `json:"project,omitempty"`
	Issue      string `json:"issue,omitempty"`
	Run        string `json:"run,omitempty"`
	RunState   string `json:"run_state,omitempty"`
	Runs       int64  `json:"runs"`
	OpenedAt   string `json:"opened_at"`
	LastSeenAt string `json:"last_seen_at,omitempty"`
	EndedAt    string `json:"ended_at,omitempty"`
}

func (a *app) sessionsCmd() *cobra.Command {
	var open bool
	var limit int
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "Show the sessions of agents, newest first",
		Long: `Show the sessions of agents, newest first, of all projects; -P narrows. A session that was resumed after its end has one
row for each stretch.

Through a pipe: host, session, stretch, state, end, project, issue, run, run_state, runs, opened_at, last_seen_at,
ended_at, reason.`,
		Args: exactly(),
	}
	cmd.Flags().BoolVar(&open, "open", false, "only those that are open")
	cmd.Flags().IntVarP(&limit, "limit", "L", 30, "at most `N`")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if limit <= 0 {
			return usage("", "--limit is a number of sessions")
		}
		return a.read(cmd.Context(), func(ctx context.Context, s *session) error {
			n, err := s.names(ctx)
			if err != nil {
				return err
			}
			project, err := s.narrowed(ctx)
			if err != nil {
				return err
			}
			list, err := runs.Sessions(ctx, s.db.SQL(), s.db.Now(), runs.SessionFilter{ProjectID: project, OpenOnly: open, Limit: limit})
			if err != nil {
				return err
			}
			return a.printSessions(n, list)
		})
	}
	return cmd
}

func (a *app) printSessions(n names, list []runs.SessionView) error {
	data := make([]sessionRow, 0, len(list))
	for _, s := range list {
		data = append(data, sessionRow{
			Host: s.Host, Session: s.Session, Stretch: s.N, State: string(s.State), End: string(s.Basis), Reason: s.Reason,
			Project: n.projects[s.ProjectID], Issue: n.issues[s.Held], Run: runs.ShortHandle(s.Newest.ID), RunState: string(s.Newest.State), Runs: s.Runs,
			OpenedAt: rfc(s.OpenedAt), LastSeenAt: rfc(s.LastSeenAt), EndedAt: rfc(s.EndedAt),
		})
	}
	if a.json {
		return a.out.document("sessions", data, "")
	}
	if len(data) == 0 {
		a.talk("No agent has worked yet.")
		return nil
	}
	o := a.out
	var cells [][]string
	for i, r := range data {
		if !o.tty {
			o.fields(r.Host, r.Session, strconv.FormatInt(r.Stretch, 10), r.State, r.End, r.Project, r.Issue, r.Run, r.RunState,
				strconv.FormatInt(r.Runs, 10), r.OpenedAt, r.LastSeenAt, r.EndedAt, r.Reason)
			continue
		}
		state := "open"
		if !list[i].Open() {
			state = o.style.dim(r.State)
		}
		if r.End == string(runs.Inferred) {
			state += o.style.dim("?")
		}
		newest := strings.TrimSpace(r.Run + " " + r.RunState)
		cells = append(cells, []string{
			one(r.Host), state, r.Issue, one(r.Project), newest, strconv.FormatInt(r.Runs, 10), one(r.Session),
			o.style.dim(o.ago(list[i].OpenedAt)), o.style.dim(o.ago(list[i].LastSeenAt)),
		})
	}
	if o.tty {
		o.table([]column{
			{title: "HOST"},
			{title: "STATE"},
			{title: "ISSUE"},
			{title: "IN", drop: 1},
			{title: "NEWEST RUN"},
			{title: "RUNS", right: true, drop: 3},
			{title: "SESSION", flex: true, drop: 2},
			{title: "OPENED", right: true, drop: 4},
			{title: "SEEN", right: true},
		}, cells)
	}
	return nil
}

func (a *app) mcpCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve the board's tools to an agent over stdio",
		Long:  "Serve the board's tools to an agent over stdio. Hosts start it; stdout carries the protocol alone.",
		Args:  exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return mcp.Serve(cmd.Context(), mcp.Options{
				In: a.Stdin, Out: a.Stdout, Err: a.Stderr, Cwd: a.dir(), Version: a.Version,
				Open: func(ctx context.Context) (*store.DB, error) {
					db, err := a.openWrite(ctx, false)
					return db, a.missing(err)
				},
				Drain: settle,
			})
		},
	}
}

// hookCmd is for its help: Run hands every other `board hook` over before anything here is looked at.
func (a *app) hookCmd() *cobra.Command {
	return &cobra.Command{
		Use:                "hook --host HOST --protocol N",
		Short:              "Take an event from a host, as board-hook does",
		Long:               "Take one event of a host from stdin and answer it. Hosts start it; it always exits 0.",
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if helpAlone(args) {
				return cmd.Help()
			}
			return fault.New(fault.Usage, "board hook --host claude-code", "hook is the first word of the command line")
		},
	}
}

// helpAlone reports whether the arguments ask for help and for nothing else.
func helpAlone(args []string) bool {
	return len(args) == 1 && (args[0] == "--help" || args[0] == "-h")
}
