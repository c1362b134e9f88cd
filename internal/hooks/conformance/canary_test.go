package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"board/internal/lab"
)

// canary is what every replaced text contains, so that even a cut one is found.
const canary = "zqcanary"

// allowed are the fields whose value board may keep (SPEC §8). Everything else of a payload must leave no trace.
func allowed(host, event, tool, path string) bool {
	switch host {
	case "opencode":
		return slices.Contains([]string{
			"host", "plugin", "version", "pid", "event", "id", "session", "turn", "agent", "agent_type", "cwd", "tool", "call_id", "paths",
			"notice", "reason",
		}, path)
	case "cursor":
		return path == "file_path" && event == "afterFileEdit" || slices.Contains([]string{
			"conversation_id", "generation_id", "hook_event_name", "cursor_version", "workspace_roots", "tool_name", "tool_use_id", "status", "reason",
		}, path)
	case "gemini":
		if path == "tool_input.file_path" {
			return tool == "write_file" || tool == "replace"
		}
		if path == "timestamp" {
			return true
		}
	}
	switch path {
	case "hook_event_name", "session_id", "prompt_id", "turn_id", "agent_id", "agent_type", "tool_use_id", "cwd",
		"permission_mode", "tool_name", "notification_type", "source", "reason":
		return true
	case "background_tasks.id", "background_tasks.type", "background_tasks.status":
		return true
	case "error": // a class of failure at StopFailure; a text elsewhere
		return event == "StopFailure"
	case "tool_input.file_path", "tool_input.notebook_path":
		return slices.Contains([]string{"Edit", "Write", "MultiEdit", "NotebookEdit"}, tool)
	}
	return false
}

// caged replaces every text of a payload that is not allowed, and adds fields that no host sends.
type caged struct {
	host string
	n    atomic.Int64 // used by parallel subtests
}

func (c *caged) next() string {
	return fmt.Sprintf("%s%04d and \"quotes\" /%s/path", canary, c.n.Add(1), canary)
}

func (c *caged) payload(t *testing.T, payload []byte) []byte {
	t.Helper()
	var p map[string]any
	d := json.NewDecoder(bytes.NewReader(payload))
	d.UseNumber()
	if err := d.Decode(&p); err != nil {
		t.Fatal(err)
	}
	event, _ := p["hook_event_name"].(string)
	tool, _ := p["tool_name"].(string)
	prompt, _ := p["prompt"].(string)
	p = c.value(event, tool, "", p).(map[string]any)
	if strings.HasPrefix(prompt, "<task-notification>") { // what it is stays, what it says does not
		p["prompt"] = "<task-notification>" + c.next()
	}
	p[canary+"key"], p["user"] = c.next(), map[string]any{"email": c.next(), "name": []any{c.next()}}
	out, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (c *caged) value(event, tool, path string, v any) any {
	switch v := v.(type) {
	case string:
		switch {
		case allowed(c.host, event, tool, path):
			return v
		case tool == "apply_patch" && path == "tool_input.command":
			return c.patch(v)
		}
		return c.next()
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = c.value(event, tool, path, x)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			out[k] = c.value(event, tool, strings.TrimPrefix(path+"."+k, "."), x)
		}
		return out
	}
	return v
}

// patch replaces the changed lines of a patch and leaves the names of files.
func (c *caged) patch(patch string) string {
	var out []string
	for line := range strings.Lines(patch) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "*** ") && line != "@@" {
			line = line[:1] + c.next()
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n") + "\n"
}

// env is a recorded environment in which everything that board has no use for is a secret.
func (c *caged) env(env []string) []string {
	out := []string{"ANTHROPIC_API_KEY=" + c.next(), "EDITOR=" + c.next(), "CLAUDE_CODE_MESSAGING_TOKEN=" + c.next()}
	for _, kv := range env {
		k, _, _ := strings.Cut(kv, "=")
		if k != "CLAUDE_PID" && k != "CLAUDE_CODE_SESSION_ATTENDED" && k != "AI_AGENT" {
			kv = k + "=" + c.next()
		}
		out = append(out, kv)
	}
	return out
}

// escaped lists the sinks in which a canary is found: what was printed, and every file of the home.
func escaped(t *testing.T, b *box, out lab.Output) []string {
	t.Helper()
	sinks := tree(t, b.Root)
	sinks["stdout"], sinks["stderr"] = out.Stdout, out.Stderr
	var found []string
	for _, name := range slices.Sorted(maps.Keys(sinks)) {
		for _, cut := range []string{canary[:6], strings.ToUpper(canary[:6])} {
			if i := strings.Index(sinks[name], cut); i >= 0 || strings.Contains(name, cut) {
				found = append(found, fmt.Sprintf("%s: %.80q", name, sinks[name][max(i, 0):]))
			}
		}
	}
	return found
}

func TestNothingOffTheAllowListIsKeptOfAnyPayload(t *testing.T) {
	for _, host := range allHosts() {
		t.Run(host, func(t *testing.T) {
			fixtures := loadFixtures(t, host)
			names := slices.Sorted(maps.Keys(fixtures))
			boxes, outs := make([]*box, len(names)), make([]lab.Output, len(names))
			payloads, envs := make([][]byte, len(names)), make([][]string, len(names))
			c := &caged{host: host}
			for i, name := range names {
				boxes[i] = newBox(t, host, world.always)
				payloads[i], envs[i] = c.payload(t, fixtures[name].payload), c.env(fixtures[name].env)
			}
			inParallel(len(names), func(i int) { outs[i] = boxes[i].Hook(t.Context(), host, envs[i], payloads[i]) })
			for i, name := range names {
				if outs[i].Code != 0 {
					t.Errorf("%s: exit %d", name, outs[i].Code)
				}
				for _, sink := range escaped(t, boxes[i], outs[i]) {
					t.Errorf("%s escapes to %s", name, sink)
				}
			}
			if c.n.Load() < int64(3*len(names)) {
				t.Errorf("only %d canaries in %d payloads", c.n.Load(), len(names))
			}
			t.Logf("%d canaries in %d payloads", c.n.Load(), len(names))
		})
	}
}

// TestTheCageIsSearched is the control: a canary in an allowed field is found.
func TestTheCageIsSearched(t *testing.T) {
	k := newTalk(t, "claude-code", "always")
	k.session = canary
	if len(escaped(t, k.box, k.Hook(t.Context(), k.host, nil, good(k, "t1", "go")))) == 0 {
		t.Error("a canary that was stored is not found")
	}
}

func TestNothingOffTheAllowListIsKeptOfAnySession(t *testing.T) {
	for _, s := range sequences() {
		if !ofEveryKind(s) {
			continue
		}
		t.Run(s.host+"/"+s.name, func(t *testing.T) {
			t.Parallel()
			b, c := newBox(t, s.host, world.always), &caged{host: s.host}
			for i, e := range recording(t, s.host, s.name) {
				out := b.Hook(t.Context(), s.host, c.env(hostEnv(e.Env)), c.payload(t, e.Payload))
				if _, err := printed(s.host, e.Event, out.Stdout); err != nil || out.Code != 0 {
					t.Errorf("%d %s: exit %d, %v", i+1, e.Event, out.Code, err)
				}
				for _, sink := range escaped(t, b, out) {
					t.Errorf("%d %s escapes to %s", i+1, e.Event, sink)
				}
			}
		})
	}
}

// TestNothingOffTheAllowListIsSpooled sends every payload while the store is locked: what waits for it is normalised,
// and so is what the next writer stores of it.
func TestNothingOffTheAllowListIsSpooled(t *testing.T) {
	for _, host := range allHosts() {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			k, c := newTalk(t, host, "always"), &caged{host: host}
			k.prompt("t1")
			release := lock(t, k.box)
			fixtures := loadFixtures(t, host)
			names := slices.Sorted(maps.Keys(fixtures))
			payloads, envs := make([][]byte, len(names)), make([][]string, len(names))
			for i, name := range names {
				payloads[i], envs[i] = c.payload(t, fixtures[name].payload), c.env(fixtures[name].env)
			}
			outs := make([]lab.Output, len(names))
			inParallel(len(names), func(i int) { outs[i] = k.Hook(t.Context(), host, envs[i], payloads[i]) })
			waiting := 0
			for path := range tree(t, k.Root) {
				if strings.HasSuffix(path, ".json") {
					waiting++
				}
			}
			if waiting < len(names)/2 {
				t.Errorf("%d events of %d payloads wait", waiting, len(names))
			}
			for i := range names {
				for _, sink := range escaped(t, k.box, outs[i]) {
					t.Fatalf("locked, escapes to %s", sink)
				}
			}
			release()
			k.prompt("t2")
			for _, sink := range escaped(t, k.box, lab.Output{}) {
				t.Errorf("drained, escapes to %s", sink)
			}
			if n := number(t, k.look(t), `SELECT count(*) FROM events`); n < int64(waiting) {
				t.Errorf("%d events stored of %d that waited", n, waiting)
			}
		})
	}
}
