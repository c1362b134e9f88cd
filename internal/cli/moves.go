package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"board/internal/fault"
	"board/internal/issues"
	"board/internal/text"
)

// move is one decision about an Issue: a command that needs a key and perhaps a sentence.
type move struct {
	name, short, long string
	sentence          string // "" takes none, else its name; required if in capitals
	tool              string // what an agent calls instead
	do                func(*issues.Service, context.Context, issues.Actor, issues.MoveCmd) (issues.Result, error)
	force             string // the meaning of --force, where there is one
}

func moves() []move {
	return []move{
		{
			name: "approve", short: "Accept the work: in review → done", do: (*issues.Service).Approve,
			long: "Accept the work that an agent asked you to look at. If the Issue, its evidence or its commits changed, the change is\nshown and the exit status is 5; the same command again approves.\n\nOnce board show has shown you the Issue in review, the commits of its work trees are compared with those that you saw.\nElse with the one that the session left at the end of the turn that asked, or of a later turn.",
		},
		{
			name: "reject", short: "Send the work back with a reason: in review → todo", sentence: "REASON", do: (*issues.Service).RequestChanges,
			long: "Send the work back. The reason is what the next agent reads first; the verdicts on the criteria are cleared.",
		},
		{name: "close", short: "Call it done without an agent's request", sentence: "reason", do: (*issues.Service).Close},
		{name: "reopen", short: "Take it up again: done, canceled → todo", sentence: "reason", do: (*issues.Service).Reopen},
		{name: "cancel", short: "Give it up", sentence: "reason", do: (*issues.Service).Cancel},
		{
			name: "release", short: "Take it from whoever holds it: → todo", sentence: "reason", tool: "kanban_unclaim", do: (*issues.Service).Release,
			force: "also while a run is working on it",
		},
		{name: "pause", short: "Set it aside until you resume it", sentence: "REASON", tool: "kanban_pause", do: (*issues.Service).Pause},
		{name: "resume", short: "Give a paused Issue back to whoever worked on it", sentence: "answer", tool: "kanban_resume", do: (*issues.Service).Resume},
		{name: "hold", short: "Keep it back: no agent gets it without its key", do: (*issues.Service).Hold},
		{name: "unhold", short: "Let agents have it", do: (*issues.Service).Unhold},
		{name: "archive", short: "Put it out of sight", do: (*issues.Service).Archive},
		{name: "unarchive", short: "Bring it back into sight", do: (*issues.Service).Unarchive},
	}
}

func (a *app) moveCmds() []*cobra.Command {
	var out []*cobra.Command
	for _, m := range moves() {
		out = append(out, a.moveCmd(m))
	}
	return slices.Insert(out, 9, a.unblockCmd())
}

func (a *app) moveCmd(m move) *cobra.Command {
	required := m.sentence != "" && m.sentence == strings.ToUpper(m.sentence)
	cmd := &cobra.Command{Use: m.name + " KEY", Short: m.short, Long: m.long, Args: exactly("KEY"), ValidArgsFunction: a.completeKeys}
	switch {
	case required:
		cmd.Use += " " + m.sentence
		cmd.Args = atLeast("KEY", m.sentence)
	case m.sentence != "":
		cmd.Use += " [" + strings.ToUpper(m.sentence) + "]"
		cmd.Args = atLeast("KEY")
	}
	var revision int64
	var force bool
	why := ""
	cmd.Flags().Int64Var(&revision, "revision", 0, "only if its revision is still `N`")
	if m.force != "" {
		cmd.Flags().BoolVar(&force, "force", false, m.force)
	}
	if m.name == "pause" {
		cmd.Flags().StringVar(&why, "as", string(issues.Question), "`WHY` it is paused: question, blocked or handoff")
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		g := gate{verb: m.name, tool: m.tool, word: args[0]}
		return a.write(cmd.Context(), g, func(ctx context.Context, s *session) error {
			project, key, err := s.issueKey(ctx, args[0])
			if err != nil {
				return err
			}
			c := issues.MoveCmd{
				ProjectID: project, Key: key, Reason: text.Clean(strings.Join(args[1:], " ")), PauseReason: issues.PauseReason(why),
				IssueRevision: revision, Force: force,
			}
			var i issues.Issue
			if m.name == "approve" {
				if i, err = s.look(ctx, project, key); err != nil {
					return err
				}
				c.Heads = i.Basis.Heads()
			}
			r, err := m.do(s.svc, ctx, s.actor, c)
			if fault.CodeOf(err) == fault.ReviewNeeded {
				a.tellBasis(i)
			}
			if err != nil {
				return err
			}
			return a.report(r)
		})
	}
	return cmd
}

// unblockCmd removes blockers, a person's way past a block.
func (a *app) unblockCmd() *cobra.Command {
	return &cobra.Command{
		Use:               "unblock KEY [BLOCKER]",
		Short:             "Remove what blocks it: one blocker, or all open ones",
		Args:              atLeast("KEY"),
		ValidArgsFunction: a.completeKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.write(cmd.Context(), gate{verb: "unblock", word: args[0]}, func(ctx context.Context, s *session) error {
				project, key, err := s.issueKey(ctx, args[0])
				if err != nil {
					return err
				}
				i, err := s.svc.Get(ctx, project, key)
				if err != nil {
					return err
				}
				remove, err := s.keys(ctx, args[1:])
				if err != nil {
					return err
				}
				if len(remove) == 0 {
					remove = i.BlockedBy
				}
				if len(i.BlockedBy) == 0 {
					return fault.New(fault.NothingToDo, "", "nothing blocks %s", key)
				}
				r, err := s.svc.Edit(ctx, s.actor, issues.EditCmd{ProjectID: project, Key: key, IssueRevision: i.Revision, RemoveBlockedBy: remove})
				if err != nil {
					return err
				}
				return a.report(r)
			})
		},
	}
}
