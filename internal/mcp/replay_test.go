package mcp

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"board/internal/runs"
)

// What Claude Code 2.1.332 sent to a server in five sessions, as recorded; the names of its tools are made ours.
func TestClaudeCodeConversationsAsRecorded(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "recorded", "claude-code.*.jsonl"))
	if err != nil || len(files) != 5 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			recorded := strings.NewReplacer(
				`"kanban-move"`, `"kanban.list"`, `"kanban_fail"`, `"kanban_list"`, `"kanban_big"`, `"kanban_list"`, `"kanban_slow"`, `"kanban_list"`,
				`"column":`, `"label":`,
			).Replace(string(raw))
			all := talk(t, newDesk(t).options(), strings.Split(strings.TrimSpace(recorded), "\n")...)
			codes := map[string]int{}
			calls := 0
			for _, m := range all {
				if m.Error != nil {
					codes[string(m.ID)] = m.Error.Code
				} else if bytes.Contains(m.Result, []byte(`"content"`)) {
					calls++
					if a := toAnswer(t, m); a.isError {
						t.Errorf("call: %s", a.text)
					}
				}
			}
			if codes[`"server-discover-probe-1"`] != mcp.METHOD_NOT_FOUND {
				t.Errorf("server/discover: %d", codes[`"server-discover-probe-1"`])
			}
			delete(codes, `"server-discover-probe-1"`)
			if len(codes) != 2 { // prompts/list and resources/list, which we do not offer
				t.Errorf("errors: %v", codes)
			}
			if want := strings.Count(recorded, `"tools/call"`); calls != want || want == 0 {
				t.Errorf("%d of %d calls answered", calls, want)
			}
		})
	}
}

func recorded(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "recorded", name))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for l := range strings.Lines(string(raw)) {
		b.WriteString(strings.TrimSpace(l))
	}
	return b.String()
}

// What Codex 0.171 sent: the handshake, a call of the root and one of a subagent of the same session.
func TestCodexCallsAsRecorded(t *testing.T) {
	d := newDesk(t)
	const session, turn = "01a22fbe-2c11-7a80-9ba8-6e1de88a6997", "01a22fbe-2c37-7fc0-8129-f6d760c810e0"
	root := d.prompt(runs.Codex, session, turn)
	child := d.observe(runs.Observation{
		Kind: runs.OnSubagentStart, Name: "SubagentStart", Key: runs.Key{Host: runs.Codex, Session: session, Agent: "01a22fbe-2f10-7332-a2cb-723e288736a8"},
	})
	ours := strings.NewReplacer(`"kanban_err"`, `"kanban_list"`, `"q"`, `"text"`)
	all := talk(t, d.options(), recorded(t, "codex.initialize.json"), `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		ours.Replace(recorded(t, "codex.tools-call.root.json")), ours.Replace(recorded(t, "codex.tools-call.subagent.json")))
	if len(all) != 3 || !bytes.Contains(all[0].Result, []byte(`"2025-06-18"`)) {
		t.Fatalf("%d answers: %+v", len(all), all)
	}
	for i, handle := range []string{root, child} {
		if a := toAnswer(t, all[i+1]); a.at("caller", "run_id") != handle {
			t.Errorf("call %d: the caller is %v, want %s: %s", i, a.at("caller"), handle, a.text)
		}
	}
}

func TestProofOf(t *testing.T) {
	long := strings.Repeat("x", 300)
	key := func(k runs.Key) *runs.Proof { return &runs.Proof{Host: runs.Codex, Key: k} }
	turn := func(session, thread, turn any) map[string]any {
		return map[string]any{metaCodex: map[string]any{"session_id": session, "thread_id": thread, "turn_id": turn}}
	}
	for _, tc := range []struct {
		name string
		meta map[string]any
		want *runs.Proof
	}{
		{"nothing", nil, nil},
		{"a progress token", map[string]any{"progressToken": 4}, nil},
		{"Codex root", turn("s", "s", "t"), key(runs.Key{Host: runs.Codex, Session: "s", Turn: "t"})},
		{"Codex subagent", turn("s", "a", "t"), key(runs.Key{Host: runs.Codex, Session: "s", Agent: "a"})},
		{"Codex subagent without a turn", turn("s", "a", ""), key(runs.Key{Host: runs.Codex, Session: "s", Agent: "a"})},
		{"Codex root without a turn", turn("s", "s", ""), nil},
		{"Codex without a session", turn("", "s", "t"), nil},
		{"Codex without a thread", turn("s", "", "t"), nil},
		{"Codex with numbers", turn(1, 1, 1), nil},
		{"Codex with text", map[string]any{metaCodex: "s"}, nil},
		{"keys are not trimmed", turn(" s ", " s ", " t"), key(runs.Key{Host: runs.Codex, Session: " s ", Turn: " t"})},
		{"long keys", turn(long, long, "t"), key(runs.Key{Host: runs.Codex, Session: runs.FitKey(long), Turn: "t"})},
		{"Claude Code", map[string]any{metaClaude: "toolu_1", "progressToken": 4}, &runs.Proof{Host: runs.ClaudeCode, CallID: "toolu_1"}},
		{"Claude Code without an id", map[string]any{metaClaude: ""}, nil},
		{"Claude Code with a number", map[string]any{metaClaude: 7}, nil},
		{"opencode", map[string]any{"sessionID": "ses_1"}, nil},
	} {
		var meta *mcp.Meta
		if tc.meta != nil {
			meta = mcp.NewMetaFromMap(tc.meta)
		}
		got := proofOf(meta)
		if (got == nil) != (tc.want == nil) || got != nil && *got != *tc.want {
			t.Errorf("%s: got %+v, want %+v", tc.name, got, tc.want)
		}
	}
}
