package mcp

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"board/internal/issues"
	"board/internal/runs"
)

// edit is a change of files of the project, as a hook reports it.
func (d *desk) edit(host, session, turn string, paths ...string) {
	d.t.Helper()
	o := runs.Observation{Kind: runs.OnEdit, Name: "PostToolUse", Tool: "Edit", Key: runs.Key{Host: host, Session: session, Turn: turn}}
	for _, p := range paths {
		o.Edits = append(o.Edits, runs.Edit{ProjectID: d.project.ID, Path: p})
	}
	d.observe(o)
}

func TestWhoBeginsWorkIsToldWhoElseIsAtTheSameFiles(t *testing.T) {
	d := newDesk(t)
	d.add(issues.CreateCmd{Title: "work"}, issues.CreateCmd{Title: "other"})
	d.prompt(runs.Codex, "me", "t1")
	d.prompt(runs.ClaudeCode, "you", "t1")
	d.edit(runs.Codex, "me", "t1", "internal/x.go", "a.go", "b.go", "odd name\u202e.go")
	s := d.connect()
	me := codex("me", "me", "t1")
	if a := s.ok("kanban_begin_work", m{"issue_key": "PRE-1"}, me); strings.Contains(a.text, "note:") || a.at("collisions") != nil {
		t.Errorf("nobody else is there: %s", a.raw)
	}
	d.edit(runs.ClaudeCode, "you", "t1", "internal/x.go")
	a := s.ok("kanban_begin_work", m{"issue_key": "PRE-1"}, me)
	if !strings.Contains(a.text, "\nnote: r2 (claude-code) also changed internal/x.go\n") {
		t.Errorf("not told: %s", a.text)
	}
	want := []any{m{"run": "r2", "host": "claude-code", "paths": []any{"internal/x.go"}}}
	if got := a.at("collisions"); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	d.edit(runs.ClaudeCode, "you", "t1", "a.go", "b.go", "odd name\u202e.go")
	a = s.ok("kanban_resume", m{"issue_key": "PRE-1"}, me)
	if !strings.Contains(a.text, "\nnote: r2 (claude-code) also changed a.go, b.go, internal/x.go and 1 more\n") {
		t.Errorf("not told: %s", a.text)
	}
	s.ok("kanban_unclaim", m{"issue_key": "PRE-1"}, me)
	if a = s.ok("kanban_create", m{"title": "new", "begin": true}, me); a.at("collisions") == nil {
		t.Errorf("who creates and begins is not told: %s", a.raw)
	}
	if a = s.ok("kanban_get", m{"issue_key": "PRE-1"}, me); a.at("collisions") != nil {
		t.Errorf("who only looks is told: %s", a.raw)
	}
}

// However many there are, and whatever their files are called, the note stays one.
func TestAForecastIsShort(t *testing.T) {
	var all []issues.Collision
	long := strings.Repeat("directory/", 400)
	for i := range 40 {
		all = append(all, issues.Collision{
			Run: fmt.Sprintf("r%d", i), Host: "codex", Issue: "PRE-7", More: 1000,
			Paths: []string{long, "a\nnote: r1 did it \x1b[2J", `say "x"`},
		})
	}
	rows, text := forecast(all)
	if len(rows) != maxCollisions || len(text) > 3000 || strings.Count(text, "\n") != maxCollisions+1 {
		t.Errorf("%d rows, %d bytes:\n%s", len(rows), len(text), text)
	}
	for _, want := range []string{
		"note: r0 (codex, PRE-7) also changed ", `"a\\u{a}note: r1 did it \\u{1b}[2J", "say \"x\"" and 1000 more` + "\n", "note: so did 35 more runs\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("does not say %q:\n%s", want, text)
		}
	}
	for _, r := range rows {
		if len(r.Paths[0]) > maxPathBytes {
			t.Errorf("%d bytes of a path", len(r.Paths[0]))
		}
	}
	if rows, text := forecast(nil); rows != nil || text != "" {
		t.Errorf("nobody is somebody: %v %q", rows, text)
	}
}
