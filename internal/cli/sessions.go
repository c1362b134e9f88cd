package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"board/internal/runs"
)

// digestRow is what an ended stretch left behind.
type digestRow struct {
	Runs    int              `json:"runs"`
	Outcome string           `json:"outcome,omitempty"`
	Files   int              `json:"files"`
	Paths   []string         `json:"paths"`
	Issues  []digestIssueRow `json:"issues"`
}

type digestIssueRow struct {
	Key   string   `json:"key"`
	Moves []string `json:"moves"`
}

type sessionRow struct {
	Host       string     `json:"host"`
	Session    string     `json:"session"`
	Stretch    int64      `json:"stretch"`
	State      string     `json:"state"`
	End        string     `json:"end,omitempty"`
	Reason     string     `json:"reason,omitempty"`
	Project    string     `json:"project,omitempty"`
	Issue      string     `json:"issue,omitempty"`
	Run        string     `json:"run,omitempty"`
	RunState   string     `json:"run_state,omitempty"`
	Runs       int64      `json:"runs"`
	Digest     *digestRow `json:"digest,omitempty"` // of a stretch that has ended
	Resume     string     `json:"resume,omitempty"`
	OpenedAt   string     `json:"opened_at"`
	LastSeenAt string     `json:"last_seen_at,omitempty"`
	EndedAt    string     `json:"ended_at,omitempty"`
}

func (a *app) sessionsCmd() *cobra.Command {
	var open bool
	var limit int
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "Show the sessions of agents, newest first",
		Long: `Show the sessions of agents, newest first, of all projects; -P narrows. A session that was resumed after its end has one
row for each stretch. Of one that has ended you see what it did to which Issues, the files it changed, and how its last
turn ended. A session goes on with its resume line, in the folder where it was held.

Through a pipe: host, session, stretch, state, end, project, issue, run, run_state, runs, opened_at, last_seen_at,
ended_at, reason, issues, files, outcome, resume. An Issue is key:move+move; several have commas between them.`,
		Args: exactly(),
	}
	cmd.Flags().BoolVar(&open, "open", false, "only those that are open")
	cmd.Flags().IntVarP(&limit, "limit", "L", 30, "at most `N`")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if limit <= 0 {
			return usage("for example -L 50", "--limit is a number of sessions, and at least 1")
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
			digests, err := s.digests(ctx, list)
			if err != nil {
				return err
			}
			return a.printSessions(n, list, digests)
		})
	}
	return cmd
}

// digests returns what the ended ones of the stretches left behind, nil for the others.
func (s *session) digests(ctx context.Context, list []runs.SessionView) ([]*digestRow, error) {
	found := make([]runs.Digest, len(list))
	var ids []any
	for i, v := range list {
		if v.Open() {
			continue
		}
		var err error
		if found[i], err = runs.DigestOf(ctx, s.db.SQL(), s.db.Now(), runs.Line{ID: v.LineID, Host: v.Host, Session: v.Session}, v.N); err != nil {
			return nil, err
		}
		for _, is := range found[i].Issues {
			ids = append(ids, is.ID)
		}
	}
	keys, err := s.issueKeys(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make([]*digestRow, len(list))
	for i, d := range found {
		if list[i].Open() {
			continue
		}
		row := &digestRow{Runs: d.Runs, Outcome: string(d.Outcome), Files: d.Files, Paths: append([]string{}, d.Paths...), Issues: []digestIssueRow{}}
		for _, is := range d.Issues {
			row.Issues = append(row.Issues, digestIssueRow{keys[is.ID], is.Moves})
		}
		out[i] = row
	}
	return out, nil
}

// leftBehind is a digest in a few words: the Issues first, each with what was done to it last.
func (d *digestRow) leftBehind() string {
	if d == nil {
		return ""
	}
	var parts []string
	for _, is := range d.Issues {
		parts = append(parts, is.Key+" "+strings.ReplaceAll(is.Moves[len(is.Moves)-1], "_", " "))
	}
	switch d.Files {
	case 0:
	case 1:
		parts = append(parts, "1 file")
	default:
		parts = append(parts, strconv.Itoa(d.Files)+" files")
	}
	if d.Outcome != "" && d.Outcome != string(runs.Unknown) { // that says nothing
		parts = append(parts, d.Outcome)
	}
	return strings.Join(parts, ", ")
}

// fields are the digest for programs: Issues with their moves, files, outcome.
func (d *digestRow) fields() []string {
	if d == nil {
		return []string{"", "", ""}
	}
	var list []string
	for _, is := range d.Issues {
		list = append(list, is.Key+":"+strings.Join(is.Moves, "+"))
	}
	return []string{strings.Join(list, ","), strconv.Itoa(d.Files), d.Outcome}
}

func (a *app) printSessions(n names, list []runs.SessionView, digests []*digestRow) error {
	data := make([]sessionRow, 0, len(list))
	for i, s := range list {
		data = append(data, sessionRow{
			Host: s.Host, Session: s.Session, Stretch: s.N, State: string(s.State), End: string(s.Basis), Reason: s.Reason,
			Project: n.projects[s.ProjectID], Issue: n.issues[s.Held], Run: runs.ShortHandle(s.Newest.ID), RunState: string(s.Newest.State), Runs: s.Runs,
			Digest: digests[i], Resume: runs.ResumeLine(s.Host, s.Session),
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
			f := []string{
				r.Host, r.Session, strconv.FormatInt(r.Stretch, 10), r.State, r.End, r.Project, r.Issue, r.Run, r.RunState,
				strconv.FormatInt(r.Runs, 10), r.OpenedAt, r.LastSeenAt, r.EndedAt, r.Reason,
			}
			o.fields(append(append(f, r.Digest.fields()...), r.Resume)...)
			continue
		}
		state := "open"
		if !list[i].Open() {
			state = o.style.dim("ended") // that its digest is written makes no difference
		}
		if r.End == string(runs.Inferred) {
			state += o.style.dim("?")
		}
		what := r.Digest.leftBehind()
		if list[i].Open() {
			what = strings.TrimSpace(r.Issue + " " + r.Run + " " + r.RunState)
		}
		cells = append(cells, []string{
			one(r.Host), state, one(r.Project), what, strconv.FormatInt(r.Runs, 10), one(r.Session),
			o.style.dim(o.ago(list[i].OpenedAt)), o.style.dim(o.ago(list[i].LastSeenAt)),
		})
	}
	if o.tty {
		o.table([]column{
			{title: "HOST"},
			{title: "STATE"},
			{title: "IN", drop: 2},
			{title: "WHAT", flex: true},
			{title: "RUNS", right: true, drop: 4},
			{title: "SESSION", drop: 5},
			{title: "OPENED", right: true, drop: 3},
			{title: "SEEN", right: true},
		}, cells)
	}
	return nil
}
