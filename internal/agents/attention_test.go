package agents

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"board/internal/issues"
	"board/internal/runs"
)

// attach puts a run to a new Issue, as board add --run does.
func (s *scene) attach(project int64, run string) error {
	_, err := s.svc.Create(context.Background(), pat(), issues.CreateCmd{ProjectID: project, Run: run})
	return err
}

func TestWorkWithoutAnIssue(t *testing.T) {
	s := newScene(t)
	s.prompt(in("a", "t1"))
	s.edit(in("a", "t1"), web, "x.go", "y.go")
	s.expect("in mid-turn: it may still take an Issue")
	since := s.now()
	s.wait(time.Minute)
	s.stop(in("a", "t1"))
	s.expect("when its turn is over", "edits_without_issue |  | board add --run r1 -P WEB")
	if i := s.inbox(Filter{})[0]; i.Since != since || i.Text != "changed without an Issue: 2 files, such as x.go" || i.Run.ID != 1 {
		t.Errorf("%q since %d, %s", i.Text, i.Since-since, i.Run.Short())
	}
	if !s.has("a", CodeEditsWithoutIssue) {
		t.Error("its agent does not show it")
	}
	s.prompt(in("a", "t2"))
	s.edit(in("a", "t2"), web, "x.go")
	s.edit(in("a", "t2"), api, "z.go")
	s.expect("while it goes on")
	s.stop(in("a", "t2"))
	s.expect("in two projects", "edits_without_issue |  | board add --run r2 -P WEB", "edits_without_issue |  | board add --run r2 -P API")
	if err := s.attach(web, "r2"); err != nil {
		t.Errorf("the command does not work: %v", err)
	}
	s.expect("after the command for one of them", "edits_without_issue |  | board add --run r2 -P API")
	if got := s.waiting(Filter{ProjectID: web}); len(got) != 0 {
		t.Errorf("in the other project waits %v", got)
	}
	if err := s.attach(api, "r2"); err != nil {
		t.Errorf("the command does not work: %v", err)
	}
	s.expect("after both")
}

// A claim of any line of the session that overlaps the run in time says what the work was for.
func TestWorkForAnIssueIsNotWithoutOne(t *testing.T) {
	add := "edits_without_issue |  | board add --run r1 -P WEB"
	for name, c := range map[string]struct {
		do   func(s *scene)
		want []string
	}{
		"the run held it all the time": {func(s *scene) {
			s.working("a")
			s.edit(in("a", "t1"), web, "x.go")
		}, []string{"your_turn | WEB-1 | board show WEB-1"}},
		"the run took it after the edit": {func(s *scene) {
			r := s.prompt(in("a", "t1"))
			s.edit(in("a", "t1"), web, "x.go")
			s.wait(time.Minute)
			s.begin(r, s.issue(web, "Work"))
		}, []string{"your_turn | WEB-1 | board show WEB-1"}},
		"a subagent edited for its root": {func(s *scene) {
			s.working("a")
			s.edit(runs.Key{Host: runs.ClaudeCode, Session: "a", Agent: "x"}, web, "x.go")
			s.observe(runs.Observation{Kind: runs.OnSubagentStop, Key: runs.Key{Session: "a", Agent: "x"}})
		}, []string{"your_turn | WEB-1 | board show WEB-1"}},
		"another session held it": {func(s *scene) {
			s.working("b")
			s.prompt(in("a", "t1"))
			s.edit(in("a", "t1"), web, "x.go")
		}, []string{"edits_without_issue |  | board add --run r2 -P WEB"}},
		"its next turn took one": {func(s *scene) {
			s.prompt(in("a", "t1"))
			s.edit(in("a", "t1"), web, "x.go")
			s.stop(in("a", "t1"))
			s.wait(time.Minute)
			s.begin(s.prompt(in("a", "t2")), s.issue(web, "Later"))
			s.stop(in("a", "t2"))
		}, []string{add, "your_turn | WEB-1 | board show WEB-1"}},
		"nothing was changed": {func(s *scene) {
			s.prompt(in("a", "t1"))
			s.tool(in("a", "t1"))
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			c.do(s)
			s.stop(in("a", "t1"))
			s.expect(name, c.want...)
		})
	}
}

func TestWorkWithoutAnIssueOfTheLastTwoWeeks(t *testing.T) {
	s := newScene(t)
	s.prompt(in("a", "t1"))
	s.edit(in("a", "t1"), web, "x.go")
	s.stop(in("a", "t1"))
	s.endSession(in("a", "t1"))
	s.wait(14 * 24 * time.Hour)
	s.expect("on the last day", "edits_without_issue |  | board add --run r1 -P WEB")
	s.wait(time.Millisecond)
	s.expect("afterwards")
}

func TestEachStretchOfASessionIsAskedForItsWork(t *testing.T) {
	s := newScene(t)
	for _, turn := range []string{"t1", "t2"} {
		s.prompt(in("a", turn))
		s.edit(in("a", turn), web, "x.go")
		s.stop(in("a", turn))
		s.endSession(in("a", turn))
		s.wait(time.Minute)
	}
	s.expect("both", "edits_without_issue |  | board add --run r1 -P WEB", "edits_without_issue |  | board add --run r2 -P WEB")
	s.prompt(in("a", "t3"))
	if s.has("a", CodeEditsWithoutIssue) {
		t.Error("a new stretch shows the work of an old one")
	}
}

func TestAFileThatTwoSessionsChange(t *testing.T) {
	s := newScene(t)
	s.prompt(in("a", "t1"))
	s.edit(in("a", "t1"), web, "x.go", "y.go")
	s.edit(runs.Key{Host: runs.ClaudeCode, Session: "a", Agent: "x"}, web, "x.go")
	s.expect("a root and its subagent are one session")
	s.prompt(in("b", "t1"))
	s.edit(in("b", "t1"), api, "x.go")
	s.expect("the same name in another project is another file")
	s.wait(time.Minute)
	since := s.now()
	s.edit(in("b", "t1"), web, "x.go")
	s.wait(time.Minute)
	s.edit(in("b", "t1"), web, "y.go")
	s.expect("two sessions", "contested_path |  | board runs --live -P WEB")
	if i := s.inbox(Filter{})[0]; i.Since != since || i.Text != "2 sessions change the same: 2 files, such as x.go" {
		t.Errorf("%q since %d", i.Text, i.Since-since)
	}
	want := map[string]string{"a": "[{1 x.go [3]} {1 y.go [3]}]", "b": "[{1 x.go [1 2]} {1 y.go [1]}]"}
	for session, contested := range want {
		if a := s.agent(session); fmt.Sprint(a.Contested) != contested || !slices.Contains(a.Attention, CodeContestedPath) {
			t.Errorf("%s: %v, want %s; attention %v", session, a.Contested, contested, a.Attention)
		}
	}
	s.prompt(in("c", "t1"))
	s.edit(in("c", "t1"), web, "x.go")
	if got := s.waiting(Filter{}); len(got) != 2 {
		t.Errorf("three sessions at one file, and two at another: %v", got)
	}
	if got := s.waiting(Filter{ProjectID: api}); len(got) != 0 {
		t.Errorf("in another project waits %v", got)
	}
	s.stop(in("b", "t1"))
	s.stop(in("c", "t1"))
	if got := s.waiting(Filter{}); slices.ContainsFunc(got, func(l string) bool { return strings.HasPrefix(l, "contested") }) {
		t.Errorf("after the turns are over waits %v", got)
	}
}

func TestAHostWhoseEventsDoNotBelongTogether(t *testing.T) {
	s := newScene(t)
	s.observe(runs.Observation{Kind: runs.OnPrompt, Key: runs.Key{Host: runs.Codex, Session: "a", Turn: "t1"}, Version: "1"})
	s.prompt(in("b", "t1"))
	for n := 1; n <= 5; n++ {
		s.expect("before the fifth")
		s.wait(time.Minute)
		s.exec(`INSERT INTO lost_stops (host, version, n, in_row, row_at, last_at) VALUES ('codex', '1', ?1, ?1, ?2, ?2), ('codex', '2', 1, 1, 0, 0)
			ON CONFLICT DO UPDATE SET in_row = excluded.in_row, last_at = excluded.last_at`, n, s.now())
	}
	s.expect("five in a row", "correlation_degraded |  | board host check codex")
	if i := s.inbox(Filter{})[0]; i.Since != s.now()-4*60_000 || i.Host != runs.Codex || i.Text != "5 Stops in a row belong to no run" {
		t.Errorf("%+v", i)
	}
	if !s.has("a", CodeCorrelationDegraded) || s.has("b", CodeCorrelationDegraded) {
		t.Error("it is shown by the agents of another host, or not by its own")
	}
	s.exec(`UPDATE lost_stops SET in_row = 0`)
	s.expect("after one that met its run")
}

func TestAHostWhoseHooksAreSilent(t *testing.T) {
	s := newScene(t)
	witness := func() {
		s.exec(`INSERT INTO host_events (host, name, n, last_at) VALUES ('codex', 'notify', 1, ?1) ON CONFLICT DO UPDATE SET last_at = ?1`, s.now())
	}
	k := runs.Key{Host: runs.Codex, Session: "a", Turn: "t1"}
	s.prompt(k)
	s.wait(10 * time.Minute)
	witness()
	s.expect("ten minutes after a hook")
	s.wait(time.Millisecond)
	witness()
	s.expect("later", "hooks_silent |  | board host check codex")
	if i := s.inbox(Filter{})[0]; i.Since != s.now() || i.Host != runs.Codex || !s.has("a", CodeHooksSilent) {
		t.Errorf("%+v", i)
	}
	s.wait(time.Minute)
	s.tool(k)
	s.expect("after a hook")
}

func TestWorkThatCannotBeJudged(t *testing.T) {
	for name, c := range map[string]struct {
		host  string
		where runs.ExecutionHost
		edit  bool
		want  bool
	}{
		"on the desktop":                      {runs.ClaudeCode, runs.Desktop, true, false},
		"nobody knows where":                  {runs.ClaudeCode, runs.Nowhere, true, true},
		"on a host that names no turns":       {runs.Gemini, runs.Desktop, true, true},
		"on such a host, and nothing changed": {runs.Gemini, runs.Desktop, false, false},
	} {
		s := newScene(t)
		k := runs.Key{Host: c.host, Session: "a", Turn: "1"}
		s.observe(runs.Observation{Kind: runs.OnPrompt, Key: k, ExecutionHost: c.where})
		if c.edit {
			s.edit(k, web, "x.go")
		}
		if got := s.has("a", CodeGuaranteeUnavailable); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		s.stop(k)
		if got := s.has("a", CodeGuaranteeUnavailable); got != c.want {
			t.Errorf("%s, its turn over: %v, want %v", name, got, c.want)
		}
		for _, i := range s.inbox(Filter{}) {
			if i.Code == string(CodeGuaranteeUnavailable) {
				t.Error("nobody can do anything about it")
			}
		}
	}
}

func TestEveryCodeHasOneRule(t *testing.T) {
	codes := Codes()
	if len(codes) != 13 || len(slices.Compact(slices.Sorted(slices.Values(codes)))) != 13 {
		t.Errorf("%v", codes)
	}
}

func TestAProjectIsThatOfASessionOrWhereItIsAtWork(t *testing.T) {
	s := newScene(t)
	s.prompt(in("a", "t1"))
	s.prompt(in("b", "t1"))
	s.edit(in("b", "t1"), api, "x.go")
	s.observe(runs.Observation{Kind: runs.OnPrompt, Key: in("c", "t1"), ProjectID: api})
	for project, want := range map[int64]string{0: "abc", web: "ab", api: "bc"} {
		got := ""
		for _, a := range s.look(Filter{ProjectID: project}).Agents {
			got += a.Session
		}
		if got != want {
			t.Errorf("of project %d: %s, want %s", project, got, want)
		}
	}
}

func TestEndedSessionsAreListedForADayWhereAllAreAskedFor(t *testing.T) {
	s := newScene(t)
	s.prompt(in("a", "t1"))
	s.endSession(in("a", "t1"))
	s.prompt(in("b", "t1"))
	for _, at := range []time.Duration{0, 12 * time.Hour, 12 * time.Hour, time.Millisecond} {
		s.wait(at)
		s.tool(in("b", "t1"))
		all, some := s.look(Filter{All: true}).Agents, s.look(Filter{}).Agents
		want := 2
		if at == time.Millisecond {
			want = 1
		}
		if len(all) != want || len(some) != 1 || some[0].Session != "b" {
			t.Errorf("%d of all, and %d", len(all), len(some))
		}
	}
	s.prompt(in("a", "t2"))
	if a := s.agent("a"); a.State != Working || a.Run.Stretch != 2 {
		t.Errorf("after its next prompt it is %s", a.State)
	}
	for _, turn := range []string{"t3", "t4"} {
		s.prompt(in("a", turn))
		s.endSession(in("a", turn))
	}
	if all := s.look(Filter{All: true}).Agents; len(all) != 2 || all[1].Run.Stretch != 3 {
		t.Errorf("a session that ended twice: %d rows, the last of stretch %d", len(all), all[len(all)-1].Run.Stretch)
	}
}
