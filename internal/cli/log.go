package cli

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"board/internal/issues"
)

func (a *app) logCmd() *cobra.Command {
	var limit int
	var before int64
	cmd := &cobra.Command{
		Use:   "log [KEY]",
		Short: "Show who changed what, newest first",
		Long: `Show who changed what, newest first: of an Issue, else of the project, outside of one of all projects.

Through a pipe: seq, at, key, event, actor, identity, from, to, revision, detail.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return exactly("KEY")(cmd, args)
			}
			return nil
		},
		ValidArgsFunction: a.completeKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 0 || before < 0 {
				return usage("", "--limit and --before are numbers of changes")
			}
			return a.read(cmd.Context(), func(ctx context.Context, s *session) error {
				f := issues.HistoryFilter{Limit: limit, Cursor: before}
				if len(args) == 1 {
					project, key, err := s.issueKey(ctx, args[0])
					if err != nil {
						return err
					}
					f.ProjectID, f.Key = project, key
				} else {
					p, err := s.shown(ctx)
					if err != nil {
						return err
					}
					f.ProjectID = p.ID
				}
				changes, err := s.svc.History(ctx, f)
				if err != nil {
					return err
				}
				return a.printLog(changes, limit)
			})
		},
	}
	cmd.Flags().IntVarP(&limit, "limit", "L", 50, "at most `N`, 0 for all")
	cmd.Flags().Int64Var(&before, "before", 0, "only changes older than number `SEQ`, which --json gives as next")
	return cmd
}

// change as JSON.
type changeRow struct {
	Seq      int64             `json:"seq"`
	At       string            `json:"at"`
	Key      string            `json:"key,omitempty"`
	Event    string            `json:"event"`
	Actor    string            `json:"actor"`
	Person   string            `json:"person"`
	Machine  string            `json:"machine"`
	Identity string            `json:"identity,omitempty"`
	From     string            `json:"from,omitempty"`
	To       string            `json:"to,omitempty"`
	Revision int64             `json:"revision"`
	Detail   map[string]string `json:"detail,omitempty"`
}

func (a *app) printLog(changes []issues.Change, limit int) error {
	next := ""
	if n := len(changes); n > 0 && n == limit {
		next = strconv.FormatInt(changes[n-1].Seq, 10)
	}
	if a.json {
		out := make([]changeRow, 0, len(changes))
		for _, h := range changes {
			out = append(out, changeRow{h.Seq, rfc(h.At), h.Key, h.Event, h.Actor, h.Person, h.Machine, h.Identity, h.From, h.To, h.Revision, h.Detail})
		}
		return a.out.document("changes", out, next)
	}
	if len(changes) == 0 {
		a.talk("Nothing happened yet.")
	}
	for _, h := range changes {
		if a.out.tty {
			a.out.line(fit(a.out.change(h, true), a.out.width, false))
			continue
		}
		detail := ""
		if len(h.Detail) > 0 {
			b, err := json.Marshal(h.Detail)
			if err != nil {
				return err
			}
			detail = string(b)
		}
		a.out.fields(strconv.FormatInt(h.Seq, 10), rfc(h.At), h.Key, h.Event, h.Actor, h.Identity, h.From, h.To, strconv.FormatInt(h.Revision, 10), detail)
	}
	return nil
}

// change is one row of history for people.
func (o *output) change(h issues.Change, key bool) string {
	parts := []string{o.style.dim(fit(o.ago(h.At), 4, true))}
	if key {
		parts = append(parts, o.style.bold(fit(h.Key, 8, false)))
	}
	parts = append(parts, fit(one(h.Actor), 12, false), strings.ReplaceAll(h.Event, "_", " "))
	if h.From != h.To && h.From != "" && h.To != "" {
		parts = append(parts, o.style.dim(stateWord(issues.State(h.From))+" → ")+stateWord(issues.State(h.To)))
	}
	if h.Identity != "" && h.Identity != "proven" {
		parts = append(parts, o.style.dim("("+h.Identity+")"))
	}
	names := make([]string, 0, len(h.Detail))
	for name := range h.Detail {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		parts = append(parts, o.style.dim(one(name)+": "+one(h.Detail[name])))
	}
	return strings.Join(parts, "  ")
}
