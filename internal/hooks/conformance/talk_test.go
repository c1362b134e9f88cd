package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"
	"time"

	"board/internal/runs"
	"board/internal/store"
)

// more is the further fields of a payload. A field that is nil is left out.
type more map[string]any

// talk is a conversation with the real hook program, made of payloads in the host's own shape.
type talk struct {
	*box
	t       *testing.T
	session string
	env     []string
	sent    int64 // payloads made so far
}

func newTalk(t *testing.T, host, policy string) *talk {
	t.Helper()
	return &talk{box: newBox(t, host, templateOf(policy)), t: t, session: "11111111-2222-4333-8444-555555555555"}
}

// payload builds a payload: turn "" leaves the turn id out.
func (k *talk) payload(event, turn string, fields more) []byte {
	k.t.Helper()
	p := map[string]any{"session_id": k.session, "hook_event_name": event, "cwd": world.repo, "transcript_path": "/home/dev/t.jsonl"}
	id := "prompt_id"
	k.sent++
	switch k.host {
	case "codex":
		id, p["model"] = "turn_id", "fake-model"
	case "gemini": // turn is ignored: there are none
		id, p["timestamp"] = "", time.UnixMilli(1_800_000_000_000+k.sent).UTC().Format("2006-01-02T15:04:05.000Z")
	case "cursor":
		id = "generation_id"
		p = map[string]any{"conversation_id": k.session, "hook_event_name": event, "cursor_version": "3.90.1", "workspace_roots": []string{world.repo}}
	case "opencode":
		id = "turn"
		p = map[string]any{
			"host": "opencode", "plugin": "1", "event": event, "id": fmt.Sprint("id-", k.sent), "session": k.session, "cwd": world.repo,
		}
	}
	if turn != "" && id != "" {
		p[id] = turn
	}
	maps.Copy(p, fields)
	maps.DeleteFunc(p, func(_ string, v any) bool { return v == nil })
	data, err := json.Marshal(p)
	if err != nil {
		k.t.Fatal(err)
	}
	return data
}

// raw delivers an event and returns the answer.
func (k *talk) raw(event, turn string, fields more) string {
	k.t.Helper()
	return k.send(k.t, k.payload(event, turn, fields), k.env...)
}

// say delivers an event and returns what was printed, in the words of the tables.
func (k *talk) say(event, turn string, fields more) string {
	k.t.Helper()
	out := k.raw(event, turn, fields)
	what, err := printed(k.host, event, out)
	if err != nil {
		k.t.Errorf("%s: %v\n%s", event, err, out)
	}
	return what
}

// quiet delivers an event and wants no output.
func (k *talk) quiet(event, turn string, fields more) {
	k.t.Helper()
	if got := k.say(event, turn, fields); got != "-" {
		k.t.Errorf("%s prints a %s, want nothing", event, got)
	}
}

func (k *talk) prompt(turn string) {
	k.t.Helper()
	if got := k.say(promptEvent(k.host), turn, more{"prompt": "go"}); got != promptPrints(k.host) {
		k.t.Errorf("the prompt prints %s, want %s", got, promptPrints(k.host))
	}
}

// promptEvent is what a host calls a prompt.
func promptEvent(host string) string {
	return map[string]string{
		"claude-code": "UserPromptSubmit", "codex": "UserPromptSubmit", "gemini": "BeforeAgent", "opencode": "prompt", "cursor": "beforeSubmitPrompt",
	}[host]
}

// promptPrints is what a new prompt is answered: Cursor takes no context there.
func promptPrints(host string) string {
	if host == "cursor" {
		return "-"
	}
	return "context"
}

func (k *talk) tool(turn, call string) {
	k.t.Helper()
	k.quiet("PostToolUse", turn, more{"tool_name": "Bash", "tool_use_id": call, "tool_input": more{"command": "ls"}, "tool_response": more{"stdout": "a"}})
}

// stop delivers a Stop and returns what was printed.
func (k *talk) stop(turn string, continuation bool) string {
	k.t.Helper()
	return k.say("Stop", turn, more{"stop_hook_active": continuation})
}

// child fields of an event.
func child(agent string, fields more) more {
	out := more{"agent_id": agent, "agent_type": "general-purpose"}
	maps.Copy(out, fields)
	return out
}

// run returns the run of a turn, or of a subagent ("agent:ID"), as it is now.
func (k *talk) run(key string) runs.Run {
	k.t.Helper()
	return k.runAt(key, k.look(k.t).Now())
}

func (k *talk) runAt(key string, now int64) runs.Run {
	k.t.Helper()
	for _, r := range allRuns(k.t, k.look(k.t), now) {
		if r.Session == k.session && (r.Agent == "" && r.Turn == key || r.Agent != "" && "agent:"+r.Agent == key) {
			return r
		}
	}
	return runs.Run{}
}

// want checks state and outcome of a run.
func (k *talk) want(key string, state runs.State, outcome runs.Outcome) {
	k.t.Helper()
	if r := k.run(key); r.State != state || r.Outcome != outcome {
		k.t.Errorf("run %s is %s %s, want %s %s", key, r.State, r.Outcome, state, outcome)
	}
}

// stretches returns number and state of the session's stretches, such as "1 ended, 2 active".
func (k *talk) stretches() string {
	k.t.Helper()
	return wordsOf(k.t, k.look(k.t), k.session)
}

func wordsOf(t *testing.T, db *store.DB, session string) string {
	t.Helper()
	out := ""
	for _, s := range stretches(t, db) {
		if s.Session != session {
			continue
		}
		if out != "" {
			out += ", "
		}
		out += string(rune('0'+s.N)) + " " + s.State
	}
	return out
}

// events returns the stored rows of one kind.
func (k *talk) events(kind string) []row {
	k.t.Helper()
	var out []row
	for _, r := range stored(k.t, k.look(k.t)) {
		if r.Kind == kind {
			out = append(out, r)
		}
	}
	return out
}
