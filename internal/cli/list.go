package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"board/internal/fault"
	"board/internal/issues"
	"board/internal/projects"
	"board/internal/text"
)

type listOptions struct {
	states                       []string
	ready, waiting, all, archive bool
	label, search                string
	limit                        int
	cursor                       string
}

func (a *app) listCmd() *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:     "list [flags]",
		Aliases: []string{"ls"},
		Short:   "List Issues",
		Long: `List the open Issues of the project, of all projects outside of one.

Through a pipe: one Issue a line, fields separated by tabs: key, state, priority, title, type, labels, held, blocked_by,
claim, run, host, since, parent, ready, revision, created_at, updated_at.`,
		Example: "  board list --ready\n  board list --state in_review,paused\n  board list --all --label ui --json",
		Args:    exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.read(cmd.Context(), func(ctx context.Context, s *session) error { return a.list(ctx, s, o) })
		},
	}
	f := cmd.Flags()
	f.StringSliceVarP(&o.states, "state", "s", nil, "only these `STATES`: "+stateNames())
	f.BoolVar(&o.ready, "ready", false, "only what the next agent may take")
	f.BoolVar(&o.waiting, "waiting", false, "only what waits on a person")
	f.StringVarP(&o.label, "label", "l", "", "only with this `LABEL`")
	f.StringVar(&o.search, "text", "", "only with this `TEXT` in title or description")
	f.BoolVarP(&o.all, "all", "a", false, "done and canceled ones too")
	f.BoolVar(&o.archive, "archived", false, "archived ones too")
	f.IntVarP(&o.limit, "limit", "L", 0, "at most `N`; what follows is printed with --cursor (default: no limit)")
	f.StringVar(&o.cursor, "cursor", "", "go on after the `CURSOR` that the last page gave as next")
	must(cmd.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(strings.Split(stateNames(), ", "), cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func stateNames() string {
	var names []string
	for _, s := range issues.States() {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// parseStates accepts a space or a dash for the underscore.
func parseStates(words []string) ([]issues.State, error) {
	var out []issues.State
	for _, w := range words {
		st := issues.State(strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(w))))
		if !slices.Contains(issues.States(), st) {
			return nil, usage("states are "+stateNames(), "%q is no state", text.Line(w, 40))
		}
		out = append(out, st)
	}
	return out, nil
}

func openStates() []issues.State {
	return []issues.State{issues.Todo, issues.InProgress, issues.Paused, issues.InReview}
}

func (a *app) list(ctx context.Context, s *session, o listOptions) error {
	states, err := parseStates(o.states)
	if err != nil {
		return err
	}
	if o.limit < 0 {
		return usage("", "--limit is a number of Issues")
	}
	if len(states) == 0 && !o.all {
		states = openStates()
	}
	p, err := s.shown(ctx)
	if err != nil {
		return err
	}
	f := issues.Filter{
		ProjectID: p.ID, States: states, Ready: o.ready, Label: o.label, Text: o.search, Archived: o.archive,
		Limit: o.limit, Cursor: o.cursor,
	}
	if o.waiting {
		f.Limit = 0 // what waits is chosen here, and is little
	}
	page, err := s.svc.List(ctx, f)
	if err != nil {
		return err
	}
	if o.waiting {
		page.Issues = slices.DeleteFunc(page.Issues, func(i issues.Issue) bool { return waits(i) == "" })
		if o.limit > 0 && len(page.Issues) > o.limit {
			page.Issues = page.Issues[:o.limit]
		}
	}
	if a.json {
		return a.out.document("issues", rows(page.Issues), page.Next)
	}
	if len(page.Issues) == 0 {
		a.talk("No such Issues%s.", in(p))
		return nil
	}
	a.out.issues(page.Issues)
	if page.Next != "" {
		a.talk("%d of %d. The rest: --cursor %s", len(page.Issues), page.Total, page.Next)
	}
	return nil
}

func in(p projects.Project) string {
	if p.ID == 0 {
		return ""
	}
	return " in " + p.Prefix
}

func rows(list []issues.Issue) []any {
	out := make([]any, 0, len(list))
	for _, i := range list {
		out = append(out, issues.Row(i))
	}
	return out
}

// issues prints a list for people or for programs.
func (o *output) issues(list []issues.Issue) {
	if !o.tty {
		for _, i := range list {
			o.issueFields(i)
		}
		return
	}
	var cells [][]string
	for _, i := range list {
		cells = append(cells, []string{
			o.style.bold(i.Key), o.style.paintPriority(i.Priority), stateWord(i.State), one(i.Title), o.note(i), o.style.dim(o.ago(i.UpdatedAt)),
		})
	}
	o.table([]column{
		{title: "KEY"}, {title: "PRI", drop: 2}, {title: "STATE", drop: 1}, {title: "TITLE", flex: true}, {title: ""}, {title: "CHANGED", right: true, drop: 3},
	}, cells)
}

// note is the one thing that a person should see first of an Issue in a list.
func (o *output) note(i issues.Issue) string {
	var parts []string
	if w := waits(i); w != "" {
		parts = append(parts, o.style.person(w))
	} else if h := o.holder(i.Claim); h != "" {
		parts = append(parts, h)
	}
	if r := remarks(i); len(r) > 0 {
		paint := plain
		if i.Blocked || i.Abandoned {
			paint = o.style.bad
		}
		parts = append(parts, paint(one(r[0])))
	}
	return strings.Join(parts, ", ")
}

func (o *output) issueFields(i issues.Issue) {
	o.fields(i.Key, string(i.State), priority(i.Priority), i.Title, i.Type, strings.Join(i.Labels, ","), mark(i.Hold),
		strings.Join(i.BlockedBy, ","), string(i.Claim.State), i.Claim.Run, i.Claim.Host, rfc(i.Claim.Since), i.Parent,
		mark(i.Ready), strconv.FormatInt(i.Revision, 10), rfc(i.CreatedAt), rfc(i.UpdatedAt))
}

func mark(b bool) string {
	if b {
		return "true"
	}
	return ""
}

func (a *app) nextCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "next",
		Short: "Show the Issue that the next agent gets",
		Long:  "Show the Issue that the next agent gets: changes requested first, then priority, then age. Exit status 7 if none is ready.",
		Args:  exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.read(cmd.Context(), func(ctx context.Context, s *session) error {
				p, err := s.shown(ctx)
				if err != nil {
					return err
				}
				i, err := s.svc.Next(ctx, p.ID)
				if err != nil {
					return nothingReady(err)
				}
				if a.json {
					return a.out.document("issue", issues.FullRow(i), "")
				}
				a.out.issues([]issues.Issue{i})
				a.talk("For an agent: board prompt %s", i.Key)
				return nil
			})
		},
	}
}

// nothingReady gives a person the next step; the fault's own speaks to an agent.
func nothingReady(err error) error {
	if fault.CodeOf(err) != fault.NothingReady {
		return err
	}
	return fault.New(fault.NothingReady, "board list shows what is held, on hold or blocked", "no Issue is ready")
}

// completeKeys offers the open Issues of the project to the shell.
func (a *app) completeKeys(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var out []string
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	err := a.read(cmd.Context(), func(ctx context.Context, s *session) error {
		p, err := s.anyProject(ctx)
		if err != nil {
			return err
		}
		page, err := s.svc.List(ctx, issues.Filter{ProjectID: p.ID, Limit: 200})
		for _, i := range page.Issues {
			out = append(out, i.Key+"\t"+text.Line(i.Title, 60))
		}
		return err
	})
	if err != nil && fault.CodeOf(err) != "" {
		return nil, cobra.ShellCompDirectiveError
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completePrefixes offers the projects to the shell.
func (a *app) completePrefixes(cmd *cobra.Command, _ []string, _ string) (out []string, _ cobra.ShellCompDirective) {
	err := a.read(cmd.Context(), func(ctx context.Context, s *session) error {
		all, err := projects.All(ctx, s.db.SQL())
		for _, p := range all {
			out = append(out, p.Prefix+"\t"+text.Line(p.Name, 60))
		}
		return err
	})
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// must stops at a defect in the table of commands, which every test meets.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
