package agents

import (
	"slices"
	"strings"
	"testing"
	"time"

	"board/internal/runs"
)

// prove is an event of a session whose host is a process.
func (s *scene) prove(h *host, kind runs.ObservationKind, k runs.Key) {
	s.observe(runs.Observation{Kind: kind, Key: k, Proof: h.proof})
}

// wants fails unless the session is shown so.
func (s *scene) wants(when, session string, want State) Agent {
	s.t.Helper()
	a := s.agent(session)
	if a.State != want {
		s.t.Errorf("%s: %s is %q, want %q", when, session, a.State, want)
	}
	return a
}

func TestCountsEqualRowsAroundEveryLimit(t *testing.T) {
	const lease = 45 * time.Minute
	for _, c := range []struct {
		after time.Duration
		want  State
	}{
		{89 * time.Second, Working},
		{90 * time.Second, Working},
		{90*time.Second + time.Millisecond, Quiet},
		{91 * time.Second, Quiet},
		{lease - time.Millisecond, Quiet},
		{lease, Lost},
		{lease + time.Millisecond, Lost},
	} {
		s := newScene(t)
		for _, session := range []string{"a", "b", "c"} {
			s.prompt(in(session, "t1"))
		}
		s.wait(c.after)
		v := s.look(Filter{})
		if v.Counts[c.want] != 3 || len(v.Counts) != 1 || len(v.Agents) != 3 {
			t.Errorf("after %v: %v and %d rows, want 3 %s", c.after, v.Counts, len(v.Agents), c.want)
		}
	}
}

func TestNobodyWorksTenMinutesAfterTheLastSignOfAHostThatIsGone(t *testing.T) {
	s := newScene(t)
	h := newHost(t)
	s.prove(h, runs.OnPrompt, in("a", "t1"))
	s.wants("while it lives", "a", Working)
	h.kill(t)
	for at := time.Duration(0); at <= 20*time.Minute; at += 30 * time.Second {
		want := Offline
		if at >= 10*time.Minute {
			want = Ended
		}
		s.wants(at.String(), "a", want)
		s.wait(30 * time.Second)
	}
}

func TestALivingHostInsideOneLongCallIsNeverLost(t *testing.T) {
	s := newScene(t)
	s.prove(newHost(t), runs.OnPrompt, in("a", "t1"))
	s.wait(2 * time.Minute)
	for m := 2; m < 62; m++ {
		a := s.wants("in the call", "a", Quiet)
		if age := s.now() - a.Since; age != int64(m)*minute || a.Event != "prompt" {
			t.Errorf("quiet for %d ms since its %s, want %d", age, a.Event, int64(m)*minute)
		}
		s.tidy() // other programs write meanwhile
		s.wait(time.Minute)
	}
	s.tool(in("a", "t1"))
	s.wants("after the call", "a", Working)
	s.stop(in("a", "t1"))
	if n := s.count(`SELECT count(*) FROM history WHERE entity = 'run' OR detail LIKE '%lost%'`); n != 0 {
		t.Errorf("the history has %d rows of a run that nothing happened to", n)
	}
}

func (s *scene) count(query string, args ...any) (n int) {
	s.t.Helper()
	if err := s.db.SQL().QueryRow(query, args...).Scan(&n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

func TestASessionThatWaitsForItsPersonIsNoOrphan(t *testing.T) {
	s := newScene(t)
	h := newHost(t)
	s.prove(h, runs.OnPrompt, in("a", "t1"))
	s.stop(in("a", "t1"))
	s.wait(3 * time.Hour)
	s.tidy()
	if a := s.wants("after three hours", "a", Idle); len(a.Attention) > 0 {
		t.Errorf("it wants attention: %v", a.Attention)
	}
	s.prove(h, runs.OnPrompt, in("a", "t2"))
	a := s.wants("after the next prompt", "a", Working)
	if a.Run.Stretch != 1 || s.count(`SELECT count(*) FROM sessions`) != 1 || s.count(`SELECT count(*) FROM history WHERE entity = 'session'`) != 0 {
		t.Errorf("the next prompt is of stretch %d", a.Run.Stretch)
	}
}

// A subagent that works on in the background, and ends, is a sign of life of its session.
func TestASessionWasHeardOfLastByASubagentThatIsOver(t *testing.T) {
	s := newScene(t)
	s.prompt(in("a", "t1"))
	s.stop(in("a", "t1"))
	child := runs.Key{Session: "a", Agent: "x"}
	s.observe(runs.Observation{Kind: runs.OnSubagentStart, Key: child})
	s.wait(30 * time.Minute)
	s.observe(runs.Observation{Kind: runs.OnSubagentStop, Key: child})
	s.wait(24*time.Hour - time.Millisecond)
	s.wants("a day after its turn", "a", Idle)
	s.wait(10*time.Minute + time.Millisecond)
	s.wants("a day and ten minutes after its subagent", "a", Ended)
}

func TestAnOrphanIsWrittenDownOnce(t *testing.T) {
	for name, c := range map[string]struct {
		begin         func(s *scene)
		entity, rule  string
		basis, reason string
	}{
		"a run in a session that has ended": {
			begin: func(s *scene) {
				s.prompt(in("a", "t1"))
				s.endSession(in("a", "t1"))
				s.observe(runs.Observation{Kind: runs.OnSubagentStart, Key: runs.Key{Session: "a", Agent: "x"}})
			},
			entity: "run", rule: runs.RunWithoutSession, basis: "session_ended", reason: runs.ReasonOrphan,
		},
		"a session whose host is gone": {
			begin: func(s *scene) {
				h := newHost(s.t)
				s.prove(h, runs.OnPrompt, in("a", "t1"))
				s.stop(in("a", "t1"))
				h.kill(s.t)
			},
			entity: "session", rule: runs.SessionWithoutRun, basis: "host_gone", reason: "host_gone",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			c.begin(s)
			rows := func() int {
				return s.count(`SELECT count(*) FROM history WHERE entity = ? AND json_extract(detail, '$.rule') = ?`, c.entity, c.rule)
			}
			flagged := func() bool { return slices.Contains(s.agent("a").Attention, CodeOrphan) }
			s.wait(119 * time.Second)
			if s.tidy(); flagged() || rows() != 0 {
				t.Error("flagged at 119 seconds")
			}
			s.wait(time.Second)
			if s.tidy(); !flagged() || rows() != 0 {
				t.Error("not flagged at 120 seconds, or ended")
			}
			s.wait(479 * time.Second)
			if s.tidy(); !flagged() || s.agent("a").State == Ended || rows() != 0 {
				t.Error("not flagged at 599 seconds, or ended")
			}
			s.wait(time.Second)
			if flagged() || s.agent("a").State != Ended || len(s.look(Filter{}).Agents) != 0 {
				t.Error("shown at 600 seconds")
			}
			s.tidy()
			s.wait(time.Hour)
			s.tidy()
			if rows() != 1 {
				t.Errorf("%d rows of the history say so, want 1", rows())
			}
			if n := s.count(`SELECT count(*) FROM history WHERE json_extract(detail, '$.session') = 'a' AND json_extract(detail, '$.run') <> ''
				AND json_extract(detail, '$.basis') = ? AND json_extract(detail, '$.diverged_s') = '600' AND json_extract(detail, '$.threshold_s') = '600'
				AND json_extract(detail, '$.reason') = ?`, c.basis, c.reason); n != 1 {
				t.Error("the row does not say by which rule, and for how long")
			}
			s.wants("afterwards", "a", Ended)
		})
	}
}

// What could not be read may be what lives.
func TestNothingIsWrittenDownAfterAPartialRead(t *testing.T) {
	s := newScene(t)
	h := newHost(t)
	s.prove(h, runs.OnPrompt, in("a", "t1"))
	s.stop(in("a", "t1"))
	other := s.prompt(in("b", "t1"))
	h.kill(t)
	s.wait(10 * time.Minute)
	s.exec(`UPDATE runs SET facts = 'x' || facts WHERE id = ?`, other.ID)
	view := s.look(Filter{})
	if s.tidy(); s.count(`SELECT count(*) FROM sessions WHERE state = 'active'`) != 2 {
		t.Error("a session was ended on a partial read")
	}
	if len(view.Degraded) != 1 || view.Degraded[0] != "1 row cannot be read" {
		t.Errorf("the view says that it is partial by %q", view.Degraded)
	}
	items := s.inbox(Filter{ProjectID: api})
	if len(items) != 1 || items[0].Code != string(CodeViewDegraded) || items[0].Command != "board doctor" {
		t.Errorf("the inbox of a project has %+v", items)
	}
	s.exec(`UPDATE runs SET facts = substr(facts, 2) WHERE id = ?`, other.ID)
	if s.tidy(); s.count(`SELECT count(*) FROM sessions WHERE state = 'active'`) != 1 {
		t.Error("it was not ended when everything could be read")
	}
}

func TestAViewIsPartialWhileEventsWaitToBeStored(t *testing.T) {
	s := newScene(t)
	for n, want := range []string{"", "1 event waits to be stored", "2 events wait to be stored"} {
		if got := strings.Join(s.look(Filter{}).Degraded, "; "); got != want {
			t.Errorf("with %d events: %q, want %q", n, got, want)
		}
		if err := s.db.Spool().Put(s.now(), []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
}
