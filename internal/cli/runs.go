package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"board/internal/runs"
)

// scopeRow is one project that a run was at work in, and what can be proven of it there.
type scopeRow struct {
	Project    string       `json:"project"`
	Capability runs.Verdict `json:"capability"`
	Missing    string       `json:"missing,omitempty"`
	Evidence   int64        `json:"evidence"`
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
	Where       string     `json:"execution_host"`
	Scopes      []scopeRow `json:"scopes"`
	Worktree    string     `json:"worktree,omitempty"`
	Branch      string     `json:"branch,omitempty"`
	HeadStart   string     `json:"head_start,omitempty"`
	HeadEnd     string     `json:"head_end,omitempty"`
	Resume      string     `json:"resume,omitempty"`
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
last_seen_at, lease_until, ended_at, reason, evidence, execution_host, scopes, worktree, branch, head_start, head_end,
resume. A scope is project:capability:missing:evidence; several have commas between them.`,
		Args: exactly(),
	}
	f := cmd.Flags()
	f.BoolVar(&live, "live", false, "only those that work now")
	f.StringVar(&conversation, "session", "", "only of the session with this `ID`")
	f.StringVar(&host, "host", "", "only of this `HOST`")
	f.IntVarP(&limit, "limit", "L", 30, "at most `N`")
	must(cmd.RegisterFlagCompletionFunc("host", cobra.FixedCompletions(configHosts(), cobra.ShellCompDirectiveNoFileComp)))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := knownHost(host); err != nil {
			return err
		}
		if limit <= 0 {
			return usage("for example -L 50", "--limit is a number of runs, and at least 1")
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
			if len(list) == 0 {
				a.talk("%s", noRun(conversation, project != 0 || host != "" || live))
			}
			return a.printRuns(n, list)
		})
	}
	return cmd
}

// noRun says what an empty list means: a flag that narrows it may be all that keeps it empty.
func noRun(conversation string, narrowed bool) string {
	switch {
	case conversation != "" && narrowed:
		return "No such run of that session is on record."
	case conversation != "":
		return "No run of that session is on record."
	case narrowed:
		return "No such run is on record."
	}
	return "No agent has run yet."
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
			Issue: n.issues[r.IssueID], Project: n.projects[r.ProjectID], Where: place(r.ExecutionHost), Scopes: []scopeRow{},
			Worktree: r.Worktree, Branch: r.Branch, HeadStart: r.HeadStart, HeadEnd: r.HeadEnd, Resume: runs.ResumeLine(r.Host, r.Session),
			StartedAt: rfc(r.StartedAt), LastSeenAt: rfc(r.LastSeenAt), LeaseUntil: rfc(r.LeaseUntil), EndedAt: rfc(r.EndedAt), Reason: r.Reason,
		}
		for _, sc := range r.Projects {
			row.Scopes = append(row.Scopes, scopeRow{n.projects[sc.ProjectID], sc.Verdict, sc.Missing, sc.Evidence})
		}
		data = append(data, row)
	}
	if a.json {
		return a.out.document("runs", data, "")
	}
	if len(data) == 0 {
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
				r.StartedAt, r.LastSeenAt, r.LeaseUntil, r.EndedAt, r.Reason, strconv.FormatInt(evidence, 10),
				r.Where, scopeFields(r.Scopes), r.Worktree, r.Branch, r.HeadStart, r.HeadEnd, r.Resume)
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
			o.style.bold(r.Run), one(r.Host), state, r.Issue, one(r.Project), what, o.style.dim(one(r.Branch)), count(evidence), o.style.dim(o.ago(list[i].StartedAt)), o.style.dim(o.ago(list[i].LastSeenAt)),
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
			{title: "BRANCH", drop: 5},
			{title: "FILES", right: true, drop: 3},
			{title: "STARTED", right: true, drop: 4},
			{title: "SEEN", right: true},
		}, cells)
	}
	return nil
}

// place is where a host runs, in a word.
func place(h runs.ExecutionHost) string {
	if h == runs.Nowhere {
		return "unknown"
	}
	return string(h)
}

func scopeFields(list []scopeRow) string {
	var out []string
	for _, s := range list {
		out = append(out, strings.Join([]string{s.Project, string(s.Capability), s.Missing, strconv.FormatInt(s.Evidence, 10)}, ":"))
	}
	return strings.Join(out, ",")
}

func count(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}
