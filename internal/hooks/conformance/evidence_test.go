package conformance

import (
	"slices"
	"testing"

	"board/internal/store"
)

// evidence lists what is on record of edited files: run (r1 the first that was registered) and path.
func evidence(t *testing.T, db *store.DB) []string {
	t.Helper()
	var out []string
	query(t, db, `SELECT 'r' || run_id || ' ' || path || ' ' || n FROM evidence ORDER BY run_id, path`, func(scan func(...any) error) error {
		var s string
		err := scan(&s)
		out = append(out, s)
		return err
	})
	return out
}

func TestEditsOfRecordedSessionsAreEvidence(t *testing.T) {
	for name, want := range map[string][]string{
		"tools": {"r1 a.txt 2"}, "mcp_project": nil, "subagent": nil,
	} {
		b := newBox(t, "claude-code", world.always)
		play(t, b, name)
		if got := evidence(t, b.look(t)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	for name, want := range map[string][]string{
		"PostToolUse.apply_patch":              {"r1 a.txt 1", "r1 sub/new.txt 1"},
		"PreToolUse.apply_patch":               nil, // not done yet
		"PreToolUse.apply_patch-through-shell": nil, // a shell never counts
	} {
		b := newBox(t, "codex", world.always)
		f := loadFixtures(t, "codex")[name]
		b.send(t, f.payload, f.env...)
		if got := evidence(t, b.look(t)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestWhatCountsAsAnEdit(t *testing.T) {
	k := newTalk(t, "claude-code", "always")
	k.prompt("t1")
	n := 0
	tool := func(event, name, field, path string, fields more) {
		n++
		k.quiet(event, "t1", with(fields, more{"tool_name": name, "tool_use_id": string(rune('a' + n)), "tool_input": more{field: path}}))
	}
	tool("PostToolUse", "Edit", "file_path", world.repo+"/edit", nil)
	tool("PostToolUse", "MultiEdit", "file_path", world.repo+"/sub/../multi", nil)
	tool("PostToolUse", "NotebookEdit", "notebook_path", world.repo+"/note.ipynb", nil)
	tool("PostToolUse", "Write", "file_path", "relative", nil)
	tool("PostToolUse", "Write", "file_path", world.repo+"/of-child", child("kid1", nil))
	tool("PostToolUse", "Write", "file_path", "/elsewhere/outside", nil)
	tool("PostToolUse", "Write", "file_path", world.repo+"/../outside", nil)
	tool("PostToolUse", "Write", "file_path", "relative", more{"cwd": nil})
	tool("PostToolUse", "Read", "file_path", world.repo+"/read", nil)
	tool("PostToolUse", "mcp__files__Write", "file_path", world.repo+"/by-mcp", nil)
	tool("PreToolUse", "Write", "file_path", world.repo+"/not-yet", nil)
	tool("PostToolUseFailure", "Write", "file_path", world.repo+"/failed", nil)
	want := []string{"r1 edit 1", "r1 multi 1", "r1 note.ipynb 1", "r1 relative 1", "r2 of-child 1"}
	if got := evidence(t, k.look(t)); !slices.Equal(got, want) {
		t.Errorf("evidence %v, want %v", got, want)
	}
	if r := k.run("t1"); r.Outside != 3 || r.Edits != 4 {
		t.Errorf("%d edits, %d paths outside, want 4 and 3", r.Edits, r.Outside)
	}
}

// TestAnEditOutsideOfAnyProjectsFolderRegistersWithoutAHome: the path speaks for a project where the folder does not.
func TestAnEditOutsideOfAnyProjectsFolderRegistersWithoutAHome(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.send(t, []byte(`{"cwd":"/",`+string(edit(k, world.repo+"/a.txt"))[len(`{"cwd":"`+world.repo+`",`):]))
		r := k.run("t1")
		if r.ID == 0 || r.ProjectID != 0 || r.Edits != 1 {
			t.Errorf("run %+v, want one without a home project", r)
		}
		if got := evidence(t, k.look(t)); !slices.Equal(got, []string{"r1 a.txt 1"}) {
			t.Errorf("evidence %v", got)
		}
	})
}
