package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"board/internal/issues"
	"board/internal/text"
)

func (a *app) promptCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "prompt [KEY]",
		Short: "Print a prompt for an agent about an Issue, or the next ready one",
		Example: `  claude "$(board prompt)"
  codex "$(board prompt WEB-3)"`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return exactly("KEY")(cmd, args)
			}
			return nil
		},
		ValidArgsFunction: a.completeKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.read(cmd.Context(), func(ctx context.Context, s *session) error {
				i, err := s.named(ctx, args)
				if err != nil {
					return err
				}
				p := promptFor(i)
				if a.json {
					return a.out.document("prompt", map[string]string{"key": i.Key, "prompt": p}, "")
				}
				a.out.buf.WriteString(p)
				switch {
				case i.State == issues.Done || i.State == issues.Canceled:
					a.talk("%s is %s: board reopen first.", i.Key, stateWord(i.State))
				case i.Claim.State == issues.Active || i.Claim.State == issues.Reserved:
					a.talk("%s is held by %s.", i.Key, a.out.holder(i.Claim))
				case i.Blocked:
					a.talk("%s is blocked by %s.", i.Key, strings.Join(i.BlockedBy, ", "))
				}
				return nil
			})
		},
	}
}

// named is the whole Issue that the argument names, or the next ready one.
func (s *session) named(ctx context.Context, args []string) (issues.Issue, error) {
	if len(args) == 1 {
		project, key, err := s.issueKey(ctx, args[0])
		if err != nil {
			return issues.Issue{}, err
		}
		return s.svc.Get(ctx, project, key)
	}
	p, err := s.project(ctx)
	if err != nil {
		return issues.Issue{}, err
	}
	next, err := s.svc.Next(ctx, p.ID)
	if err != nil {
		return issues.Issue{}, nothingReady(err)
	}
	return s.svc.Get(ctx, next.ProjectID, next.Key)
}

// promptFor is what a person would paste into an agent. The Issue's text comes last and is marked as what it is, so
// that nothing in it reads like a word of the board's.
func promptFor(i issues.Issue) string {
	var b strings.Builder
	fmt.Fprintf(&b, `Work on Issue %s of the kanban board.

1. Call kanban_begin_work with issue_key %q. If another run holds it, stop and say so.
2. Do the work that the Issue describes.
3. When every criterion is checked, call kanban_request_closure with a verdict for each and how you checked it. A person
   approves it. If you cannot finish, call kanban_pause with the reason.

The Issue, as it was written:

`, i.Key, i.Key)
	fmt.Fprintf(&b, "# %s\n", one(i.Title))
	if i.LastReason != "" {
		fmt.Fprintf(&b, "\n%s:\n%s\n", reasonTitle(i), block(i.LastReason))
	}
	if i.Description != "" {
		fmt.Fprintf(&b, "\n%s\n", block(i.Description))
	}
	if len(i.Criteria) > 0 {
		b.WriteString("\nCriteria:\n")
		for _, c := range i.Criteria {
			fmt.Fprintf(&b, "%d. %s\n", c.N, strings.ReplaceAll(block(c.Text), "\n", "\n   "))
		}
	}
	return b.String()
}

func block(s string) string { return strings.TrimSpace(text.Visible(s, true)) }
