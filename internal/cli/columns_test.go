package cli

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"board/internal/issues"
	"board/internal/projects"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// noon is the time of every picture.
func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

func before(d time.Duration) int64 { return noon().Add(-d).UnixMilli() }

func picture(width, height int, color bool) *output {
	o := newOutput(Env{StdoutTTY: true, Width: width, Height: height, Now: noon, Getenv: func(string) string {
		if color {
			return ""
		}
		return "dumb"
	}})
	return o
}

// busyBoard has every state and every remark, and titles that misbehave.
func busyBoard() []issues.Issue {
	claim := func(st issues.ClaimState, run, host string, d time.Duration) issues.Claim {
		return issues.Claim{State: st, Run: run, Host: host, Since: before(d)}
	}
	n := 0
	is := func(st issues.State, pri int, title string, age time.Duration, with func(*issues.Issue)) issues.Issue {
		n++
		i := issues.Issue{Key: fmt.Sprintf("WEB-%d", n), State: st, Priority: pri, Title: title, UpdatedAt: before(age), CreatedAt: before(age + time.Hour)}
		if with != nil {
			with(&i)
		}
		return i
	}
	return []issues.Issue{
		is(issues.Todo, 1, "Log in with a passkey", time.Hour, func(i *issues.Issue) { i.SentBack = true; i.LastReason = "no test" }),
		is(issues.Todo, 0, "データベースの移行を書き直す、そして古いものを消す", 2*time.Hour, nil),
		is(issues.Todo, 2, "👨‍👩‍👧‍👦 family emoji, 🇯🇵 flag, 👍🏽 skin and e\u0301 combining", 3*24*time.Hour, nil),
		is(issues.Todo, 2, "Escapes \x1b[2J\x1b]52;c;aGk=\a and \u009b31m and \u202eevil", 5*time.Hour, func(i *issues.Issue) {
			i.Blocked, i.BlockedBy = true, []string{"WEB-5", "WEB-6"}
		}),
		is(issues.InProgress, 1, "Rate limits for the public API, with a header that says how long to wait", 4*time.Minute, func(i *issues.Issue) {
			i.Claim = claim(issues.Active, "r17", "claude-code", 12*time.Minute)
		}),
		is(issues.InProgress, 2, "Averyveryverylongwordwithoutanyspacethatmustbebrokensomewhere", 26*time.Hour, func(i *issues.Issue) {
			i.Claim, i.Abandoned = claim(issues.Lapsed, "r9", "codex", 30*time.Hour), true
		}),
		is(issues.InProgress, 3, "Dark mode", 40*time.Minute, func(i *issues.Issue) {
			i.Claim = claim(issues.Reserved, "r12", "codex", 3*time.Hour)
		}),
		is(issues.Paused, 2, "Which currency do we round in?", 20*time.Minute, func(i *issues.Issue) { i.PauseReason = issues.Question }),
		is(issues.InReview, 1, "Upload of large files", 3*time.Hour, nil),
		is(issues.Done, 2, "First release", 50*time.Hour, nil),
		is(issues.Done, 2, "Write the README", 20*time.Hour, nil),
		is(issues.Todo, 4, "Tidy up", 200*24*time.Hour, func(i *issues.Issue) { i.Hold = true }),
	}
}

func drawBoard(o *output) string {
	list := busyBoard()
	c := issues.Counts{States: map[issues.State]int{}, Ready: 3, ChangesRequested: 1, WaitingOnPerson: 2, Held: 1}
	for _, i := range list {
		c.States[i.State]++
	}
	c.States[issues.Canceled] = 2
	lanes := lanesOf(list)
	o.wrapped("", "", o.summary(projects.Project{Prefix: "WEB", Name: "web-shop"}, c))
	o.line()
	o.columns(lanes, false)
	if f := o.footer(lanes, c); f != "" {
		o.line()
		o.line(f)
	}
	return o.buf.String()
}

func TestColumnsFitTheTerminal(t *testing.T) {
	for _, w := range []int{20, 40, 60, 70, 80, 100, 120, 200} {
		t.Run(fmt.Sprint(w), func(t *testing.T) {
			got := drawBoard(picture(w, 0, false))
			for line := range strings.Lines(got) {
				line = strings.TrimSuffix(line, "\n")
				if n := ansi.StringWidth(line); n > w {
					t.Errorf("%d cells: %q", n, line)
				}
				if strings.ContainsFunc(line, hidden) {
					t.Errorf("a character that acts: %q", line)
				}
			}
			golden(t, fmt.Sprintf("columns-%d", w), got)
		})
	}
	golden(t, "columns-80-color", drawBoard(picture(80, 0, true)))
	golden(t, "columns-80-low", drawBoard(picture(80, 16, false)))
	golden(t, "columns-40-low", drawBoard(picture(40, 16, false)))
}

func TestListsFitTheTerminal(t *testing.T) {
	for _, w := range []int{30, 50, 80, 160} {
		o := picture(w, 0, false)
		o.issues(busyBoard())
		o.line()
		o.home(busyInbox(), []projects.Project{{Prefix: "WEB", Name: "web-shop", Root: "/home/ada/code/customers/2026/somewhere/deep/web-shop"}, {Prefix: "API", Name: "日本語", Root: "/srv/api"}},
			[]issues.Counts{{States: map[issues.State]int{issues.Todo: 12, issues.Paused: 1, issues.InProgress: 2}, Ready: 3}, {States: map[issues.State]int{}}})
		for line := range strings.Lines(o.buf.String()) {
			line = strings.TrimSuffix(line, "\n")
			if n := ansi.StringWidth(line); n > w && !isCommand(busyInbox(), line) {
				t.Errorf("%d cells of %d: %q", n, w, line)
			}
		}
		golden(t, fmt.Sprintf("lists-%d", w), o.buf.String())
	}
}

func TestAnIssueFitsTheTerminal(t *testing.T) {
	i := busyBoard()[8]
	i.Type, i.Labels, i.Due, i.Parent, i.BlockedBy, i.Revision = "bug", []string{"auth", "\x1b[31m"}, "2026-04-01", "WEB-1", []string{"WEB-2"}, 7
	i.Description = "A paragraph that is long enough to be wrapped on most terminals, twice on a narrow one.\n\n\t* a list\n* 日本語 and \x1b[2J escapes\r\n"
	i.Links = []string{"https://example.com/a/very/long/path/that/must/not/be/broken/by/a/line/end"}
	i.LastReason, i.SentBack = "the test is flaky", true
	i.Criteria = []issues.Criterion{
		{N: 1, Text: "10 GB works", Verdict: issues.Met, How: "uploaded a file of 12 GB, twice, and compared the sums of both with what was sent"},
		{N: 2, Text: "stops at the quota", Verdict: issues.Unmet},
		{N: 3, Text: "works on Windows", Verdict: issues.NotApplicable, How: "no Windows"},
		{N: 12, Text: "documented"},
	}
	i.Closure = &issues.Closure{Summary: "Chunks of 8 MB.\nResumable.", Run: "r9", RequestedAt: before(3 * time.Hour)}
	i.Comments = []issues.Comment{{At: before(time.Hour), Actor: "ada", Text: "looks good"}, {At: before(400 * 24 * time.Hour), Actor: "agent, undeclared", Text: "first\nsecond"}}
	i.History = []issues.Change{
		{At: before(time.Hour), Event: "create", Actor: "ada", To: "todo"},
		{At: before(time.Minute), Event: "request_closure", Actor: "r9", Identity: "declared", From: "in_progress", To: "in_review", Detail: map[string]string{"b": "2", "a": "\x1b1"}},
		{At: before(-time.Hour), Event: "edit", Actor: "eve \u202e", From: "todo", To: "todo"},
	}
	for _, w := range []int{30, 80} {
		o := picture(w, 0, false)
		o.showIssue(i)
		got := o.buf.String()
		if strings.ContainsFunc(strings.ReplaceAll(got, "\n", ""), hidden) {
			t.Errorf("a character that acts: %q", got)
		}
		golden(t, fmt.Sprintf("show-%d", w), got)
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test ./internal/cli -update rewrites it):\n%s", file, got)
	}
}
