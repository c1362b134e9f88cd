package runs_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"board/internal/fault"
	"board/internal/process"
	"board/internal/runs"
	"board/internal/store"
)

// TestMain plays a host, or the hook of one, where a test starts this program as that. A host starts its hook, and lives
// until its standard input ends.
func TestMain(m *testing.M) {
	switch os.Getenv("BOARD_TEST_PLAYS") {
	case "host":
		hook := exec.Command(os.Args[0])
		hook.Env, hook.Stdout = append(os.Environ(), "BOARD_TEST_PLAYS=hook"), os.Stdout
		if err := hook.Run(); err != nil {
			os.Exit(1)
		}
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	case "hook":
		fmt.Println(process.Prove(os.Getppid()))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// host starts a process that lives until it is killed, and returns its proof.
func host(t *testing.T) (proof string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "BOARD_TEST_PLAYS=host")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	alive := true
	kill = func() {
		if alive {
			alive = false
			_ = in.Close()
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if proof = strings.TrimSpace(line); proof == "" {
		t.Skip("this system tells nothing of processes")
	}
	return proof, kill
}

// from delivers an event of a session whose host is a process with that proof.
func (s *scene) from(session, proof string, e mevent) (res runs.Result) {
	s.t.Helper()
	if e.receivedAt == 0 {
		e.receivedAt = s.now()
	}
	o := e.observation(session, 7)
	if o.Kind.Registers() {
		o.Proof = proof
	}
	return s.deliver(o)
}

// deliver is observe for what has a time of its own.
func (s *scene) deliver(o runs.Observation) (res runs.Result) {
	s.t.Helper()
	s.write(func(ctx context.Context, tx *store.Tx) (err error) {
		res, err = runs.Observe(ctx, tx, o, nil)
		return err
	})
	return res
}

func (s *scene) now() int64 { return s.clock.Now().UnixMilli() }

// recorded returns the runs of a session as they are stored.
func (s *scene) recorded(session string) (list []runs.Run) {
	s.t.Helper()
	s.write(func(ctx context.Context, tx *store.Tx) (err error) {
		list, err = runs.Recorded(ctx, tx, session)
		return err
	})
	return list
}

// run returns a run as it is now.
func (s *scene) run(id int64) (r runs.Run) {
	s.t.Helper()
	s.write(func(ctx context.Context, tx *store.Tx) (err error) {
		r, err = runs.ByID(ctx, tx, tx.Now, id)
		return err
	})
	return r
}

func (s *scene) sessions() (list []runs.SessionView) {
	s.t.Helper()
	s.write(func(ctx context.Context, tx *store.Tx) (err error) {
		list, err = runs.Sessions(ctx, tx, tx.Now, runs.SessionFilter{})
		return err
	})
	return list
}

func (s *scene) conversations() (list []runs.Conversation) {
	s.t.Helper()
	s.write(func(ctx context.Context, tx *store.Tx) (err error) {
		list, _, err = runs.Conversations(ctx, tx, tx.Now)
		return err
	})
	return list
}

// end says how a run is over, or in what state it is.
func end(r runs.Run) string {
	if r.IsLive() {
		return string(r.State)
	}
	return fmt.Sprintf("%s %s %s", r.Outcome, r.Basis, r.Reason)
}

const goneEnd = "unknown inferred host_gone"

func TestARunWhoseHostIsGoneHasEndedForEveryRead(t *testing.T) {
	s := newScene(t)
	proof, kill := host(t)
	res := s.from("s", proof, mevent{kind: "prompt", turn: "t1", proc: "p1"})
	child := s.from("s", proof, mevent{kind: "start", agent: "a1", proc: "p1"}).Run
	seen := s.now()
	s.clock.Add(time.Second)
	if st := s.status(res.Line.ID); !st.Live || st.HostGone {
		t.Fatalf("while its host lives: %+v", st)
	}
	kill()
	s.write(func(ctx context.Context, tx *store.Tx) error {
		for _, id := range []int64{res.Run.ID, child.ID} {
			if r, err := runs.ByID(ctx, tx, tx.Now, id); err != nil || end(r) != goneEnd || r.EndedAt != seen {
				t.Errorf("by its id: %s at %d (%v), want at its last event, %d", end(r), r.EndedAt, err, seen)
			}
		}
		all, err := runs.List(ctx, tx, tx.Now, runs.RunFilter{})
		if err != nil || len(all) != 2 || end(all[0].Run) != goneEnd || end(all[1].Run) != goneEnd {
			t.Errorf("in the list: %+v (%v)", all, err)
		}
		if live, err := runs.List(ctx, tx, tx.Now, runs.RunFilter{LiveOnly: true}); err != nil || len(live) != 0 {
			t.Errorf("%d are listed as live (%v)", len(live), err)
		}
		if kids, err := runs.LiveChildren(ctx, tx, tx.Now, res.Line.ID); err != nil || len(kids) != 0 {
			t.Errorf("%d children are live (%v)", len(kids), err)
		}
		if _, err := runs.Peek(ctx, tx, tx.Now, runs.Who{Handle: res.Run.Handle}); fault.CodeOf(err) != fault.RunEnded {
			t.Errorf("a call by its id answers %v, want run_ended", err)
		}
		return nil
	})
	if st := s.status(res.Line.ID); st.Live || !st.HostGone || end(st.Run) != goneEnd {
		t.Errorf("its line: live %v, host gone %v, %s", st.Live, st.HostGone, end(st.Run))
	}
	if c := s.conversations(); len(c) != 1 || len(c[0].Live) != 0 || c[0].Host != process.Gone {
		t.Errorf("the conversations: %+v", c)
	}
	if v := s.sessions(); len(v) != 1 || v[0].Open() || v[0].Reason != "host_gone" || v[0].Basis != runs.Inferred || v[0].EndedAt != seen {
		t.Errorf("the sessions: %+v", v)
	}
	for _, r := range s.recorded("s") {
		if !r.IsLive() {
			t.Errorf("a read stored the end of %s", r.Short())
		}
	}
}

func TestTheNextPromptOfASessionWritesDownThatItsHostWasGone(t *testing.T) {
	s := newScene(t)
	first, kill := host(t)
	second, _ := host(t)
	s.from("s", first, mevent{kind: "prompt", turn: "t1", proc: "p1"})
	kill()
	s.clock.Add(time.Minute)
	s.from("s", second, mevent{kind: "prompt", turn: "t0", proc: "p2", spooled: true}) // opens nothing after an end
	if n, _ := s.stretch(); n != 1 {
		t.Errorf("a spooled prompt opened stretch %d", n)
	}
	s.from("s", second, mevent{kind: "prompt", turn: "t2", proc: "p2"})
	all := s.recorded("s")
	if got := []string{end(all[0]), end(all[2])}; got[0] != goneEnd || got[1] != "running" {
		t.Errorf("stored are %v, want the first ended, the last running", got)
	}
	v := s.sessions()
	if len(v) != 2 || v[0].N != 2 || !v[0].Open() || v[1].Open() || v[1].Basis != runs.Inferred || v[1].Reason != "host_gone" {
		t.Errorf("the sessions: %+v", v)
	}
	for what, want := range map[string]int64{
		`entity = 'run' AND event = 'expire' AND actor = 'clock' AND detail ->> 'reason' = 'host_gone'`: 1,
		`entity = 'session' AND event = 'host_gone' AND to_state = 'ended' AND revision = 1`:            1,
	} {
		if n := s.number(`SELECT count(*) FROM history WHERE ` + what); n != want {
			t.Errorf("%d rows of the history where %s, want %d", n, what, want)
		}
	}
}

func (s *scene) number(query string, args ...any) (n int64) {
	s.t.Helper()
	if err := s.db.SQL().QueryRow(query, args...).Scan(&n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// TestALivingHostKeepsItsRunForTwelveHours: it may be inside one call of a tool. A recorded Stop is followed by a quiet
// time all the same.
func TestALivingHostKeepsItsRunForTwelveHours(t *testing.T) {
	s := newScene(t)
	proof, _ := host(t)
	r := s.from("s", proof, mevent{kind: "prompt", turn: "t1"}).Run
	began := s.clock.Now()
	for after, want := range map[time.Duration]string{
		46 * time.Minute:                "running",
		12*time.Hour - time.Millisecond: "running",
		12*time.Hour + time.Millisecond: "lost inferred lease",
		2 * time.Minute:                 "running",
	} {
		s.clock.Add(began.Add(after).Sub(s.clock.Now()))
		if got := end(s.run(r.ID)); got != want {
			t.Errorf("after %s it is %s, want %s", after, got, want)
		}
	}
	s.clock.Add(began.Sub(s.clock.Now()))
	if res := s.from("s", proof, mevent{kind: "stop", turn: "t1"}); res.Say != runs.Reminder {
		t.Fatal("it is not asked")
	}
	s.clock.Add(16 * time.Minute)
	if got := end(s.run(r.ID)); got != "completed observed probe_deadline" {
		t.Errorf("asked, and silent since: %s", got)
	}
}

func TestAProcessOfTwoSessionsProvesNothingOfEither(t *testing.T) {
	s := newScene(t)
	proof, _ := host(t)
	before := s.from("before", proof, mevent{kind: "prompt", turn: "t0"}).Run
	s.from("before", proof, mevent{kind: "stop", turn: "t0", flag: true})
	one := s.from("s", proof, mevent{kind: "prompt", turn: "t1"}).Run
	s.clock.Add(46 * time.Minute)
	if got := end(s.run(one.ID)); got != "running" {
		t.Errorf("beside a session that was over when it began: %s", got)
	}
	two := s.from("another", proof, mevent{kind: "prompt", turn: "t2"}).Run
	if got := end(s.run(one.ID)); got != "lost inferred lease" {
		t.Errorf("with another session in its process since it began: %s", got)
	}
	s.clock.Add(46 * time.Minute)
	if got := end(s.run(two.ID)); got != "lost inferred lease" {
		t.Errorf("with another live run in its process: %s", got)
	}
	if got := end(s.run(before.ID)); got != "completed observed stop" {
		t.Errorf("the first: %s", got)
	}
	second, _ := host(t)
	three := s.from("third", second, mevent{kind: "prompt", turn: "t3"}).Run
	s.from("fourth", second, mevent{kind: "prompt", turn: "t4"})
	s.from("fourth", second, mevent{kind: "stop", turn: "t4", flag: true})
	s.clock.Add(46 * time.Minute)
	if got := end(s.run(three.ID)); got != "lost inferred lease" {
		t.Errorf("with a session in its process that came and went: %s", got)
	}
}

func TestASpooledStopCompletesARunWhoseHostHasGone(t *testing.T) {
	for _, met := range []bool{false, true} {
		s := newScene(t)
		proof, kill := host(t)
		res := s.from("s", proof, mevent{kind: "prompt", turn: "t1"})
		stopped := s.now()
		kill()
		s.clock.Add(time.Minute)
		if met { // somebody wrote down that its host is gone
			s.write(func(ctx context.Context, tx *store.Tx) error { return runs.WriteDown(ctx, tx, res.Line.ID) })
			if got := end(s.recorded("s")[0]); got != goneEnd {
				t.Errorf("written down as %s", got)
			}
		}
		s.from("s", proof, mevent{kind: "stop", turn: "t1", spooled: true, receivedAt: stopped, afterRun: 1})
		if r := s.recorded("s")[0]; r.Outcome != runs.Completed || r.Basis != runs.Observed || r.EndedAt != stopped {
			t.Errorf("met before: %v; it is %s at %d, want completed at %d", met, end(r), r.EndedAt, stopped)
		}
	}
}

func TestASecondProcessThatIsGoneSaysNothingOfTheFirst(t *testing.T) {
	s := newScene(t)
	first, _ := host(t)
	second, kill := host(t)
	line := s.from("s", first, mevent{kind: "prompt", turn: "t1", proc: "p1"}).Line.ID
	s.from("s", first, mevent{kind: "stop", turn: "t1", proc: "p1", flag: true})
	s.from("s", second, mevent{kind: "prompt", turn: "t2", proc: "p2"})
	kill()
	if st := s.status(line); st.Live || st.HostGone {
		t.Errorf("live %v, host gone %v, want neither: the first process waits for its person", st.Live, st.HostGone)
	}
	if c := s.conversations(); len(c) != 1 || c[0].Host != process.Alive {
		t.Errorf("the conversation: %+v", c)
	}
	if v := s.sessions(); len(v) != 1 || !v[0].Open() {
		t.Errorf("the session: %+v", v)
	}
	s.from("s", first, mevent{kind: "prompt", turn: "t3", proc: "p1"})
	if n, open := s.stretch(); n != 1 || !open {
		t.Errorf("stretch %d, open %v, want the first to go on", n, open)
	}
	if got := end(s.recorded("s")[1]); got != goneEnd {
		t.Errorf("the turn of the second process is stored as %s", got)
	}
}
