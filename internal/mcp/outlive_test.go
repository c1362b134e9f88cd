package mcp

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"board/internal/fault"
	"board/internal/issues"
	"board/internal/runs"
	"board/internal/store"
)

// A server outlives what it was started with: the file of the board, the run that calls, a call that goes wrong.

func TestTheBoardThatStandsAtThePathIsTheOneThatIsServed(t *testing.T) {
	d := newDesk(t)
	backup := filepath.Join(t.TempDir(), "backup.db")
	d.with(func(ctx context.Context, db *store.DB) error {
		_, err := db.SQL().ExecContext(ctx, "VACUUM INTO ?", backup)
		return err
	})
	o := d.options()
	o.Open = func(ctx context.Context) (*store.DB, error) {
		if _, err := os.Stat(d.path); err != nil {
			return nil, fault.New(fault.NoProject, "run board init in a repository", "there is no board yet")
		}
		return d.open(ctx)
	}
	s, me := connect(t, o), codex("s", "s", "t1")
	s.ok("kanban_create", m{"title": "gone with the old file"}, me)

	for _, part := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(d.path + part); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	for range 2 {
		s.refused("no_project", "kanban_create", m{"title": "nowhere"}, me)
		s.refused("no_project", "kanban_list", nil, me)
	}
	if _, err := os.Stat(d.path); err == nil {
		t.Fatal("the server made a board")
	}

	if err := os.Rename(backup, d.path); err != nil {
		t.Fatal(err)
	}
	// Somebody else works with the restored board, and what they wrote is in its log only.
	d.with(func(ctx context.Context, db *store.DB) error {
		if _, err := issues.New(db).Create(ctx, issues.Actor{Person: "pat"}, issues.CreateCmd{ProjectID: d.project.ID, Title: "by another"}); err != nil {
			return err
		}
		s.ok("kanban_create", m{"title": "after the restore"}, me)
		return nil
	})
	a := d.connect().ok("kanban_list", nil, nil)
	if strings.Contains(a.text, "gone") || !strings.Contains(a.text, `PRE-1 todo p2 ready "by another"`) || !strings.Contains(a.text, `PRE-2 todo p2 hold "after the restore"`) {
		t.Errorf("the board after the restore: %s", a.text)
	}
}

func TestAWriteWaitsForTheEventsBeforeIt(t *testing.T) {
	d := newDesk(t)
	o := d.options()
	var fails error
	o.Drain = func(context.Context, *store.DB) error { return fails }
	s, me := connect(t, o), codex("s", "s", "t1")
	for _, fails = range []error{
		fault.New(fault.StoreBusy, "try again", "many events wait to be stored"),
		fault.Wrap(context.DeadlineExceeded, fault.StoreBusy, "try again", "other programs are writing to the board"),
	} {
		s.refused("store_busy", "kanban_create", m{"title": "ahead of them"}, me)
		s.ok("kanban_list", nil, me)
	}
	fails = errors.New("a file that cannot be read")
	if a := s.ok("kanban_create", m{"title": "behind them"}, me); a.at("issue", "key") != "PRE-1" {
		t.Errorf("something was written before: %s", a.raw)
	}
}

// starts is what every answer to a known run begins with.
func (a answer) starts(t *testing.T, run string) {
	t.Helper()
	if !strings.HasPrefix(a.text, "board: run "+run+" revision ") {
		t.Errorf("no first line for %s: %s", run, a.text)
	}
}

func TestTheFirstLineStandsInEveryAnswerToAKnownRun(t *testing.T) {
	d := newDesk(t)
	ended := d.prompt(runs.ClaudeCode, "old", "t1")
	s := d.connect()
	s.ok("kanban_create", m{"title": "x", "begin": true, "run_id": ended, "run_revision": 1}, nil)
	d.now = d.now.Add(13 * time.Hour)

	a := s.call("kanban_pause", m{"issue_key": "PRE-1", "reason": "handoff", "text": "x", "run_id": ended, "run_revision": 2}, nil)
	if a.code() != "run_ended" || !strings.HasPrefix(a.text, "board: run "+ended+" revision 2 issue PRE-1\n") {
		t.Errorf("an error for a run that ended: %s", a.text)
	}
	s.ok("kanban_list", m{"run_id": ended}, nil).starts(t, ended)
	if a := s.ok("kanban_list", m{"run_id": ended, "mine": true}, nil); !strings.Contains(a.text, "\nPRE-1 ") {
		t.Errorf("what the run holds: %s", a.text)
	}
	s.ok("kanban_get", m{"run_id": ended, "issue_key": "PRE-1"}, nil).starts(t, ended)
	s.call("kanban_get", m{"run_id": ended, "issue_key": "PRE-9"}, nil).starts(t, ended)

	me, run := codex("s", "s", "t1"), d.prompt(runs.Codex, "s", "t1")
	for _, tool := range []string{"kanban_begin_work", "kanban_list"} {
		a := s.call(tool, m{"run_id": ended}, me)
		if a.code() != "not_your_run" {
			t.Errorf("%s: %s", tool, a.text)
		}
		a.starts(t, run)
	}
	s.call("kanban_create", m{"titel": "x"}, me).starts(t, run) // arguments that cannot be read
}

func TestADefectInACallIsToldAndLeavesTheServerUp(t *testing.T) {
	d := newDesk(t)
	run := d.prompt(runs.Codex, "s", "t1")
	var log bytes.Buffer
	o := d.options()
	o.Err = &log
	defect := true
	o.Drain = func(context.Context, *store.DB) error {
		if defect {
			panic("out of order")
		}
		return nil
	}
	s := connect(t, o)
	a := s.call("kanban_create", m{"title": "x"}, codex("s", "s", "t1"))
	if a.code() != "internal" || strings.Contains(a.text, "board doctor") || !strings.Contains(a.text, "stderr") {
		t.Errorf("told: %s", a.text)
	}
	a.starts(t, run)
	defect = false
	s.ok("kanban_create", m{"title": "x"}, codex("s", "s", "t1"))
	if l := log.String(); !strings.Contains(l, "kanban_create: out of order") || !strings.Contains(l, "goroutine") {
		t.Errorf("logged: %s", l)
	}
}
