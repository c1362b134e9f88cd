package runs_test

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"board/internal/runs"
	"board/internal/store"
)

// put stores a row of a table; what is not named is empty.
func (s *scene) put(table string, row map[string]any) {
	s.t.Helper()
	all := map[string]any{}
	rows, err := s.db.SQL().Query(`SELECT name, type FROM pragma_table_info(?)`, table)
	if err != nil {
		s.t.Fatal(err)
	}
	for rows.Next() {
		var name, kind string
		if err := rows.Scan(&name, &kind); err != nil {
			s.t.Fatal(err)
		}
		all[name] = map[string]any{"INTEGER": 0, "TEXT": "", "BLOB": []byte{}}[kind]
	}
	if err := rows.Close(); err != nil {
		s.t.Fatal(err)
	}
	maps.Copy(all, row)
	names := slices.Collect(maps.Keys(all))
	var values []any
	for _, n := range names {
		values = append(values, all[n])
	}
	s.write(func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO "+table+" ("+strings.Join(names, ", ")+") VALUES (?"+strings.Repeat(", ?", len(names)-1)+")", values...)
		return err
	})
}

func (s *scene) digest(root runs.Line, n int64) (d runs.Digest) {
	s.t.Helper()
	s.write(func(ctx context.Context, tx *store.Tx) (err error) {
		d, err = runs.DigestOf(ctx, tx, tx.Now, root, n)
		return err
	})
	return d
}

// edit delivers the change of a file by a run.
func (s *scene) edit(e mevent, project int64, path string) {
	s.t.Helper()
	e.kind, e.receivedAt = "edit", s.now()
	o := e.observation("s", project)
	o.Edits[0].Path, o.ProjectID = path, 7
	s.deliver(o)
}

// TestADigestSaysWhatAStretchDid: its runs, those of subagents too, the files that they changed, the moves of Issues that
// they made, and how the last turn ended. What others did meanwhile, or the session later, is none of it.
func TestADigestSaysWhatAStretchDid(t *testing.T) {
	s := newScene(t)
	s.put("projects", map[string]any{"id": 7, "uuid": "p", "prefix": "P"})
	for id := range 4 {
		s.put("issues", map[string]any{"id": id + 1, "uuid": "u" + string(rune('0'+id)), "project_id": 7, "number": id + 1, "state": "todo"})
	}
	moved := func(issue, run int64, events ...string) {
		for _, e := range events {
			s.put("history", map[string]any{"seq": nil, "entity": "issue", "entity_id": issue, "event": e, "run_id": run})
		}
	}
	r1 := s.see(mevent{kind: "prompt", turn: "t1"}).Run
	root := s.see(mevent{kind: "tool", turn: "t1", call: "c"}).Root
	child := s.see(mevent{kind: "start", agent: "a1"}).Run
	other := s.from("another", "", mevent{kind: "prompt", turn: "t1"}).Run
	s.edit(mevent{turn: "t1", call: "1"}, 7, "b.go")
	s.edit(mevent{turn: "t1", call: "2"}, 7, "a.go")
	s.edit(mevent{agent: "a1", call: "3"}, 7, "a.go")
	s.edit(mevent{agent: "a1", call: "4"}, 8, "a.go")
	for _, p := range []string{"c", "d", "e", "f"} {
		s.edit(mevent{turn: "t1", call: p}, 7, p)
	}
	s.put("claims", map[string]any{"issue_id": 2, "fence": 1, "line_id": root.ID, "run_id": r1.ID})
	s.put("claims", map[string]any{"issue_id": 3, "fence": 1, "line_id": other.LineID, "run_id": other.ID})
	s.write(func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE issues SET created_by_run = ? WHERE id = 4`, child.ID)
		return err
	})
	moved(2, r1.ID, "begin_work", "comment", "comment", "request_closure")
	moved(3, other.ID, "begin_work")
	moved(3, r1.ID, "comment") // never claimed here
	moved(4, child.ID, "create")
	moved(2, 0, "approve") // a person
	s.see(mevent{kind: "interrupt", turn: "t1"})
	s.see(mevent{kind: "session_end"})
	later := s.see(mevent{kind: "prompt", turn: "t2"}).Run
	s.edit(mevent{turn: "t2", call: "9"}, 7, "later.go")
	moved(2, later.ID, "resume")

	want := runs.Digest{
		Runs: 2, Outcome: runs.Interrupted, Files: 7, Paths: []string{"a.go", "a.go", "b.go", "c", "d"},
		Issues: []runs.DigestIssue{{ID: 2, Moves: []string{"begin_work", "comment", "request_closure"}}, {ID: 4, Moves: []string{"create"}}},
	}
	if got := s.digest(root, 1); !reflect.DeepEqual(got, want) {
		t.Errorf("unwritten\n got %+v\nwant %+v", got, want)
	}
	s.write(runs.Summarize)
	s.write(func(ctx context.Context, tx *store.Tx) error { // it is written: what is found later does not change it
		_, err := tx.ExecContext(ctx, `DELETE FROM evidence`)
		return err
	})
	if got := s.digest(root, 1); !reflect.DeepEqual(got, want) {
		t.Errorf("written\n got %+v\nwant %+v", got, want)
	}
	if got := s.digest(root, 2); got.Runs != 1 || got.Outcome != runs.None || len(got.Issues) != 1 || got.Issues[0].Moves[0] != "resume" {
		t.Errorf("that of the stretch that goes on: %+v", got)
	}
	if n := s.number(`SELECT count(*) FROM sessions WHERE state = 'summarized'`); n != 1 {
		t.Errorf("%d stretches are summarized, want the one that has ended", n)
	}
}

// TestADigestDoesNotDependOnWhoMetTheEnd: a turn that was lost is lost in it, also where no event came after.
func TestADigestDoesNotDependOnWhoMetTheEnd(t *testing.T) {
	s := newScene(t)
	s.see(mevent{kind: "prompt", turn: "t1"})
	s.see(mevent{kind: "stop", turn: "t1", flag: true})
	root := s.see(mevent{kind: "prompt", turn: "t2"}).Root
	if d := s.digest(root, 1); d.Outcome != runs.None {
		t.Errorf("while the last turn goes on: %s", d.Outcome)
	}
	s.clock.Add(25 * time.Hour)
	if err := runs.Tidy(t.Context(), s.db); err != nil {
		t.Fatal(err)
	}
	if d := s.digest(root, 1); d.Outcome != runs.Lost || d.Runs != 2 {
		t.Errorf("%+v, want a lost turn", d)
	}
	s.write(runs.Summarize)
	if n := s.number(`SELECT count(*) FROM history WHERE event = 'summarize'`); n != 1 {
		t.Errorf("summarized %d times", n)
	}
}

// TestTheFirstPromptAfterAnEndTellsWhatItFollows: and no other event does.
func TestTheFirstPromptAfterAnEndTellsWhatItFollows(t *testing.T) {
	s := newScene(t)
	var told []int64
	say := func(e mevent) {
		t.Helper()
		e.receivedAt = s.now()
		s.write(func(ctx context.Context, tx *store.Tx) error {
			_, err := runs.Observe(ctx, tx, e.observation("s", 7), func(_ context.Context, _ *store.Tx, res *runs.Result) (string, error) {
				told = append(told, res.Resumed)
				return "", nil
			})
			return err
		})
	}
	for _, e := range []mevent{
		{kind: "prompt", turn: "t1"},
		{kind: "prompt", turn: "t2"},
		{kind: "session_end"},
		{kind: "prompt", turn: "t3"},
		{kind: "prompt", turn: "t4"},
		{kind: "session_end"},
		{kind: "prompt", turn: "t5"},
	} {
		say(e)
	}
	if want := []int64{0, 0, 1, 0, 2}; !slices.Equal(told, want) {
		t.Errorf("%v, want %v", told, want)
	}
}
