// Package gosdk drives the built programs with the official Go SDK's client, which board itself does not use.
package gosdk

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// world is an empty home with a repository in it, and the built programs.
type world struct {
	t           *testing.T
	board, hook string
	repo        string
	env         []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{
		t: t, board: filepath.Join(dir, "bin", "board"), hook: filepath.Join(dir, "bin", "board-hook"), repo: filepath.Join(dir, "repo"),
		// Nothing of the environment of this test: an agent may run it, and people have boards of their own.
		env: []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH"), "BOARD_DB=" + filepath.Join(dir, "home", "board.db"), "LANG=C.UTF-8"},
	}
	for _, d := range []string{w.repo, filepath.Join(dir, "home")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-o", filepath.Dir(w.board)+string(filepath.Separator), "./cmd/board", "./cmd/board-hook")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	w.run("", "git", "init", "-q", ".")
	return w
}

// run runs a program in the repository and returns its standard output.
func (w *world) run(stdin, program string, args ...string) string {
	w.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = w.repo, w.env, strings.NewReader(stdin)
	var out, talk bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &talk
	if err := cmd.Run(); err != nil {
		w.t.Fatalf("%s %v: %v\n%s%s", filepath.Base(program), args, err, out.String(), talk.String())
	}
	return out.String()
}

// prompt feeds a prompt of Codex through the hook and returns the run_id that the agent is told.
func (w *world) prompt(session, turn string) string {
	w.t.Helper()
	payload, err := json.Marshal(map[string]any{
		"session_id": session, "turn_id": turn, "cwd": w.repo, "hook_event_name": "UserPromptSubmit",
		"model": "m", "permission_mode": "default", "prompt": "go",
	})
	if err != nil {
		w.t.Fatal(err)
	}
	out := w.run(string(payload), w.hook, "--host", "codex", "--protocol", "1")
	var answer struct {
		HookSpecificOutput struct{ AdditionalContext string }
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		w.t.Fatalf("%v: %s", err, out)
	}
	first, _, _ := strings.Cut(answer.HookSpecificOutput.AdditionalContext, "\n")
	m := regexp.MustCompile(`^board: run (run_[0-9a-f]{32}) revision 1 issue none$`).FindStringSubmatch(first)
	if m == nil {
		w.t.Fatalf("context %q", answer.HookSpecificOutput.AdditionalContext)
	}
	return m[1]
}

// client is the SDK's client, connected to `board mcp`.
type client struct {
	t *testing.T
	*mcp.ClientSession
	run      string
	revision float64
	meta     mcp.Meta
}

func (w *world) connect(ctx context.Context) *client {
	w.t.Helper()
	cmd := exec.Command(w.board, "mcp")
	cmd.Dir, cmd.Env, cmd.Stderr = w.repo, w.env, os.Stderr
	c := mcp.NewClient(&mcp.Implementation{Name: "gosdk-test", Version: "1"}, nil)
	s, err := c.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return &client{t: w.t, ClientSession: s}
}

type result struct {
	text string
	data map[string]any
}

func (r result) issue(field string) any {
	i, _ := r.data["issue"].(map[string]any)
	return i[field]
}

// call calls a tool and expects an answer, or with a code that refusal.
func (c *client) call(ctx context.Context, code, tool string, args map[string]any) result {
	c.t.Helper()
	if args == nil {
		args = map[string]any{}
	}
	if c.meta == nil {
		args["run_id"] = c.run
		if tool != "kanban_list" && tool != "kanban_get" {
			args["run_revision"] = c.revision
		}
	}
	r, err := c.CallTool(ctx, &mcp.CallToolParams{Meta: c.meta, Name: tool, Arguments: args})
	if err != nil {
		c.t.Fatalf("%s: %v", tool, err)
	}
	if len(r.Content) != 1 {
		c.t.Fatalf("%s: %d contents", tool, len(r.Content))
	}
	text := r.Content[0].(*mcp.TextContent).Text
	data, _ := r.StructuredContent.(map[string]any)
	if r.IsError != (code != "") || code != "" && !strings.Contains(text, code+": ") {
		c.t.Fatalf("%s %v: want %q, got %s", tool, args, code, text)
	}
	if caller, ok := data["caller"].(map[string]any); ok {
		c.revision, _ = caller["run_revision"].(float64)
		if caller["run_id"] != c.run {
			c.t.Errorf("%s: the caller is %v", tool, caller)
		}
	} else if code == "" {
		c.t.Errorf("%s: no caller in %v", tool, data)
	}
	return result{text, data}
}

// The whole life of an Issue: once by a caller that the host proves, once by one that says its run_id.
func TestTheWholeLifeOfAnIssue(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	w := newWorld(t)
	w.run("", w.board, "init", "--no-input", "--prefix", "PRE")
	for n, proven := range []bool{true, false} {
		t.Run(map[bool]string{true: "proven", false: "declared"}[proven], func(t *testing.T) {
			w.t = t
			key := fmt.Sprintf("PRE-%d", n+1)
			w.run("", w.board, "add", "Sort the list", "-c", "it sorts", "-c", "a test shows it")
			session := fmt.Sprintf("session-%d", n)
			run := w.prompt(session, "turn-1")
			c := w.connect(ctx)
			c.t, c.run, c.revision = t, run, 1
			if proven {
				c.meta = mcp.Meta{"x-codex-turn-metadata": map[string]any{"session_id": session, "thread_id": session, "turn_id": "turn-1"}}
			}
			if r := c.call(ctx, "", "kanban_list", map[string]any{"ready": true}); !strings.Contains(r.text, key+" todo p2 ready") {
				t.Errorf("list: %s", r.text)
			}
			c.call(ctx, "", "kanban_get", map[string]any{"issue_key": key})
			r := c.call(ctx, "", "kanban_begin_work", map[string]any{"issue_key": key})
			if r.issue("state") != "in_progress" || !strings.Contains(r.text, "issue "+key) || !strings.Contains(r.text, "| a test shows it") {
				t.Errorf("begin_work: %s", r.text)
			}
			again := c.call(ctx, "", "kanban_begin_work", map[string]any{"issue_key": key})
			if again.issue("revision") != r.issue("revision") || again.data["repeat"] != true {
				t.Errorf("begin_work again: %s", again.text)
			}
			r = c.call(ctx, "", "kanban_update", map[string]any{"issue_key": key, "issue_revision": r.issue("revision"), "labels": []string{"sorting"}})
			c.call(ctx, "issue_stale", "kanban_update", map[string]any{"issue_key": key, "issue_revision": 1, "title": "Sort nothing"})
			c.call(ctx, "", "kanban_note", map[string]any{"issue_key": key, "text": "quicksort it is"})
			c.call(ctx, "", "kanban_note", map[string]any{"text": fmt.Sprintf("lists are long here %d", n)})
			if r = c.call(ctx, "", "kanban_pause", map[string]any{"issue_key": key, "reason": "question", "text": "Stable or not?"}); r.issue("state") != "paused" {
				t.Errorf("pause: %s", r.text)
			}
			r = c.call(ctx, "", "kanban_resume", map[string]any{"issue_key": key})
			if r.issue("state") != "in_progress" {
				t.Errorf("resume: %s", r.text)
			}
			c.call(ctx, "criteria_unjudged", "kanban_request_closure", map[string]any{"issue_key": key, "issue_revision": r.issue("revision"), "summary": "sorted"})
			verdicts := []any{
				map[string]any{"n": 1, "verdict": "met", "how": "read it"},
				map[string]any{"n": 2, "verdict": "unmet", "how": "there is none"},
			}
			closure := map[string]any{"issue_key": key, "issue_revision": r.issue("revision"), "summary": "sorted", "verdicts": verdicts}
			c.call(ctx, "criteria_unmet", "kanban_request_closure", closure)
			verdicts[1] = map[string]any{"n": 2, "verdict": "met", "how": "go test"}
			if r = c.call(ctx, "", "kanban_request_closure", closure); r.issue("state") != "in_review" {
				t.Errorf("request_closure: %s", r.text)
			}
			if err := c.Close(); err != nil {
				t.Errorf("the server did not end well: %v", err)
			}
			w.run("", w.board, "approve", key)
			if out := w.run("", w.board, "show", key, "--json"); !strings.Contains(out, `"done"`) {
				t.Errorf("after approve: %s", out)
			}
		})
	}
}

// The schemas are read by the SDK's own validator, and must refuse what the server refuses.
func TestTheSchemasAreStrict(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	w := newWorld(t)
	c := w.connect(ctx) // no board init: listing needs no board
	defer func() { _ = c.Close() }()
	if err := c.Ping(ctx, nil); err != nil {
		t.Error(err)
	}
	n := 0
	for tool, err := range c.Tools(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		raw, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var schema jsonschema.Schema
		if err := json.Unmarshal(raw, &schema); err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		resolved, err := schema.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
		if err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		full := map[string]any{}
		for name, p := range schema.Properties {
			full[name] = example(p)
		}
		if err := resolved.Validate(full); err != nil {
			t.Errorf("%s refuses its own arguments: %v", tool.Name, err)
		}
		bad := map[string]any{"no_such_argument": 1}
		for name, v := range full {
			bad[name] = v
		}
		if resolved.Validate(bad) == nil {
			t.Errorf("%s: the schema accepts an unknown argument", tool.Name)
		}
		r, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool.Name, Arguments: bad})
		if err != nil || !r.IsError || !strings.Contains(r.Content[0].(*mcp.TextContent).Text, "no_such_argument") {
			t.Errorf("%s: the server accepts an unknown argument: %v %+v", tool.Name, err, r)
		}
		if tool.OutputSchema != nil || tool.Annotations == nil {
			t.Errorf("%s: output schema %v, annotations %v", tool.Name, tool.OutputSchema, tool.Annotations)
		}
	}
	if n < 10 || n > 12 {
		t.Errorf("%d tools", n)
	}
}

// example is a value that the schema allows.
func example(s *jsonschema.Schema) any {
	switch {
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Type == "integer":
		return 1
	case s.Type == "boolean":
		return true
	case s.Type == "array":
		return []any{example(s.Items)}
	case s.Type == "object":
		o := map[string]any{}
		for name, p := range s.Properties {
			o[name] = example(p)
		}
		return o
	default:
		return "x"
	}
}

// A server whose input ends is gone within a second, as a host wants it.
func TestTheServerEndsWithItsInput(t *testing.T) {
	w := newWorld(t)
	start := time.Now()
	if out := w.run("", w.board, "mcp"); out != "" {
		t.Errorf("output %q", out)
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("took %v", took)
	}
}
