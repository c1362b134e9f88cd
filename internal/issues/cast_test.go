package issues

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"board/internal/fault"
	"board/internal/runs"
	"board/internal/store"
	"board/internal/storetest"
)

// The cast of every test: two roots of two sessions, a subagent of the first, and a person.
const (
	ann = iota // a root
	bob        // another root
	sub        // a subagent of ann
	person
)

func castName(who int) string { return []string{"ann", "bob", "sub", "person"}[who] }

// stage is a migrated store with a project, on which the cast acts through real events and real calls.
type stage struct {
	t       testing.TB
	db      *store.DB
	clock   *storetest.Clock
	svc     *Service
	project int64
	turn    int
	run     [3]runs.Run // newest run of each line, as registered
}

func newStage(t testing.TB) *stage {
	t.Helper()
	// Every call commits to the disk: in memory, ten thousand of them take seconds instead of minutes.
	if fi, err := os.Stat("/dev/shm"); err == nil && fi.IsDir() {
		t.Setenv("TMPDIR", "/dev/shm")
	}
	db, clock := storetest.Open(t)
	s := &stage{t: t, db: db, clock: clock, svc: New(db)}
	s.project = s.addProject("PRE")
	return s
}

func (s *stage) addProject(prefix string) int64 {
	s.t.Helper()
	var id int64
	s.must(s.db.Write(context.Background(), func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRowContext(ctx, `INSERT INTO projects (uuid, prefix, name, root, next_number, created_at) VALUES (?, ?, ?, '/', 1, 0) RETURNING id`,
			"uuid-"+prefix, prefix, prefix).Scan(&id)
	}))
	return id
}

func (s *stage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// key is the run key of the newest run of a line, or of its next turn.
func (s *stage) key(who int) runs.Key {
	switch who {
	case sub:
		return runs.Key{Host: runs.ClaudeCode, Session: "s-ann", Agent: "agent-1"}
	case bob:
		return runs.Key{Host: runs.Codex, Session: "s-bob", Turn: s.run[bob].Turn}
	}
	return runs.Key{Host: runs.ClaudeCode, Session: "s-ann", Turn: s.run[ann].Turn}
}

// see delivers an event of a line.
func (s *stage) see(who int, o runs.Observation) {
	s.t.Helper()
	if o.Key == (runs.Key{}) {
		o.Key = s.key(who)
	}
	s.turn++
	if o.CallID == "" {
		o.CallID = fmt.Sprint("call-", s.turn) // tool events of one run differ by it
	}
	if o.RawTurn == "" {
		o.RawTurn = o.Key.Turn
	}
	o.ProjectID, o.Name = s.project, o.Kind.String()
	o.ReceivedAt = s.db.Now()
	s.must(s.db.Write(context.Background(), func(ctx context.Context, tx *store.Tx) error {
		r, err := runs.Observe(ctx, tx, o, nil)
		if err == nil && r.Run.ID != 0 && o.Kind != runs.OnSessionEnd {
			s.run[who] = r.Run
		}
		return err
	}))
}

// prompt begins a turn of a root.
func (s *stage) prompt(who int, hostMade bool) {
	s.t.Helper()
	k := s.key(who)
	k.Turn = fmt.Sprint("turn-", s.turn)
	s.see(who, runs.Observation{Kind: runs.OnPrompt, Key: k, HostMade: hostMade})
}

// end ends the run of a line.
func (s *stage) end(who int) {
	s.t.Helper()
	kind := runs.OnFailure
	if who == sub {
		kind = runs.OnSubagentStop
	}
	s.see(who, runs.Observation{Kind: kind})
}

func (s *stage) startSub() {
	s.t.Helper()
	s.see(sub, runs.Observation{Kind: runs.OnSubagentStart, RawTurn: s.run[ann].Turn})
}

func (s *stage) endSession(who int) {
	s.t.Helper()
	k := s.key(who)
	k.Turn = ""
	s.see(who, runs.Observation{Kind: runs.OnSessionEnd, Key: k})
}

func (s *stage) edit(who int, path string) {
	s.t.Helper()
	s.see(who, runs.Observation{Kind: runs.OnEdit, Tool: "Edit", Edits: []runs.Edit{{ProjectID: s.project, Path: path}}})
}

// actor is who calls, without proof.
func (s *stage) actor(who int) Actor {
	if who == person {
		return Actor{Person: "pat", Machine: "test"}
	}
	return Actor{Person: "pat", Machine: "test", Agent: true, Who: runs.Who{Handle: s.run[who].Handle, ProjectID: s.project}}
}

// rev is the true revision of a line's newest run.
func (s *stage) rev(who int) int64 {
	if who == person || s.run[who].ID == 0 {
		return 0
	}
	var n int64
	s.must(s.db.SQL().QueryRow("SELECT revision FROM runs WHERE id = ?", s.run[who].ID).Scan(&n))
	return n
}

// row is an Issue as stored.
func (s *stage) row(key string) issueRow {
	s.t.Helper()
	var row issueRow
	s.must(s.svc.read(context.Background(), func(ctx context.Context, c *call) (err error) {
		row, err = c.find(ctx, c.tx, 0, key)
		return err
	}))
	return row
}

// create makes an Issue for a person and returns its key.
func (s *stage) create(title string, criteria ...string) string {
	s.t.Helper()
	s.clock.Add(time.Millisecond)
	r, err := s.svc.Create(context.Background(), s.actor(person), CreateCmd{ProjectID: s.project, Title: title, Criteria: criteria})
	s.must(err)
	return r.Issue.Key
}

// call makes a move with everything that it needs to be allowed: the true revisions, a reason, verdicts for all criteria.
func (s *stage) call(who int, ev Event, key string, change ...func(*input)) (Result, error) {
	s.t.Helper()
	in := input{MoveCmd: MoveCmd{ProjectID: s.project, Key: key, RunRevision: s.rev(who)}}
	switch ev {
	case Pause:
		in.PauseReason, in.Reason = Handoff, "because"
	case RequestChanges:
		in.Reason = "because"
	case RequestClosure:
		i, err := s.svc.Get(context.Background(), 0, key)
		s.must(err)
		in.IssueRevision = i.Revision
		for _, c := range i.Criteria {
			in.judgments = append(in.judgments, Judgment{N: c.N, Verdict: Met, How: "looked"})
		}
	}
	for _, f := range change {
		f(&in)
	}
	r, err := s.svc.move(context.Background(), s.actor(who), ev, in)
	if err != nil {
		brief(s.t, err)
	}
	return r, err
}

// ok is call that must succeed.
func (s *stage) ok(who int, ev Event, key string, change ...func(*input)) Result {
	s.t.Helper()
	r, err := s.call(who, ev, key, change...)
	if err != nil {
		s.t.Fatalf("%s by %s: %v", ev, castName(who), err)
	}
	return r
}

// no is call that must be refused with a code.
func (s *stage) no(code fault.Code, who int, ev Event, key string, change ...func(*input)) *fault.Fault {
	s.t.Helper()
	_, err := s.call(who, ev, key, change...)
	if fault.CodeOf(err) != code {
		s.t.Fatalf("%s by %s: got %v, want %s", ev, castName(who), err, code)
	}
	return fault.As(err)
}

// brief checks what every refusal promises: one short text, with the next step.
func brief(t testing.TB, err error) {
	t.Helper()
	var f *fault.Fault
	if !errors.As(err, &f) {
		t.Fatalf("not a fault: %v", err)
	}
	if n := len(string(f.Code) + ": " + f.Message + ". " + f.Hint); n > 400 {
		t.Errorf("%d bytes: %v %s", n, f, f.Hint)
	}
}
