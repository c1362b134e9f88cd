package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"board/internal/agents"
	"board/internal/fault"
	"board/internal/runs"
)

// busyInbox has an item of every shape: of an Issue, of a run with one and without, of a host, and titles that misbehave.
func busyInbox() inbox {
	in := inbox{prefixes: map[int64]string{1: "WEB", 2: "API"}}
	item := func(code string, age time.Duration, with agents.Item) {
		with.Code, with.Since = code, before(age)
		in.items = append(in.items, with)
	}
	item("closure_waiting", 26*time.Hour, agents.Item{ProjectID: 1, IssueKey: "WEB-9", Title: "Upload of large files", Text: "an agent asks for approval", Host: runs.ClaudeCode, Run: runs.Run{ID: 9, State: runs.Ended}, Command: "board approve WEB-9"})
	item("needs_answer", 3*time.Hour, agents.Item{ProjectID: 2, IssueKey: "API-12", Title: "データベースの移行を書き直す、そして古いものを消す", Text: "paused by an agent: question", Command: "board resume API-12"})
	item("edits_without_issue", time.Hour, agents.Item{
		ProjectID: 1, Host: runs.ClaudeCode, Session: "0f1e", Run: runs.Run{ID: 17}, Text: "changed without an Issue: 3 files, such as src/cart/checkout.go", Command: "board add --run r17 -P WEB",
	})
	item("correlation_degraded", 40*time.Minute, agents.Item{Host: runs.Codex, Text: "6 Stops in a row belong to no run", Command: "board host check codex"})
	item("needs_approval", 12*time.Second, agents.Item{
		ProjectID: 1, IssueKey: "WEB-5", Title: "Escapes \x1b[2J and \u202eevil", Host: runs.Codex, Session: "s", Text: "waits for approval in its terminal: codex in /home/ada/web-2", Command: "board runs --session 0199a6b1-9df0-7dd2-8f51-6f2f8f1f0a51",
		Run: runs.Run{ID: 18, Host: runs.Codex, State: runs.Running, Asks: runs.AsksApproval, Worktree: "/home/ada/web-2"},
	})
	in.write()
	return in
}

// busyAgents has an agent in every state, some with more to say.
func busyAgents() (agents.View, agentsJSON) {
	view := agents.View{Now: noon().UnixMilli(), Counts: map[agents.State]int{}, Degraded: []string{"2 rows could not be read"}}
	for i, st := range agents.States() {
		g := agents.Agent{
			Host: runs.Hosts()[i%5], Session: fmt.Sprint("s", i), ProjectID: int64(1 + i%2), State: st, Since: before(time.Duration(i*i) * 90 * time.Second),
			Run: runs.Run{ID: int64(100 + i)}, Event: "tool", EventAt: before(time.Duration(i) * time.Minute),
		}
		switch st {
		case agents.NeedsApproval:
			g.Event, g.Attention, g.Issue = "notice", []agents.Code{agents.CodeNeedsApproval}, "WEB-12"
		case agents.Working:
			g.Children, g.Issue = 3, "API-7"
			g.Attention = []agents.Code{agents.CodeContestedPath, agents.CodeHooksSilent}
			g.Contested = []agents.Contest{{ProjectID: 1, Path: "src/cart/\x1b[31mcheckout.go", Runs: []int64{8, 12}}, {ProjectID: 1, Path: "go.mod", Runs: []int64{12}}}
		case agents.Lost:
			g.Attention, g.Issue = []agents.Code{agents.CodeLostWithIssue}, "WEB-3"
		case agents.Idle:
			g.Run, g.Event, g.ProjectID = runs.Run{}, "", 0
		}
		view.Agents = append(view.Agents, g)
		view.Counts[st]++
	}
	return view, agentRows(view, map[int64]string{1: "WEB", 2: "API"})
}

func TestPresenceFitsTheTerminal(t *testing.T) {
	for _, w := range []int{30, 60, 80, 120} {
		t.Run(fmt.Sprint(w), func(t *testing.T) {
			o := picture(w, 0, false)
			o.agents(busyAgents())
			o.line()
			in := busyInbox()
			o.inbox(in)
			for line := range strings.Lines(o.buf.String()) {
				line = strings.TrimSuffix(line, "\n")
				if n := ansi.StringWidth(line); n > w && !isCommand(in, line) {
					t.Errorf("%d cells: %q", n, line)
				}
				if strings.ContainsFunc(line, hidden) {
					t.Errorf("a character that acts: %q", line)
				}
			}
			golden(t, fmt.Sprintf("presence-%d", w), o.buf.String())
		})
	}
	o := picture(80, 0, true)
	o.agents(busyAgents())
	o.inbox(busyInbox())
	golden(t, "presence-80-color", o.buf.String())
}

func TestACommandOfTheInboxIsCutAtNoWidth(t *testing.T) {
	in := busyInbox()
	for w := 20; w < 160; w++ {
		o := picture(w, 0, false)
		o.inbox(in)
		for _, r := range in.rows {
			if !strings.Contains(o.buf.String(), "  "+r.Command+"\n") {
				t.Errorf("at %d cells %q stands at the end of no line", w, r.Command)
			}
		}
	}
}

// isCommand reports whether a line is there to be copied: it is never cut.
func isCommand(in inbox, line string) bool {
	return slices.ContainsFunc(in.rows, func(r inboxRow) bool { return line == "  "+r.Command })
}

func TestTheCountsEqualTheRows(t *testing.T) {
	view, data := busyAgents()
	o := newOutput(Env{Now: noon, Getenv: func(string) string { return "" }})
	o.agents(view, data)
	lines := strings.Split(strings.TrimSpace(o.buf.String()), "\n")
	rows := map[string]int{}
	for _, l := range lines {
		if f := strings.Split(l, "\t"); f[0] == "agent" {
			rows[f[1]]++
		}
	}
	var said []string
	for _, st := range agents.States() {
		said = append(said, string(st), fmt.Sprint(rows[string(st)]))
	}
	if want := "counts\t" + strings.Join(said, "\t"); lines[0] != want {
		t.Errorf("%s, want %s", lines[0], want)
	}
}

func TestTheStatusLineIsShortAndEmptyWhereNothingGoesOn(t *testing.T) {
	counts := func(working, quiet, idle int) map[agents.State]int {
		return map[agents.State]int{agents.Working: working, agents.Quiet: quiet, agents.Idle: idle}
	}
	for _, c := range []struct {
		counts  map[agents.State]int
		waiting int
		partial bool
		want    string
	}{
		{nil, 0, false, ""},
		{counts(0, 0, 4), 0, false, ""},
		{counts(2, 0, 0), 1, false, "2 working · 1 needs you"},
		{counts(0, 1, 0), 3, true, "1 quiet · 3 need you · partial"},
	} {
		if got := statusLine(c.counts, c.waiting, c.partial); got != c.want {
			t.Errorf("%+v: %q, want %q", c, got, c.want)
		}
	}
}

// watched is what --watch writes for the pictures, and what it returns.
func watched(t *testing.T, e Env, pictures ...func(*app) error) (string, error) {
	t.Helper()
	var screen strings.Builder
	e.Stdout, e.Now, e.Getenv = &screen, noon, func(string) string { return "" }
	a := &app{Env: e, out: newOutput(e)}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	tick := make(chan time.Time, len(pictures))
	n := 0
	err := a.pictures(ctx, tick, func(context.Context) error {
		draw := pictures[n]
		n++
		tick <- noon()
		if n == len(pictures) {
			stop()
		}
		return draw(a)
	})
	if a.out.buf.Len() > 0 {
		t.Error("something is left to be printed at the end")
	}
	return screen.String(), err
}

func shows(s string) func(*app) error {
	return func(a *app) error { a.out.line(s); return nil }
}

func TestAPipeIsToldOnlyWhatChanged(t *testing.T) {
	never := shows("never: Ctrl-C came first")
	got, err := watched(t, Env{}, shows("one"), shows("one"), shows("two"), shows("one"), never)
	if want := "one\ntwo\none\n"; got != want || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestATerminalIsPaintedOverAndGivenBack(t *testing.T) {
	got, err := watched(t, Env{StdoutTTY: true, Size: func() (int, int) { return 20, 2 }}, shows("one"), shows("one"), shows("a\nb\nc"), shows("never"))
	clear := ansi.EraseLineRight
	want := ansi.SetModeAltScreenSaveCursor + ansi.HideCursor +
		ansi.CursorHomePosition + "one" + clear + ansi.EraseScreenBelow +
		ansi.CursorHomePosition + "a" + clear + "\r\n" + "\x1b[2m+ 2 lines more\x1b[m" + clear + ansi.EraseScreenBelow +
		ansi.ShowCursor + ansi.ResetModeAltScreenSaveCursor
	if got != want || err != nil {
		t.Errorf("%q, want %q, %v", got, want, err)
	}
}

func TestABusyStoreDoesNotEndTheWatch(t *testing.T) {
	busy := func(*app) error { return fault.New(fault.StoreBusy, "", "busy") }
	if got, err := watched(t, Env{}, shows("one"), busy, shows("two"), shows("never")); got != "one\ntwo\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	broken := errors.New("broken")
	if got, err := watched(t, Env{}, shows("one"), func(*app) error { return broken }, shows("never")); got != "one\n" || !errors.Is(err, broken) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := watched(t, Env{}, busy, shows("never")); fault.CodeOf(err) != fault.StoreBusy {
		t.Errorf("nothing was seen yet: %v", err)
	}
}
