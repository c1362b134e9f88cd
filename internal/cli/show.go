package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"board/internal/issues"
	"board/internal/text"
)

func (a *app) showCmd() *cobra.Command {
	return &cobra.Command{
		Use:               "show KEY",
		Aliases:           []string{"view"},
		Short:             "Show an Issue with everything about it",
		Args:              exactly("KEY"),
		ValidArgsFunction: a.completeKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			var i issues.Issue
			err := a.read(cmd.Context(), func(ctx context.Context, s *session) error {
				project, key, err := s.issueKey(ctx, args[0])
				if err != nil {
					return err
				}
				if i, err = s.look(ctx, project, key); err != nil {
					return err
				}
				switch {
				case a.json:
					return a.out.document("issue", issues.FullRow(i), "")
				case a.out.tty:
					a.out.showIssue(i)
				default:
					a.out.dumpIssue(i)
				}
				return nil
			})
			if err == nil {
				a.noteShown(cmd.Context(), i)
			}
			return err
		},
	}
}

// showIssue is for people.
func (o *output) showIssue(i issues.Issue) {
	st := o.style
	o.wrapped("", "", st.bold(i.Key)+"  "+st.bold(one(i.Title)))
	facts := []string{stateWord(i.State), st.paintPriority(i.Priority)}
	if w := waits(i); w != "" {
		facts[0] += ", waits for you to " + w
		facts[0] = st.person(facts[0])
	}
	if h := o.holder(i.Claim); h != "" {
		facts = append(facts, "held by "+h)
	}
	if i.Type != "" {
		facts = append(facts, one(i.Type))
	}
	for _, l := range i.Labels {
		facts = append(facts, "#"+one(l))
	}
	if i.Due != "" {
		facts = append(facts, "due "+one(i.Due))
	}
	if i.Parent != "" {
		facts = append(facts, "part of "+i.Parent)
	}
	if len(i.BlockedBy) > 0 && !i.Blocked {
		facts = append(facts, "was blocked by "+strings.Join(i.BlockedBy, ", "))
	}
	for _, r := range remarks(i) {
		if i.Blocked || i.Abandoned {
			r = st.bad(one(r))
		}
		facts = append(facts, r)
	}
	o.wrapped("", "", strings.Join(facts, st.dim(" · ")))
	o.wrapped("", "", st.dim(fmt.Sprintf("created %s, changed %s, revision %d", o.past(i.CreatedAt), o.past(i.UpdatedAt), i.Revision)))
	if i.LastReason != "" {
		o.line()
		o.wrapped("  ", "  ", reasonTitle(i)+": "+text.Visible(i.LastReason, true))
	}
	if i.Description != "" {
		o.line()
		o.wrapped("  ", "  ", strings.TrimRight(text.Visible(i.Description, true), "\n "))
	}
	if len(i.Criteria) > 0 {
		o.heading("Criteria")
		for _, c := range i.Criteria {
			o.wrapped(fmt.Sprintf("%2d %s ", c.N, o.verdict(c.Verdict)), "       ", text.Visible(c.Text, true))
			if c.How != "" {
				o.wrapped("       ", "       ", st.dim(text.Visible(c.How, true)))
			}
		}
	}
	if len(i.Links) > 0 {
		o.heading("Links")
		for _, l := range i.Links {
			o.line("  ", one(l)) // never broken, so that it can be opened
		}
	}
	if c := i.Closure; c != nil {
		o.heading(fmt.Sprintf("Closure requested by %s, %s", one(c.Run), o.past(c.RequestedAt)))
		o.wrapped("  ", "  ", text.Visible(c.Summary, true))
	}
	o.showWork(i)
	if len(i.Comments) > 0 {
		o.heading("Comments")
		for _, c := range i.Comments {
			o.line("  ", st.dim(one(c.Actor)+", "+o.past(c.At)))
			o.wrapped("  ", "  ", text.Visible(c.Text, true))
		}
	}
	if len(i.History) > 0 {
		o.heading("History")
		for _, h := range i.History {
			o.line("  ", ansi.Truncate(o.change(h, false), o.width-2, "…"))
		}
	}
}

func reasonTitle(i issues.Issue) string {
	switch {
	case i.SentBack:
		return "Changes requested"
	case i.State == issues.Paused:
		return "Paused (" + string(i.PauseReason) + ")"
	}
	return "Last reason"
}

func (o *output) heading(s string) {
	o.line()
	o.line(o.style.bold(s))
}

func (o *output) verdict(v issues.Verdict) string {
	switch v {
	case issues.Met:
		return "[x]"
	case issues.Unmet:
		return o.style.bad("[!]")
	case issues.NotApplicable:
		return "[-]"
	}
	return "[ ]"
}

// dumpIssue is for programs: a name and a value a line, the description last, after a line of two dashes.
func (o *output) dumpIssue(i issues.Issue) {
	num := func(n int64) string { return strconv.FormatInt(n, 10) }
	for _, f := range [][2]string{
		{"key", i.Key},
		{"title", i.Title},
		{"state", string(i.State)},
		{"priority", priority(i.Priority)},
		{"type", i.Type},
		{"labels", strings.Join(i.Labels, ",")},
		{"links", strings.Join(i.Links, " ")},
		{"due", i.Due},
		{"held", mark(i.Hold)},
		{"archived", mark(i.Archived)},
		{"blocked", mark(i.Blocked)},
		{"blocked_by", strings.Join(i.BlockedBy, ",")},
		{"parent", i.Parent},
		{"claim", string(i.Claim.State)},
		{"run", i.Claim.Run},
		{"host", i.Claim.Host},
		{"since", rfc(i.Claim.Since)},
		{"ready", mark(i.Ready)},
		{"stale", mark(i.Stale)},
		{"abandoned", mark(i.Abandoned)},
		{"pause_reason", string(i.PauseReason)},
		{"last_reason", i.LastReason},
		{"revision", num(i.Revision)},
		{"created_at", rfc(i.CreatedAt)},
		{"updated_at", rfc(i.UpdatedAt)},
	} {
		o.fields(f[0], f[1])
	}
	for _, c := range i.Criteria {
		o.fields("criterion", strconv.Itoa(c.N), string(c.Verdict), c.Text, c.How)
	}
	if c := i.Closure; c != nil {
		o.fields("closure", c.Run, rfc(c.RequestedAt), c.Summary)
	}
	o.dumpWork(i)
	for _, c := range i.Comments {
		o.fields("comment", rfc(c.At), c.Actor, c.Text)
	}
	for _, h := range i.History {
		o.fields("history", rfc(h.At), h.Actor, h.Event, h.From, h.To, num(h.Revision))
	}
	if i.Description != "" {
		o.line("--")
		o.buf.WriteString(strings.TrimRight(text.Visible(i.Description, true), "\n"))
		o.buf.WriteByte('\n')
	}
}
