package agents

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"board/internal/issues"
	"board/internal/runs"
)

// waiting is the inbox in short: code, Issue and command of each item.
func (s *scene) waiting(f Filter) (out []string) {
	for _, i := range s.inbox(f) {
		out = append(out, strings.Join([]string{i.Code, i.IssueKey, i.Command}, " | "))
	}
	return out
}

// expect fails unless exactly this waits.
func (s *scene) expect(when string, want ...string) {
	s.t.Helper()
	if got := s.waiting(Filter{}); !slices.Equal(got, want) {
		s.t.Errorf("%s:\n%s\nwant:\n%s", when, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// move is what a command of an item does.
func (s *scene) move(do func(*issues.Service, context.Context, issues.Actor, issues.MoveCmd) (issues.Result, error), key string) {
	s.t.Helper()
	if _, err := do(s.svc, context.Background(), pat(), issues.MoveCmd{Key: key}); err != nil {
		s.t.Errorf("the command for %s does not work: %v", key, err)
	}
}

// working is a session with a turn that began work on a new Issue.
func (s *scene) working(session string) (r runs.Run, key string) {
	r, key = s.prompt(in(session, "t1")), s.issue(web, "Work of "+session)
	s.begin(r, key)
	return r, key
}

// pause is an agent that sets its Issue aside.
func (s *scene) pause(r runs.Run, key string, why issues.PauseReason) {
	s.t.Helper()
	_, err := s.svc.Pause(context.Background(), by(r), issues.MoveCmd{Key: key, Reason: "A sentence.", PauseReason: why, RunRevision: s.again(r).Revision})
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) has(session string, c Code) bool {
	return slices.Contains(s.agent(session).Attention, c)
}

func TestADialogWaitsUntilTheNextEvent(t *testing.T) {
	for ask, code := range map[runs.Ask]Code{runs.AsksApproval: CodeNeedsApproval, runs.AsksAnswer: CodeNeedsAnswer} {
		s := newScene(t)
		s.observe(runs.Observation{Kind: runs.OnPrompt, Key: in("a", "t1"), Worktree: "/src/web\x1b[2J"})
		s.ask(in("a", "t1"), ask)
		since := s.now()
		s.wait(time.Minute)
		s.expect("a dialog", string(code)+" |  | board runs --session a")
		i := s.inbox(Filter{})[0]
		if !s.has("a", code) || i.Since != since || !strings.HasSuffix(i.Text, " in its terminal: claude-code in /src/web[2J") || i.Run.ID != 1 {
			t.Errorf("%s: %q since %d", code, i.Text, i.Since-since)
		}
		s.tool(in("a", "t1"))
		s.expect("after the next event")
		if s.has("a", code) {
			t.Errorf("%s stays", code)
		}
	}
}

func TestAnAgentAsksForApproval(t *testing.T) {
	s := newScene(t)
	r, key := s.working("a")
	i, err := s.svc.Get(context.Background(), 0, key)
	if err != nil {
		t.Fatal(err)
	}
	s.wait(time.Minute)
	_, err = s.svc.RequestClosure(context.Background(), by(r), issues.ClosureCmd{
		Key: key, Summary: "Done.", RunRevision: s.again(r).Revision, IssueRevision: i.Revision,
	})
	if err != nil {
		t.Fatal(err)
	}
	since := s.now()
	s.wait(time.Hour)
	s.expect("in review", "closure_waiting | WEB-1 | board approve WEB-1")
	if i := s.inbox(Filter{})[0]; i.Since != since || i.Title != "Work of a" || i.Run.ID != r.ID || i.Run.Handle != "" || !s.has("a", CodeClosureWaiting) {
		t.Errorf("%+v, attention %v", i, s.agent("a").Attention)
	}
	s.move((*issues.Service).Approve, key)
	s.expect("after it")
}

func TestAnAgentPausesAnIssueWithAQuestion(t *testing.T) {
	for why, want := range map[issues.PauseReason]string{
		issues.Question:  "needs_answer | WEB-1 | board resume WEB-1",
		issues.BlockedBy: "needs_answer | WEB-1 | board resume WEB-1",
		issues.Handoff:   "",
	} {
		s := newScene(t)
		r, key := s.working("a")
		s.pause(r, key, why)
		since := s.now()
		s.wait(time.Minute)
		if _, err := s.svc.Edit(context.Background(), pat(), issues.EditCmd{Key: key, AddLabels: []string{"x"}}); err != nil {
			t.Fatal(err)
		}
		if want == "" {
			s.expect(string(why))
			continue
		}
		s.expect(string(why), want)
		if i := s.inbox(Filter{})[0]; i.Since != since || i.Text != "paused by an agent: "+string(why)+": A sentence." || !s.has("a", CodeNeedsAnswer) {
			t.Errorf("%s: %q since %d", why, i.Text, i.Since-since)
		}
		s.move((*issues.Service).Resume, key)
		s.expect("after it")
	}
}

// Nobody can go on with an Issue that others block: a person who is told to resume it is told something that fails.
func TestAPausedIssueThatOthersBlock(t *testing.T) {
	for why, want := range map[issues.PauseReason][]string{
		issues.BlockedBy: nil, issues.Question: {"needs_answer | WEB-1 | board show WEB-1"},
	} {
		s := newScene(t)
		r, key := s.working("a")
		if _, err := s.svc.Edit(context.Background(), pat(), issues.EditCmd{Key: key, AddBlockedBy: []string{s.issue(web, "First")}}); err != nil {
			t.Fatal(err)
		}
		s.pause(r, key, why)
		s.expect(string(why), want...)
	}
}

func TestAPersonsPauseWaitsOnNobody(t *testing.T) {
	s := newScene(t)
	_, key := s.working("a")
	if _, err := s.svc.Pause(context.Background(), pat(), issues.MoveCmd{Key: key, Reason: "Later.", PauseReason: issues.Question}); err != nil {
		t.Fatal(err)
	}
	s.expect("paused by a person")
}

func TestAnAgentThatIsLostWithItsIssue(t *testing.T) {
	s := newScene(t)
	_, key := s.working("a")
	s.wait(45*time.Minute - time.Millisecond)
	s.expect("before its lease is over")
	s.wait(time.Millisecond)
	since := s.now()
	s.expect("after it", "lost_with_issue | WEB-1 | board release WEB-1")
	s.wait(30 * time.Hour) // its session is over, too, and the Issue stale: it is one thing that waits
	s.tidy()
	s.expect("a day later", "lost_with_issue | WEB-1 | board release WEB-1")
	if i := s.inbox(Filter{})[0]; i.Since != since || i.Text != "its agent was lost in mid-turn; to go on instead: claude --resume a" {
		t.Errorf("%q since %d", i.Text, i.Since-since)
	}
	s.move((*issues.Service).Release, key)
	s.expect("after the release")
}

func TestAnAgentWhoseHostIsKilledInMidTurn(t *testing.T) {
	s := newScene(t)
	h := newHost(t)
	s.prove(h, runs.OnPrompt, in("a", "t1"))
	key := s.issue(web, "Work")
	s.begin(s.agent("a").withHandle(s), key)
	h.kill(t)
	s.expect("at once", "lost_with_issue | WEB-1 | board release WEB-1")
	if i := s.inbox(Filter{})[0]; i.Text != "the host of its agent is gone; to go on instead: claude --resume a" || !s.has("a", CodeLostWithIssue) {
		t.Errorf("%q", i.Text)
	}
	s.move((*issues.Service).Release, key)
	s.expect("after the release")
}

// withHandle is the run of an agent, with what only the run itself is told.
func (a Agent) withHandle(s *scene) runs.Run {
	r := a.Run
	if err := s.db.SQL().QueryRow(`SELECT handle FROM runs WHERE id = ?`, r.ID).Scan(&r.Handle); err != nil {
		s.t.Fatal(err)
	}
	return r
}

func TestItIsThePersonsTurnWhileAnIssueIsInProgress(t *testing.T) {
	s := newScene(t)
	_, key := s.working("a")
	s.expect("while its turn goes on")
	s.stop(in("a", "t1"))
	since := s.now()
	s.wait(time.Hour)
	s.expect("when it is over", "your_turn | WEB-1 | board show WEB-1")
	if i := s.inbox(Filter{})[0]; i.Since != since || i.Session != "a" || s.agent("a").Issue != key {
		t.Errorf("%+v", i)
	}
	s.prompt(in("a", "t2"))
	s.expect("after the next prompt")
	s.stop(in("a", "t2"))
	since = s.now()
	s.endSession(in("a", "t2"))
	s.expect("after the end of the session: nobody goes on", "lost_with_issue | WEB-1 | board release WEB-1")
	if i := s.inbox(Filter{})[0]; i.Since != since || i.Text != "its session is over; to go on instead: claude --resume a" {
		t.Errorf("%q since %d", i.Text, i.Since-since)
	}
	s.wait(30 * time.Hour)
	s.expect("a day later it is still that", "lost_with_issue | WEB-1 | board release WEB-1")
	s.move((*issues.Service).Release, key)
	s.expect("after the release")
}

// stale is owned by package issues: both must say the same at any time.
func TestAnIssueIsStaleWhereIssuesSaySo(t *testing.T) {
	s := newScene(t)
	r, key := s.working("a")
	other, paused := s.working("b")
	s.pause(other, paused, issues.Handoff)
	s.stop(in("a", "t1"))
	for range 60 {
		s.wait(time.Hour)
		if s.now()%(7*hour) == 0 {
			s.tool(in("a", "t1"))
			s.stop(in("a", "t1"))
		}
		for _, k := range []string{key, paused} {
			i, err := s.svc.Get(context.Background(), 0, k)
			if err != nil {
				t.Fatal(err)
			}
			shown := slices.ContainsFunc(s.inbox(Filter{}), func(x Item) bool { return x.IssueKey == k && x.Code == string(CodeStaleIssue) })
			if shown != i.Stale {
				t.Errorf("%s: stale %v, shown %v", k, i.Stale, shown)
			}
		}
	}
	_ = r
}

func TestTheOldestWaitsFirst(t *testing.T) {
	s := newScene(t)
	type paused struct {
		r   runs.Run
		key string
	}
	var all []paused
	for n := range 11 {
		r, key := s.working(fmt.Sprint("s", n))
		all = append(all, paused{r, key})
	}
	for _, p := range all[2:] { // all at the same time: WEB-3 before WEB-10
		s.pause(p.r, p.key, issues.Question)
	}
	s.wait(time.Second)
	s.pause(all[1].r, all[1].key, issues.Question)
	s.wait(time.Second)
	s.ask(in("s0", "t1"), runs.AsksApproval)
	s.wait(time.Second)
	var got []string
	for _, i := range s.inbox(Filter{}) {
		got = append(got, i.IssueKey)
	}
	want := []string{"WEB-3", "WEB-4", "WEB-5", "WEB-6", "WEB-7", "WEB-8", "WEB-9", "WEB-10", "WEB-11", "WEB-2", "WEB-1"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// An Issue waits for one thing at a time, whatever else could be said of it.
func TestAnIssueWaitsForOneThing(t *testing.T) {
	s := newScene(t)
	s.exec(`INSERT INTO config (project_id, host, key, value) VALUES (0, '', 'session_ttl', '200h')`)
	s.working("a")
	s.stop(in("a", "t1"))
	s.expect("its turn is over", "your_turn | WEB-1 | board show WEB-1")
	s.wait(24 * time.Hour)
	s.wants("a day later", "a", YourTurn)
	s.expect("a day later", "stale_issue | WEB-1 | board release WEB-1")
}

func TestASessionIsNamedSoThatNoShellReadsMore(t *testing.T) {
	for _, key := range []string{"abc-12", "a b", "$(touch x)", "it's", `a"b`, "-x", "ses_1;ls", "*"} {
		line := ofSession(session{runs.ClaudeCode, key})
		out, err := exec.Command("sh", "-c", "set -f; printf '%s\\n' "+strings.TrimPrefix(line, "board ")).Output()
		if err != nil || string(out) != "runs\n--session\n"+key+"\n" {
			t.Errorf("%s is read as %q (%v)", line, out, err)
		}
	}
	if got := ofSession(session{runs.Codex, "a\nb"}); got != "board runs --live --host codex" {
		t.Errorf("what cannot be pasted stands in %q", got)
	}
}
