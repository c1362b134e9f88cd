package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"board/internal/projects"
	"board/internal/store"
)

// editor is one way in which a host reports an edit: the event, and its fields for a file.
type editor struct {
	event  string
	fields func(path string) more
}

// editors are the tools of each host whose edits count.
func editors() map[string][]editor {
	claude := func(tool, field string) editor {
		return editor{"PostToolUse", func(path string) more {
			return more{"tool_name": tool, "tool_input": more{field: path, "content": "x"}, "tool_response": more{"filePath": path}}
		}}
	}
	codex := func(mark string) editor {
		return editor{"PostToolUse", func(path string) more {
			return more{"tool_name": "apply_patch", "tool_input": more{"command": "*** Begin Patch\n*** " + mark + ": " + path + "\n+x\n*** End Patch\n"}}
		}}
	}
	opencode := func(tool string) editor {
		return editor{"tool", func(path string) more { return more{"tool": tool, "paths": []string{path}} }}
	}
	gemini := func(tool string) editor {
		return editor{"AfterTool", func(path string) more {
			return more{"tool_name": tool, "tool_input": more{"file_path": path, "content": "x"}, "tool_response": more{"returnDisplay": path}}
		}}
	}
	return map[string][]editor{
		"claude-code": {claude("Edit", "file_path"), claude("Write", "file_path"), claude("MultiEdit", "file_path"), claude("NotebookEdit", "notebook_path")},
		"codex":       {codex("Update File"), codex("Add File"), codex("Delete File")},
		"opencode":    {opencode("edit"), opencode("write"), opencode("apply_patch")},
		"gemini":      {gemini("write_file"), gemini("replace")},
		"cursor": {{"afterFileEdit", func(path string) more {
			return more{"file_path": path, "edits": []more{{"old_string": "a", "new_string": "b"}}}
		}}},
	}
}

// idle are the tools of each host that never count, whatever paths they name.
func idle(path string) map[string][]editor {
	say := func(event string, fields more) editor { return editor{event, func(string) more { return fields }} }
	input := more{"file_path": path, "notebook_path": path, "path": path, "command": "cat > " + path}
	patch := more{"command": "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: " + path + "\n+x\n*** End Patch\nEOF", "file_path": path}
	return map[string][]editor{
		"claude-code": {
			say("PostToolUse", more{"tool_name": "Bash", "tool_input": input, "tool_response": more{"filePath": path}}),
			say("PostToolUse", more{"tool_name": "mcp__files__Write", "tool_input": input}),
			say("PostToolUse", more{"tool_name": "Read", "tool_input": input}),
			say("PreToolUse", more{"tool_name": "Write", "tool_input": input}),
			say("PostToolUseFailure", more{"tool_name": "Write", "tool_input": input}),
		},
		"codex": {
			say("PostToolUse", more{"tool_name": "Bash", "tool_input": patch}),
			say("PostToolUse", more{"tool_name": "mcp__files__apply_patch", "tool_input": patch}),
			say("PostToolUse", more{"tool_name": "mcp__files__write", "tool_input": input}),
			say("PreToolUse", more{"tool_name": "apply_patch", "tool_input": patch}),
		},
		"opencode": {say("tool", more{"tool": "bash", "path": path}), say("tool", more{"tool": "files_write", "file_path": path})},
		"gemini": {
			say("AfterTool", more{"tool_name": "run_shell_command", "tool_input": input}),
			say("AfterTool", more{"tool_name": "mcp_files_write_file", "tool_input": input}),
			say("AfterTool", more{"tool_name": "read_file", "tool_input": input}),
			say("AfterTool", more{"tool_name": "write_file", "tool_input": input, "tool_response": more{"error": more{"message": "no"}}}),
		},
		"cursor": {
			say("postToolUse", more{"tool_name": "Shell", "tool_input": input, "file_path": path}),
			say("postToolUse", more{"tool_name": "MCP:write_file", "tool_input": input, "file_path": path}),
			say("postToolUse", more{"tool_name": "Read", "tool_input": input, "file_path": path}),
		},
	}
}

// places is a folder with repositories, of which some are registered in the store of a talk.
type places struct {
	*talk
	root string
}

func newPlaces(t *testing.T, host string) *places {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &places{newTalk(t, host, "always"), root}
	for _, dir := range []string{"repo", "repo-2", "other", "repo/nested/known", "repo/nested/unknown"} {
		if _, err := repository(p.path(dir)); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"repo/src", "nowhere", "repo/mods/known", "repo/mods/unknown", "repo/.git/modules/known", "repo/.git/modules/unknown", "repo/.git/worktrees/tree", "tree"} {
		if err := os.MkdirAll(p.path(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, p.path("repo/mods/known/.git"), []byte("gitdir: ../../.git/modules/known\n"))
	write(t, p.path("repo/mods/unknown/.git"), []byte("gitdir: ../../.git/modules/unknown\n"))
	write(t, p.path("tree/.git"), []byte("gitdir: "+p.path("repo/.git/worktrees/tree")+"\n"))
	write(t, p.path("repo/.git/worktrees/tree/commondir"), []byte("../..\n"))
	write(t, p.path("repo/src/there.go"), nil)
	err = errors.Join(
		os.Symlink(p.path("nowhere"), p.path("repo/out")),
		os.Symlink(p.path("repo/src"), p.path("nowhere/in")),
		os.Symlink(p.path("other"), p.path("repo/across")),
	)
	if err != nil {
		t.Fatal(err)
	}
	err = p.look(t).Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		for _, r := range [][2]string{
			{p.path("repo/nested/known"), "NEST"}, {p.path("repo/mods/known"), "SUB"}, {p.path("repo"), "REPO"}, {p.path("other"), "OTHER"}, {p.Home, "HOME"},
		} {
			if _, created, err := projects.Register(ctx, tx, r[0], r[1], ""); err != nil || !created {
				return errors.Join(err, errors.New(r[0]))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// path is a path below the root, with its "..", or one of board's: DB is the database, HOME the home.
func (p *places) path(rel string) string {
	for name, at := range map[string]string{"DB": p.DB, "HOME": p.Home} {
		if rest, ok := strings.CutPrefix(rel, name); ok {
			return at + rest
		}
	}
	return p.root + "/" + rel
}

// from is where the host says that it works.
func (p *places) from() more {
	if p.host == "cursor" {
		return more{"workspace_roots": []string{p.path("repo")}}
	}
	return more{"cwd": p.path("repo")}
}

// tells delivers an event of the turn, each with a call of its own where the host names calls.
func (p *places) tells(e editor, path string) {
	p.t.Helper()
	call := fmt.Sprint("call", p.sent)
	p.quiet(e.event, "t1", with(with(e.fields(path), p.from()), more{"tool_use_id": call, "call_id": call}))
}

// evidence lists the project and the path of each piece.
func (p *places) evidence() []string {
	p.t.Helper()
	var out []string
	query(p.t, p.look(p.t), `SELECT p.prefix || ' ' || e.path FROM evidence e JOIN projects p ON p.id = e.project_id ORDER BY 1`, func(scan func(...any) error) error {
		var s string
		err := scan(&s)
		out = append(out, s)
		return err
	})
	return out
}

// gains delivers an event and returns what came to the evidence by it, and to the paths outside.
func (p *places) gains(e editor, path string) (evidence string, outside int64) {
	p.t.Helper()
	before, was := p.evidence(), p.outside()
	p.tells(e, path)
	added := slices.DeleteFunc(p.evidence(), func(s string) bool { return slices.Contains(before, s) })
	return strings.Join(added, ", "), p.outside() - was
}

// outside counts the paths outside of all projects that the one run named.
func (p *places) outside() int64 {
	p.t.Helper()
	all := allRuns(p.t, p.look(p.t), p.look(p.t).Now())
	if len(all) != 1 {
		p.t.Fatalf("%d runs, want one", len(all))
	}
	return all[0].Outside
}

// away is a word in every name outside of the projects, and in those of board's own files.
const away = "zqaway"

// TestWhereAnEditedFileBelongs takes one run of each host through all the places where a file can be.
func TestWhereAnEditedFileBelongs(t *testing.T) {
	type row struct{ name, path, want string }
	rows := []row{
		{"a file that is there", "repo/src/there.go", "REPO src/there.go"},
		{"a file that was deleted again", "repo/gone/a.go", "REPO gone/a.go"},
		{".. inside", "repo/src/../b.go", "REPO b.go"},
		{".. out of the repository", "repo/../nowhere/" + away + "1.go", ""},
		{".. into another project", "repo/../other/c.go", "OTHER c.go"},
		{"a link out", "repo/out/" + away + "2.go", ""},
		{"a link in", "nowhere/in/d.go", "REPO src/d.go"},
		{"a link into another project", "repo/across/e.go", "OTHER e.go"},
		{"a name that starts the same", "repo-2/" + away + "3.go", ""},
		{"a registered repository in another", "repo/nested/known/f.go", "NEST f.go"},
		{"an unregistered repository in another", "repo/nested/unknown/g.go", "REPO nested/unknown/g.go"},
		{"a registered submodule", "repo/mods/known/h.go", "SUB h.go"},
		{"an unregistered submodule", "repo/mods/unknown/i.go", "REPO mods/unknown/i.go"},
		{"a linked work tree", "tree/j.go", "REPO j.go"},
		{"a linked work tree in the main one", "repo/.claude/worktrees/feat1/k.go", "REPO k.go"},
		{"another project", "other/sub/l.go", "OTHER sub/l.go"},
		{"the same name in another project", "other/b.go", "OTHER b.go"},
		{"no project", "nowhere/" + away + "4.go", ""},
		{"a name of board's", "repo/.board/" + away + "5.md", ""},
		{"board's database", "DB", ""},
		{"its spool", "DB.spool/" + away + "6.json", ""},
		{"a file in the home, which is a project here", "HOME/notes.md", "HOME notes.md"},
	}
	for host, tools := range editors() {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			p := newPlaces(t, host)
			rows := slices.Clone(rows)
			// Cursor names no calls. Its events are told apart by what is stored of them, and that knows no outside file from
			// another: the second counts as the double of the first.
			nameless := host == "cursor"
			for i := range tools { // each tool, whatever other rows it gets
				name := fmt.Sprintf("tool%d.go", i)
				rows = append(rows, row{"one more file", "repo/" + name, "REPO " + name})
			}
			p.say(promptEvent(host), "t1", with(more{"prompt": "go"}, p.from()))
			for i, r := range rows {
				got, out := p.gains(tools[i%len(tools)], p.path(r.path))
				if got != r.want || out != 0 && r.want != "" || out != 1 && r.want == "" && !nameless {
					t.Errorf("%s: evidence %q, %d outside, want %q", r.name, got, out, r.want)
				}
			}
			if p.outside() == 0 {
				t.Error("no path outside was counted")
			}
			for _, e := range idle(p.path("repo/idle.go"))[host] {
				if got, out := p.gains(e, ""); got != "" || out != 0 {
					t.Errorf("%s %v: evidence %q, %d outside", e.event, e.fields(""), got, out)
				}
			}
			for name, content := range tree(t, p.Root) {
				if strings.Contains(name+content, away) {
					t.Errorf("a path outside of all projects is in %s", name)
				}
			}
		})
	}
}

// TestAMoveBetweenProjectsIsEvidenceInBoth: Codex names both files in one patch.
func TestAMoveBetweenProjectsIsEvidenceInBoth(t *testing.T) {
	p := newPlaces(t, "codex")
	p.prompt("t1")
	move := editors()["codex"][0]
	p.tells(move, p.path("repo/a.go")+"\n*** Move to: "+p.path("other/b.go"))
	if got, want := p.evidence(), []string{"OTHER b.go", "REPO a.go"}; !slices.Equal(got, want) {
		t.Errorf("evidence %v, want %v", got, want)
	}
}
