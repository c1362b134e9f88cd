package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"board/internal/projects"
	"board/internal/runs"
	"board/internal/store"
)

// TestCursorPayloadsInEveryDress: byte order marks, fields that others recorded and a double change nothing.
func TestCursorPayloadsInEveryDress(t *testing.T) {
	var index map[string]struct {
		Extra []string `json:"seen_in_recordings_but_not_documented"`
	}
	data, err := os.ReadFile(filepath.Join("..", "testdata", "cursor", "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &index); err != nil {
		t.Fatal(err)
	}
	recorded := map[string]any{
		"session_id": "5d1f0c52-7a0e-4b6b-9c11-0e2a4b7c1a01", "composer_mode": "agent", "input_tokens": 10.5, "output_tokens": 3,
		"cache_read_tokens": 0, "cache_write_tokens": nil, "subagent_id": "x", "parent_conversation_id": "5d1f0c52-7a0e-4b6b-9c11-0e2a4b7c1a01",
	}
	dresses := map[string]func([]byte, more) []byte{
		"plain":                func(p []byte, _ more) []byte { return p },
		"one byte order mark":  func(p []byte, _ more) []byte { return append([]byte("\xef\xbb\xbf"), p...) },
		"two byte order marks": func(p []byte, _ more) []byte { return append([]byte("\xef\xbb\xbf\xef\xbb\xbf"), p...) },
		"recorded fields": func(p []byte, extra more) []byte {
			var m map[string]any
			if err := json.Unmarshal(p, &m); err != nil {
				t.Fatal(err)
			}
			maps.Copy(m, extra)
			out, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			return out
		},
	}
	fixtures, n := loadFixtures(t, "cursor"), 0
	for _, row := range parseFixtures(t, cursorFixtures) {
		f := fixtures[row.name]
		extra := more{}
		for _, name := range index[row.name+".json"].Extra {
			if _, ok := recorded[name]; !ok {
				t.Errorf("%s: no value for the recorded field %s", row.name, name)
			}
			extra[name] = recorded[name]
		}
		for dress, wear := range dresses {
			n++
			b := newBox(t, "cursor", world.always)
			payload := wear(bytes.Clone(f.payload), extra)
			for range 2 { // doubled
				if out := b.send(t, payload, f.env...); out != "{}\n" {
					t.Errorf("%s, %s: prints %q", row.name, dress, out)
				}
			}
			if err := checkAlone(t, b, row); err != nil {
				t.Errorf("%s, %s: %v", row.name, dress, err)
			}
		}
	}
	if n != 48 {
		t.Errorf("%d payloads in all, want 12 in 4 dresses", n)
	}
}

func TestWhatIsNotLocalIsNotAsked(t *testing.T) {
	for name, start := range map[string]more{
		"no start":     nil,
		"a background": {"is_background_agent": true},
		"says nothing": {},
		"says a word":  {"is_background_agent": "false"},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTalk(t, "cursor", "always")
			if start != nil {
				k.quiet("sessionStart", "", start)
			}
			k.prompt("g1")
			k.quiet("afterFileEdit", "g1", more{"file_path": world.repo + "/a.go"})
			k.quiet("stop", "g1", more{"status": "completed", "loop_count": 0})
			k.want("g1", runs.Ended, runs.Completed)
		})
	}
}

// TestAWorkspaceOfSeveralFolders: a run is at home in the project that all registered folders belong to; with two there
// is no home, and the files say what was worked on.
func TestAWorkspaceOfSeveralFolders(t *testing.T) {
	k := newTalk(t, "cursor", "defaults")
	other, err := repository(filepath.Join(t.TempDir(), "other"))
	if err != nil {
		t.Fatal(err)
	}
	var id int64
	err = k.look(t).Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		p, _, err := projects.Register(ctx, tx, other, "OTH", "other")
		id = p.ID
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	home := func(gen string, roots ...string) int64 {
		k.quiet("beforeSubmitPrompt", gen, more{"prompt": "go", "workspace_roots": roots})
		return k.run(gen).ProjectID
	}
	if got := home("g1", world.repo, t.TempDir()); got != 1 {
		t.Errorf("beside a folder of nobody: project %d, want 1", got)
	}
	if got := home("g2", world.repo+"/sub", world.repo); got != 1 {
		t.Errorf("twice in one project: project %d, want 1", got)
	}
	if got := home("g3", world.repo, other); got != 0 {
		t.Errorf("in two projects: project %d, want none", got)
	}
	k.quiet("afterFileEdit", "g3", more{"file_path": other + "/x.go", "workspace_roots": []string{world.repo, other}})
	if r := k.run("g3"); r.ID == 0 || r.Edits != 1 {
		t.Errorf("the run is %+v", r)
	}
	if n := number(t, k.look(t), `SELECT count(*) FROM evidence WHERE project_id = ?`, id); n != 1 {
		t.Errorf("%d pieces of evidence of the other project", n)
	}
	k.session = "elsewhere"
	home("g4", t.TempDir())
	home("g5")
	if slices.ContainsFunc(allRuns(t, k.look(t), k.look(t).Now()), func(r runs.Run) bool { return r.Session == "elsewhere" }) {
		t.Error("a workspace without a registered folder made a run")
	}
}

// TestPrintModeIsOneRunPerConversation: it names no turns and sends no prompts; a second process goes on with the run.
func TestPrintModeIsOneRunPerConversation(t *testing.T) {
	k := newTalk(t, "cursor", "always")
	k.quiet("afterFileEdit", k.session, more{"file_path": world.repo + "/a.go"}) // a subagent, for all one knows
	k.wantRuns(0)
	k.quiet("sessionStart", k.session, more{"is_background_agent": false})
	k.wantRuns(1)
	if r := k.run(""); r.Edits != 1 || r.State != runs.Running || r.LateStart {
		t.Errorf("the run of the work that came first is %+v", r)
	}
	for range 2 {
		k.quiet("afterFileEdit", k.session, more{"file_path": world.repo + "/b.go"})
		k.quiet("postToolUse", k.session, more{"tool_name": "MCP:kanban_list", "tool_use_id": k.sent})
		k.quiet("sessionEnd", k.session, more{"reason": "completed"})
		k.quiet("postToolUse", k.session, more{"tool_name": "MCP:kanban_list", "tool_use_id": "u" + string(rune('0'+k.sent))})
	}
	k.wantRuns(1)
	if r := k.run(""); r.Edits != 2 {
		t.Errorf("%d edits, want both files", r.Edits)
	}
}
