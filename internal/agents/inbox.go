package agents

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"board/internal/runs"
	"board/internal/store"
	"board/internal/text"
)

// Item is one thing that waits on a person.
type Item struct {
	Code          string // an attention code, or your_turn
	Since         int64  // UTC ms
	ProjectID     int64  // 0 where it belongs to none
	IssueKey      string // "" where it is about none
	Title         string // of the Issue, as it was written
	Host, Session string
	Run           runs.Run // zero where it is about none
	Text          string   // what waits, in a few words
	Command       string   // a complete command line that answers it
}

// Inbox returns what waits on a person, the oldest first, and why the answer is partial, if it is.
func Inbox(ctx context.Context, db *store.DB, f Filter) (items []Item, degraded []string, err error) {
	err = db.Read(ctx, func(ctx context.Context, tx *store.Tx) error {
		w, err := see(ctx, tx, db.Spool(), f.ProjectID)
		if err != nil {
			return err
		}
		items, degraded = w.items(f.ProjectID), w.degraded
		return nil
	})
	return items, degraded, err
}

// items returns what waits in a project, 0 for all. What belongs to no project waits in none of them, but for a view that
// is partial: it may be this very project that is not whole.
func (w *world) items(project int64) []Item {
	var all []Item
	for _, a := range w.agents {
		if w.in(a, project) {
			all = append(all, w.ofAgent(a)...)
		}
	}
	rest := slices.Concat(w.ofIssues(), w.ofWork(), w.ofContests(), w.ofHosts())
	for _, i := range rest {
		if project == 0 || i.ProjectID == project {
			all = append(all, i)
		}
	}
	if len(w.degraded) > 0 {
		all = append(all, Item{Code: string(CodeViewDegraded), Since: w.now, Text: strings.Join(w.degraded, "; "), Command: command("doctor")})
	}
	slices.SortStableFunc(all, func(a, b Item) int {
		return cmp.Or(
			cmp.Compare(a.Since, b.Since), cmp.Compare(a.ProjectID, b.ProjectID),
			cmp.Compare(len(a.IssueKey), len(b.IssueKey)), cmp.Compare(a.IssueKey, b.IssueKey), // PRE-9 before PRE-10
			cmp.Compare(a.Run.ID, b.Run.ID),
		)
	})
	return all
}

// ofAgent is what one session waits for.
func (w *world) ofAgent(a *agent) (out []Item) {
	i := Item{Since: a.Since, ProjectID: a.ProjectID(), IssueKey: a.held.Key, Host: a.of.host, Session: a.of.key, Run: a.Run}
	held := w.issueOf(a.held)
	i.Title = held.Title
	switch {
	case a.State == NeedsApproval:
		i.Code, i.Text, i.Command = string(CodeNeedsApproval), "waits for approval in its terminal: "+where(a.Run), ofSession(a.of)
		out = append(out, i)
	case a.State == NeedsAnswer:
		i.Code, i.Text, i.Command = string(CodeNeedsAnswer), "waits for an answer in its terminal: "+where(a.Run), ofSession(a.of)
		out = append(out, i)
	case a.State == YourTurn && w.waits(held) == "":
		i.Code, i.Text, i.Command = string(YourTurn), "its turn is over, and the Issue in progress", command("show", a.held.Key)
		i.ProjectID = held.ProjectID
		out = append(out, i)
	}
	if a.Flagged(w.now) {
		i.Code, i.Since, i.Text, i.Command = string(CodeOrphan), a.Reading.Orphan.Since, contradiction(a.Reading.Orphan), ofSession(a.of)
		out = append(out, i)
	}
	return out
}

func (w *world) issueOf(h Held) issueRow {
	if h.IssueID != 0 {
		for _, i := range w.issues {
			if i.ID == h.IssueID {
				return i
			}
		}
	}
	return issueRow{}
}

// run is a run that something names, zero if it cannot be read.
func (w *world) run(id int64) runs.Run {
	if r := w.runs[id]; r != nil {
		return *r
	}
	return runs.Run{}
}

// maxPlace bounds the runes of a path in a text.
const maxPlace = 120

// where is the host of a run, and its work tree: a person finds the terminal by them.
func where(r runs.Run) string {
	if r.Worktree == "" {
		return r.Host
	}
	return r.Host + " in " + text.Line(r.Worktree, maxPlace)
}

func contradiction(o runs.Orphan) string {
	switch {
	case o.Rule == runs.RunWithoutSession:
		return "a run goes on in a session that has ended"
	case o.Basis == string(runs.StretchGone):
		return "its host is gone, and its session has not ended"
	}
	return "nothing was heard of it for longer than a session lives"
}

// ofIssues is what Issues wait for, each for one thing at most.
func (w *world) ofIssues() (out []Item) {
	for _, i := range w.issues {
		code := w.waits(i)
		item := Item{
			Code: string(code), ProjectID: i.ProjectID, IssueKey: i.Key, Title: i.Title, Host: i.Of.host, Session: i.Of.key, Run: w.run(i.LastRun),
		}
		switch code {
		case CodeClosureWaiting:
			item.Since, item.Text, item.Command = i.RequestedAt, "an agent asks for approval", command("approve", i.Key)
			item.Run = w.run(i.ClosureRun)
		case CodeNeedsAnswer:
			item.Since, item.Text, item.Command = i.PausedAt, "paused by an agent: "+string(i.Pause), command("resume", i.Key)
			if i.LastReason != "" { // the answer may follow the key
				item.Text += ": " + text.Line(i.LastReason, maxPlace)
			}
			if i.Blockers > 0 { // nobody can go on with it yet
				item.Text, item.Command = item.Text+"; other Issues block it, too", command("show", i.Key)
			}
		case CodeLostWithIssue:
			item.Since, item.Text, item.Command = cmp.Or(item.Run.EndedAt, i.UpdatedAt), "its session is over", command("release", i.Key)
			switch {
			case item.Run.Reason == runs.ReasonHostGone:
				item.Text = "the host of its agent is gone"
			case item.Run.Outcome == runs.Lost:
				item.Text = "its agent was lost in mid-turn"
			}
			if line := runs.ResumeLine(i.Of.host, i.Of.key); line != "" {
				item.Text += "; to go on instead: " + line
			}
		case CodeStaleIssue:
			item.Since, item.Command = max(i.UpdatedAt, i.LineSeenAt), command("release", i.Key)
			item.Text = "nobody works on it: " + strings.ReplaceAll(string(i.State), "_", " ")
		default:
			continue
		}
		out = append(out, item)
	}
	return out
}

// ofWork is what was changed without an Issue.
func (w *world) ofWork() (out []Item) {
	for _, r := range w.work {
		files := r.Path
		if r.Files > 1 {
			files = fmt.Sprintf("%d files, such as %s", r.Files, r.Path)
		}
		out = append(out, Item{
			Code: string(CodeEditsWithoutIssue), Since: r.At, ProjectID: r.ProjectID, Host: r.Of.host, Session: r.Of.key, Run: w.run(r.Run),
			Text: "changed without an Issue: " + text.Line(files, maxPlace), Command: w.narrowed(r.ProjectID, "add", "--run", runs.ShortHandle(r.Run)),
		})
	}
	return out
}

// ofContests is what several sessions change at once: one item for the same sessions in the same project.
func (w *world) ofContests() (out []Item) {
	for _, c := range w.contests {
		files := c.paths[0]
		if n := len(c.paths); n > 1 {
			files = fmt.Sprintf("%d files, such as %s", n, files)
		}
		newest := w.run(c.runs[len(c.runs)-1])
		out = append(out, Item{
			Code: string(CodeContestedPath), Since: c.since, ProjectID: c.projectID, Host: newest.Host, Session: newest.Session, Run: newest,
			Text:    fmt.Sprintf("%d sessions change the same: %s", len(c.sessions), text.Line(files, maxPlace)),
			Command: w.narrowed(c.projectID, "runs", "--live"),
		})
	}
	return out
}

// ofHosts is what is wrong with hosts as such.
func (w *world) ofHosts() (out []Item) {
	for _, name := range slices.Sorted(maps.Keys(w.hosts)) {
		h := w.hosts[name]
		item := Item{Host: name, Command: command("host", "check", name)}
		if h.degraded() {
			item.Code, item.Since = string(CodeCorrelationDegraded), h.LostAt
			item.Text = counted(h.Lost, "Stop", "Stops") + " in a row belong to no run"
			out = append(out, item)
		}
		if h.silent() {
			item.Code, item.Since, item.Text = string(CodeHooksSilent), h.Witnessed, "it works, and none of its hooks fires"
			out = append(out, item)
		}
	}
	return out
}
