package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"board/internal/fault"
	"board/internal/issues"
	"board/internal/projects"
	"board/internal/text"
)

type content struct {
	description, file, priority, kind, due, parent string
	run                                            string
	criteria, labels, blockedBy, links             []string
	hold                                           bool
}

func (c *content) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVarP(&c.criteria, "criterion", "c", nil, "a `CRITERION` that must hold before it is done; repeat it for more")
	f.StringVarP(&c.description, "description", "d", "", "the description, in Markdown")
	f.StringVarP(&c.file, "file", "F", "", "read the description from `FILE`, - for stdin")
	f.StringVarP(&c.priority, "priority", "p", "", "p0 (most urgent) to p4; p2 is usual")
	f.StringArrayVarP(&c.labels, "label", "l", nil, "add a `LABEL`; repeat it for more")
	f.StringArrayVar(&c.blockedBy, "blocked-by", nil, "the `KEY` of an Issue that must be done first; repeat it for more")
	f.StringArrayVar(&c.links, "link", nil, "add a link, http or https; repeat it for more")
	f.StringVar(&c.kind, "type", "", "a word such as bug or feature")
	f.StringVar(&c.due, "due", "", "the `DAY` it is due, as 2026-12-31")
	f.StringVar(&c.parent, "parent", "", "the `KEY` of the Issue that it is part of")
}

// runNamed refuses --run without a run: a script whose variable is empty means one.
func (c *content) runNamed(cmd *cobra.Command) error {
	if c.run = strings.TrimSpace(c.run); c.run == "" && cmd.Flags().Changed("run") {
		return usage("board runs shows them, such as r12", "--run names no run")
	}
	return nil
}

func (a *app) addCmd() *cobra.Command {
	var c content
	cmd := &cobra.Command{
		Use:     "add TITLE",
		Aliases: []string{"new", "create"},
		Short:   "Add an Issue",
		Long: `Add an Issue to the project. Its key is printed on stdout.

With --run the Issue is for what a run did without one, in the project where it changed files. The other runs of its
session that belong to no Issue come with it. Nobody holds it: its agent begins work by itself. TITLE may be left out.`,
		Example: "  board add \"Fix the login\" -c \"a test shows it\" -p p1 -l auth\n  board add \"Port the parser\" -F plan.md --blocked-by WEB-3 --hold\n  board add --run r12",
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("run") {
				return nil
			}
			return atLeast("TITLE")(cmd, args)
		},
	}
	c.flags(cmd)
	cmd.Flags().StringVar(&c.run, "run", "", "for the work of this `RUN`, such as r12, and of its session")
	cmd.Flags().BoolVar(&c.hold, "hold", false, "keep it back: no agent gets it without being told its key")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := notBoth(cmd, "description", "file"); err != nil {
			return err
		}
		if err := c.runNamed(cmd); err != nil {
			return err
		}
		g := gate{agents: true, verb: "add"}
		if c.run != "" {
			g = gate{verb: "add --run", word: c.run} // what was done without an Issue is for a person to say
		}
		return a.write(cmd.Context(), g, func(ctx context.Context, s *session) error {
			return a.add(ctx, s, cmd, c, strings.Join(args, " "))
		})
	}
	return cmd
}

func (a *app) add(ctx context.Context, s *session, cmd *cobra.Command, c content, title string) error {
	find := s.project
	if c.run != "" {
		find = func(ctx context.Context) (projects.Project, error) { return s.projectOf(ctx, c.run) }
	}
	p, err := find(ctx)
	if err != nil {
		return err
	}
	n := issues.CreateCmd{
		ProjectID: p.ID, Run: c.run, Title: text.Clean(title), Description: text.Clean(c.description), Type: text.Clean(c.kind), Due: text.Clean(c.due),
		Criteria: cleanAll(c.criteria), Labels: cleanAll(c.labels), Links: cleanAll(c.links),
	}
	if cmd.Flags().Changed("hold") {
		n.Hold = &c.hold
	}
	if c.file != "" {
		if n.Description, err = a.input(c.file, "description", issues.MaxDescriptionBytes); err != nil {
			return err
		}
	}
	if c.priority != "" {
		pri, err := parsePriority(c.priority)
		if err != nil {
			return err
		}
		n.Priority = &pri
	}
	if n.BlockedBy, err = s.keys(ctx, c.blockedBy); err != nil {
		return err
	}
	if c.parent != "" {
		if _, n.Parent, err = s.issueKey(ctx, c.parent); err != nil {
			return err
		}
	}
	r, err := s.svc.Create(ctx, s.actor, n)
	if err != nil {
		return err
	}
	if a.json {
		return a.out.document("issue", issues.FullRow(r.Issue), "")
	}
	a.out.line(r.Issue.Key)
	a.talk("Added to %s: %s", p.Name, r.Issue.Title)
	return nil
}

func (a *app) editCmd() *cobra.Command {
	var c content
	var title string
	var noLabels, noLinks, noBlockers, change []string
	var noCriteria []int
	var revision int64
	cmd := &cobra.Command{
		Use:               "edit KEY",
		Short:             "Change what an Issue says",
		Long:              "Change what an Issue says. What is not named stays as it is.",
		Example:           "  board edit WEB-3 --title \"Fix the login form\" -p p0\n  board edit WEB-3 -c \"works on a phone\" --remove-criterion 2 --remove-label ui",
		Args:              exactly("KEY"),
		ValidArgsFunction: a.completeKeys,
	}
	f := cmd.Flags()
	f.StringVarP(&title, "title", "t", "", "the title")
	c.flags(cmd)
	f.StringVar(&c.run, "run", "", "put the work of this `RUN` to it, and of the runs of its session that belong to no Issue")
	f.StringArrayVar(&change, "change-criterion", nil, "give criterion N another `N=TEXT`; its verdict is cleared")
	f.IntSliceVar(&noCriteria, "remove-criterion", nil, "remove criterion `N`")
	f.StringArrayVar(&noLabels, "remove-label", nil, "remove a `LABEL`")
	f.StringArrayVar(&noLinks, "remove-link", nil, "remove a link")
	f.StringArrayVar(&noBlockers, "remove-blocked-by", nil, "remove the blocker `KEY`")
	f.Int64Var(&revision, "revision", 0, "only if its revision is still `N`")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !changesContent(cmd) {
			return usage(cmd.CommandPath()+" --help shows what can be changed", "nothing to change was given")
		}
		if err := notBoth(cmd, "description", "file"); err != nil {
			return err
		}
		if err := c.runNamed(cmd); err != nil {
			return err
		}
		g := gate{verb: "edit", tool: "kanban_update", word: args[0]}
		if c.run != "" {
			g.verb, g.tool = "edit --run", ""
		}
		return a.write(cmd.Context(), g, func(ctx context.Context, s *session) error {
			project, key, err := s.issueKey(ctx, args[0])
			if err != nil {
				return err
			}
			e := issues.EditCmd{
				ProjectID: project, Key: key, IssueRevision: revision, Run: c.run,
				AddLabels: cleanAll(c.labels), RemoveLabels: cleanAll(noLabels), AddLinks: cleanAll(c.links), RemoveLinks: cleanAll(noLinks),
				AddCriteria: cleanAll(c.criteria), RemoveCriteria: noCriteria,
			}
			set := func(name string, to **string, v string) {
				if v = text.Clean(v); cmd.Flags().Changed(name) {
					*to = &v
				}
			}
			set("title", &e.Title, title)
			set("description", &e.Description, c.description)
			set("type", &e.Type, c.kind)
			set("due", &e.Due, c.due)
			if cmd.Flags().Changed("file") {
				body, err := a.input(c.file, "description", issues.MaxDescriptionBytes)
				if err != nil {
					return err
				}
				e.Description = &body
			}
			if c.priority != "" {
				pri, err := parsePriority(c.priority)
				if err != nil {
					return err
				}
				e.Priority = &pri
			}
			if cmd.Flags().Changed("parent") {
				parent := ""
				if c.parent != "" {
					if _, parent, err = s.issueKey(ctx, c.parent); err != nil {
						return err
					}
				}
				e.Parent = &parent
			}
			if e.AddBlockedBy, err = s.keys(ctx, c.blockedBy); err != nil {
				return err
			}
			if e.RemoveBlockedBy, err = s.keys(ctx, noBlockers); err != nil {
				return err
			}
			if e.ChangeCriteria, err = parseChanges(change); err != nil {
				return err
			}
			r, err := s.svc.Edit(ctx, s.actor, e)
			if err != nil {
				return err
			}
			return a.report(r)
		})
	}
	return cmd
}

// changesContent reports whether a flag other than the global ones and --revision was given.
func changesContent(cmd *cobra.Command) bool {
	for _, name := range []string{
		"title", "criterion", "description", "file", "priority", "label", "blocked-by", "link", "type", "due", "parent",
		"change-criterion", "remove-criterion", "remove-label", "remove-link", "remove-blocked-by", "run",
	} {
		if cmd.Flags().Changed(name) {
			return true
		}
	}
	return false
}

func parseChanges(args []string) (map[int]string, error) {
	if len(args) == 0 {
		return nil, nil
	}
	out := map[int]string{}
	for _, s := range args {
		num, what, ok := strings.Cut(s, "=")
		n, err := strconv.Atoi(num)
		if !ok || err != nil {
			return nil, usage(`for example --change-criterion "2=works on a phone"`, "%q is not N=TEXT", text.Line(s, 40))
		}
		out[n] = text.Clean(what)
	}
	return out, nil
}

func (a *app) commentCmd() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:               "comment KEY TEXT",
		Short:             "Say something about an Issue",
		Example:           "  board comment WEB-3 \"the token expires after an hour\"\n  board comment WEB-3 -F notes.md",
		Args:              atLeast("KEY"),
		ValidArgsFunction: a.completeKeys,
	}
	cmd.Flags().StringVarP(&file, "file", "F", "", "read the text from `FILE`, - for stdin")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if (file == "") == (len(args) == 1) {
			return usage(cmd.UseLine(), "give the text, or a file with it")
		}
		return a.write(cmd.Context(), gate{agents: true, verb: "comment"}, func(ctx context.Context, s *session) error {
			project, key, err := s.issueKey(ctx, args[0])
			if err != nil {
				return err
			}
			body := text.Clean(strings.Join(args[1:], " "))
			if file != "" {
				if body, err = a.input(file, "comment", issues.MaxCommentBytes); err != nil {
					return err
				}
			}
			r, err := s.svc.Comment(ctx, s.actor, project, key, body)
			if err != nil {
				return err
			}
			return a.report(r)
		})
	}
	return cmd
}

// report prints the Issue after a change: key and state for programs.
func (a *app) report(r issues.Result) error {
	i := r.Issue
	switch {
	case a.json:
		return a.out.document("issue", issues.FullRow(i), "")
	case a.out.tty:
		a.out.line(a.out.style.bold(i.Key), "  ", stateWord(i.State), "  ", one(i.Title))
	default:
		a.out.fields(i.Key, string(i.State))
	}
	if r.Repeat {
		a.talk("It was so already; nothing changed.")
	}
	return nil
}

// input reads a file, or stdin for "-", that becomes what, which takes max bytes. More are not read: a device has no end.
func (a *app) input(name, what string, max int) (string, error) {
	r := a.Stdin
	if name != "-" {
		path := name
		if !filepath.IsAbs(path) && a.Cwd != "" {
			path = filepath.Join(a.Cwd, path)
		}
		f, err := os.Open(path)
		if err != nil {
			return "", fault.Wrap(err, fault.Usage, "check the path; - reads stdin", "the file %s cannot be read: %v", name, reason(err))
		}
		defer func() { _ = f.Close() }()
		r = f
	}
	b, err := io.ReadAll(io.LimitReader(r, int64(max)+1))
	if err != nil {
		return "", fault.Wrap(err, fault.Usage, "check the path; - reads stdin", "%s cannot be read: %v", name, reason(err))
	}
	if len(b) > max {
		return "", fault.New(fault.Limit, "shorten it; nothing was stored", "%s has more than %d bytes, and these are the most in a %s", name, max, what)
	}
	return text.Clean(string(b)), nil
}

// reason is an error of the file system without the path, which the message names already.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return fmt.Errorf("%w", err)
}

func cleanAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = text.Clean(s)
	}
	return out
}
