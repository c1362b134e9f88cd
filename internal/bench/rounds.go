package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"board/internal/lab"
	"board/internal/store"
)

// warmUp rounds fill the caches of the machine and are not counted.
const warmUp = 5

// subject is one program that is measured.
type subject struct {
	name   string
	limit  float64 // what its time divided by that of the subject at index over may be; 0: it is not judged
	over   int
	env    []string
	before func(ctx context.Context, session string) error // not measured: brings the session to where the subject starts
	argv   []string
	stdin  func(session string) []byte
	stores bool // must add one row to events
	ok     func(stdout string) bool
}

type bench struct {
	world    *lab.World
	db       *store.DB // the other connection; also the witness that rows are stored
	subjects []subject
	times    [][]float64 // wall time by subject and round, in ms
	cpu      [][]float64 // processor time, which a busy machine disturbs less
}

func newBench(ctx context.Context, w *lab.World) (*bench, error) {
	hello, err := buildHello(ctx, w)
	if err != nil {
		return nil, err
	}
	if out := w.Board(ctx, "init", "--prefix", "BEN", "--no-input"); out.Err != nil {
		return nil, fmt.Errorf("board init: %w: %s", out.Err, out.Stderr)
	}
	if out := w.Board(ctx, "add", "An Issue that is ready"); out.Err != nil {
		return nil, fmt.Errorf("board add: %w: %s", out.Err, out.Stderr)
	}
	db, err := store.Open(ctx, store.Options{Path: w.DB, Now: time.Now, Person: "bench", Machine: "bench"})
	if err != nil {
		return nil, err
	}
	b := &bench{world: w, db: db}
	hook := []string{w.Program("board-hook"), "--host", "claude-code", "--protocol", "1"}
	host := []string{"CLAUDECODE=1", fmt.Sprintf("CLAUDE_PID=%d", os.Getpid()), "AI_AGENT=claude-code_2-1-332_harness"}
	deliver := func(ctx context.Context, session string, events ...string) error {
		for _, e := range events {
			if out := w.Hook(ctx, "claude-code", host, b.payload(e, session)); out.Err != nil {
				return out.Err
			}
		}
		return nil
	}
	event := func(name, event string, ok func(string) bool, before ...string) subject {
		return subject{
			name: name, limit: limit, argv: hook, stores: true, ok: ok, env: host,
			before: func(ctx context.Context, session string) error { return deliver(ctx, session, before...) },
			stdin:  func(session string) []byte { return b.payload(event, session) },
		}
	}
	has := func(s string) func(string) bool { return func(out string) bool { return strings.Contains(out, s) } }
	silent := func(out string) bool { return out == "" }
	b.subjects = []subject{
		{name: "hello-world", argv: []string{hello}, ok: has("hello")},
		event("hook: prompt with context", "prompt", has("additionalContext")),
		event("hook: tool event", "tool", silent, "prompt"),
		event("hook: probing Stop", "stop", has("additionalContext"), "prompt"),
		event("hook: ending Stop", "end", silent, "prompt", "stop"),
		{name: "board version", argv: []string{w.Program("board"), "version"}, ok: func(out string) bool { return out != "" }},
		{
			name: "board mcp, start to answer", argv: []string{w.Program("board"), "mcp"}, ok: has("serverInfo"),
			stdin: func(string) []byte {
				return []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}` + "\n")
			},
		},
	}
	many, err := crowd(ctx, w, b.payload)
	if err != nil {
		return nil, err
	}
	version := len(b.subjects) - 2
	for _, view := range []string{"agents", "inbox"} {
		b.subjects = append(b.subjects, subject{
			name: "board " + view + ", large board", limit: viewLimit, over: version, env: []string{many},
			argv: []string{w.Program("board"), view}, ok: func(out string) bool { return strings.Count(out, "\n") >= crowdWaiting },
		})
	}
	b.times, b.cpu = make([][]float64, len(b.subjects)), make([][]float64, len(b.subjects))
	return b, nil
}

// buildHello builds what every ratio is measured against, with the flags of the real programs.
func buildHello(ctx context.Context, w *lab.World) (string, error) {
	src := filepath.Join(w.Root, "hello.go")
	if err := os.WriteFile(src, []byte("package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n"), 0o600); err != nil {
		return "", err
	}
	bin := filepath.Join(w.Root, "hello.exe") // the suffix harms nobody
	built := filepath.Join(w.Root, "hello.built")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", built, src)
	cmd.Dir, cmd.Env = w.Root, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build hello: %w: %s", err, out)
	}
	return bin, install(built, bin)
}

// payload is what Claude Code sends, with the fields that its recordings have.
func (b *bench) payload(event, session string) []byte {
	m := map[string]any{
		"session_id": session, "prompt_id": "turn-" + session, "cwd": b.world.Repo, "permission_mode": "default",
		"transcript_path": filepath.Join(b.world.Home, ".claude", "projects", session+".jsonl"), "effort": map[string]any{"level": "medium"},
	}
	switch event {
	case "prompt":
		m["hook_event_name"], m["prompt"] = "UserPromptSubmit", strings.Repeat("Please look at the next Issue. ", 20)
	case "tool":
		m["hook_event_name"], m["tool_name"], m["tool_use_id"] = "PostToolUse", "Bash", "toolu_"+session
		m["tool_input"] = map[string]any{"command": "go test ./..."}
		m["tool_response"] = map[string]any{"stdout": strings.Repeat("ok  \tshop/cart\t0.012s\n", 40)}
	case "edit":
		m["hook_event_name"], m["tool_name"], m["tool_use_id"] = "PostToolUse", "Edit", "toolu_"+session
		m["tool_input"] = map[string]any{"file_path": filepath.Join(b.world.Repo, session+".go")}
	case "stop", "end":
		m["hook_event_name"], m["stop_hook_active"] = "Stop", event == "end"
		m["last_assistant_message"] = "Done.\n"
		m["background_tasks"], m["session_crons"] = []any{}, []any{}
	}
	data, err := json.Marshal(m)
	if err != nil {
		panic(err) // of strings and lists
	}
	return append(data, '\n')
}

// round runs every subject once, in an order of chance, each hook in a session of its own.
func (b *bench) round(ctx context.Context, n int) error {
	order := rand.Perm(len(b.subjects))
	for _, i := range order {
		s := b.subjects[i]
		session := fmt.Sprintf("s%d-%d", n, i)
		if s.before != nil {
			if err := s.before(ctx, session); err != nil {
				return fmt.Errorf("%s: before: %w", s.name, err)
			}
		}
		rows, err := b.rows(ctx)
		if err != nil {
			return err
		}
		ms, cpu, stdout, err := b.measure(ctx, s, session)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if !s.ok(stdout) {
			return fmt.Errorf("%s: unexpected answer %.300q", s.name, stdout)
		}
		after, err := b.rows(ctx)
		if err != nil {
			return err
		}
		if s.stores && after != rows+1 {
			return fmt.Errorf("%s: stored %d rows, expected 1", s.name, after-rows)
		}
		if n >= warmUp {
			b.times[i], b.cpu[i] = append(b.times[i], ms), append(b.cpu[i], cpu)
		}
	}
	return nil
}

func (b *bench) measure(ctx context.Context, s subject, session string) (ms, cpu float64, stdout string, err error) {
	cmd := exec.CommandContext(ctx, s.argv[0], s.argv[1:]...)
	cmd.Dir, cmd.Env = b.world.Repo, b.world.Env(s.env...)
	var in []byte
	if s.stdin != nil {
		in = s.stdin(session)
	}
	var outbuf, errbuf bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &outbuf, &errbuf
	start := time.Now()
	err = cmd.Run()
	ms = float64(time.Since(start)) / float64(time.Millisecond)
	if err == nil && errbuf.Len() > 0 {
		err = errors.New("stderr: " + errbuf.String())
	}
	cpu = float64(cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()) / float64(time.Millisecond)
	return ms, cpu, outbuf.String(), err
}

func (b *bench) rows(ctx context.Context) (n int, err error) {
	err = b.db.SQL().QueryRowContext(ctx, "SELECT count(*) FROM events").Scan(&n)
	return n, err
}

// figure is what the report says of one subject: times in ms, ratios per round.
type figure struct {
	Name     string  `json:"name"`
	Median   float64 `json:"median_ms"`
	P10      float64 `json:"p10_ms"`
	P90      float64 `json:"p90_ms"`
	Ratio    float64 `json:"ratio_median"`
	RatioP90 float64 `json:"ratio_p90"`
	CPU      float64 `json:"cpu_median_ms"`
	Verdict  string  `json:"verdict,omitempty"`
}

func (b *bench) report(rounds int) []figure {
	var all []figure
	for i, s := range b.subjects {
		ratios := make([]float64, rounds)
		for n := range rounds {
			ratios[n] = b.times[i][n] / b.times[s.over][n]
		}
		f := figure{
			Name: s.name, Median: quantile(b.times[i], 0.5), P10: quantile(b.times[i], 0.1), P90: quantile(b.times[i], 0.9),
			Ratio: quantile(ratios, 0.5), RatioP90: quantile(ratios, 0.9), CPU: quantile(b.cpu[i], 0.5),
		}
		if s.limit > 0 {
			f.Verdict = "PASS"
			if f.Ratio > s.limit {
				f.Verdict = "MISS"
			}
			if s.over > 0 {
				f.Verdict += " (÷ " + b.subjects[s.over].name + ")"
			}
		}
		all = append(all, f)
	}
	return all
}

func quantile(values []float64, q float64) float64 {
	v := slices.Sorted(slices.Values(values))
	return v[int(q*float64(len(v)-1)+0.5)]
}
