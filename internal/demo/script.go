package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"board/internal/lab"
)

// prepare is the person's part: a repository becomes a project, with three Issues.
func prepare(ctx context.Context, s *stage) error {
	s.title("A person plans. The database is new, and empty: " + s.world.DB)
	if err := s.step(ctx, "person", "board init --prefix SHOP", s.personSees(ctx, "SHOP registered", "init", "--prefix", "SHOP", "--no-input")); err != nil {
		return err
	}
	for _, i := range []struct {
		change string
		args   []string
	}{
		{"SHOP-1 new: todo", []string{"Refuse empty carts", "-c", "an empty cart gives a clear error", "-c", "a test shows it"}},
		{"SHOP-2 new: todo", []string{"Show the tax on receipts", "-c", "the receipt has a line for the tax"}},
		{"SHOP-3 new: todo", []string{"Log in with a passkey"}},
	} {
		if err := s.step(ctx, "person", "board add "+quote(i.args[0]), s.person(ctx, append([]string{"add"}, i.args...)...), i.change); err != nil {
			return err
		}
	}
	fmt.Println()
	return s.show(ctx)
}

// claudeRun is a session of Claude Code: one turn that begins work, is asked once at its first Stop, and requests closure.
func claudeRun(ctx context.Context, s *stage) error {
	s.title("Claude Code runs one turn, which is a run of its own: r1. When the turn wants to stop the agent is asked once (the run is probing); " +
		"the next Stop ends the run.")
	c, err := s.session("claude-code", "stop_context")
	if err != nil {
		return err
	}
	agent, err := s.world.Serve(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = agent.Kill() }()
	const call = "toolu_demo_1"
	return all(
		func() error { return c.next(ctx, "SessionStart", quiet) },
		func() error { return c.next(ctx, "UserPromptSubmit", contextFor, "r1 new: running") },
		func() error {
			return c.tool(ctx, agent, "kanban_list", args{"ready": true}, nil, says("SHOP-1", "SHOP-2", "SHOP-3"))
		},
		func() error { return c.announce(ctx, "kanban_begin_work", call) },
		func() error {
			return c.tool(ctx, agent, "kanban_begin_work", args{"issue_key": "SHOP-1"}, args{"claudecode/toolUseId": call},
				says("SHOP-1", "an empty cart gives a clear error"), "SHOP-1 todo → in_progress (r1)")
		},
		func() error { return c.next(ctx, "Stop", probe, "r1 running → probing") },
		func() error {
			return c.tool(ctx, agent, "kanban_request_closure", c.declared(args{
				"issue_key": "SHOP-1", "issue_revision": 2, "summary": "Empty carts are refused with E_CART_EMPTY.",
				"verdicts": []args{
					{"n": 1, "verdict": "met", "how": "ran it with an empty cart"},
					{"n": 2, "verdict": "met", "how": "TestEmptyCart passes"},
				},
			}), nil, says("SHOP-1", "in_review"), "SHOP-1 in_progress (r1) → in_review")
		},
		func() error { return c.next(ctx, "Stop", quiet, "r1 probing → ended/completed") },
		func() error { return c.next(ctx, "SessionEnd", quiet) },
		agent.Close,
	)
}

// codexRun is a session of Codex, which proves its caller with every call: no run id is needed.
func codexRun(ctx context.Context, s *stage) error {
	s.title("Codex runs one turn in another session. It cannot take what is in review; it takes the next ready Issue, and hands it over.")
	c, err := s.session("codex", "stopblock")
	if err != nil {
		return err
	}
	agent, err := s.world.Serve(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = agent.Kill() }()
	prompt := c.events[1]
	proof := args{"x-codex-turn-metadata": args{
		"session_id": prompt.Field("session_id"), "thread_id": prompt.Field("session_id"), "turn_id": prompt.Field("turn_id"),
	}}
	return all(
		func() error { return c.next(ctx, "SessionStart", quiet) },
		func() error { return c.next(ctx, "UserPromptSubmit", contextFor, "r2 new: running") },
		func() error {
			return c.tool(ctx, agent, "kanban_begin_work", args{"issue_key": "SHOP-1"}, proof, refuses("reserved"))
		},
		func() error {
			return c.tool(ctx, agent, "kanban_begin_work", args{}, proof, says("SHOP-2"), "SHOP-2 todo → in_progress (r2)")
		},
		func() error { return c.next(ctx, "Stop", probe, "r2 running → probing") },
		func() error {
			return c.tool(ctx, agent, "kanban_pause", args{"issue_key": "SHOP-2", "reason": "handoff", "text": "The template is ready; the rates are missing."}, proof,
				says("SHOP-2", "paused"), "SHOP-2 in_progress (r2) → paused", "r2 probing → running")
		},
		func() error { return c.next(ctx, "Stop", quiet, "r2 running → ended/completed") },
		func() error { return c.next(ctx, "SessionEnd", quiet) },
		agent.Close,
	)
}

// subagentRun is a session of Claude Code whose root delegates twice, the second time in the background.
func subagentRun(ctx context.Context, s *stage) error {
	s.title("Claude Code delegates. A subagent may take an Issue, and never closes one; its end is not the end of its root.")
	c, err := s.session("claude-code", "subagent")
	if err != nil {
		return err
	}
	agent, err := s.world.Serve(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = agent.Kill() }()
	child := &session{stage: s, host: c.host, agent: "subagent"}
	closure := args{
		"issue_key": "SHOP-2", "issue_revision": 4, "summary": "The receipt shows the tax.",
		"verdicts": []args{{"n": 1, "verdict": "met", "how": "printed a receipt"}},
	}
	return all(
		func() error { return c.next(ctx, "SessionStart", quiet) },
		func() error { return c.next(ctx, "UserPromptSubmit", contextFor, "r3 new: running") },
		func() error { return c.next(ctx, "PreToolUse", quiet) },
		func() error { return c.hand(child).next(ctx, "SubagentStart", contextFor, "r4 new: running") },
		func() error {
			return child.tool(ctx, agent, "kanban_begin_work", child.declared(args{}), nil, says("SHOP-2", "the rates are missing"),
				"SHOP-2 paused → in_progress (r4)")
		},
		func() error {
			return c.tool(ctx, agent, "kanban_begin_work", c.declared(args{"issue_key": "SHOP-2"}), nil, refuses("held_by_other"))
		},
		func() error { return c.take(child).next(ctx, "PreToolUse", quiet) },
		func() error { return c.next(ctx, "PostToolUse", quiet) },
		func() error { return c.next(ctx, "PostToolBatch", quiet) },
		func() error {
			return child.tool(ctx, agent, "kanban_request_closure", child.declared(closure), nil, refuses("root_only"))
		},
		func() error { return c.next(ctx, "SubagentStop", quiet, "r4 running → ended/completed") },
		func() error { return c.next(ctx, "PostToolUse", quiet) },
		func() error { return c.next(ctx, "PostToolBatch", quiet) },
		func() error { return c.next(ctx, "PreToolUse", quiet) },
		func() error { return c.hand(child).next(ctx, "SubagentStart", contextFor, "r5 new: running") },
		func() error { return c.take(child).next(ctx, "PostToolUse", quiet) },
		func() error { return c.next(ctx, "PostToolBatch", quiet) },
		func() error {
			return c.tool(ctx, agent, "kanban_request_closure", c.declared(closure), nil, says("SHOP-2", "in_review"), "SHOP-2 in_progress (r4) → in_review")
		},
		func() error { return c.next(ctx, "Stop", waits, "r3 running → waiting") },
		func() error { return c.next(ctx, "SubagentStop", quiet, "r5 running → ended/completed") },
		func() error {
			return c.next(ctx, "UserPromptSubmit", contextFor, "r3 waiting → ended/completed", "r6 new: running")
		},
		func() error { return c.next(ctx, "Stop", quiet, "r6 running → ended/completed") },
		func() error { return c.next(ctx, "SessionEnd", quiet) },
		agent.Close,
	)
}

// decisions is the person again. An agent that tries the same command is turned away.
func decisions(ctx context.Context, s *stage) error {
	s.title("A person decides.")
	return all(
		func() error {
			return s.step(ctx, "an agent", "board approve SHOP-1", func() (string, error) {
				out := s.world.BoardIn(ctx, []string{"CLAUDECODE=1"}, "approve", "SHOP-1")
				if out.Code != 6 {
					return "", fmt.Errorf("exit %d, expected 6: %s%s", out.Code, out.Stdout, out.Stderr)
				}
				return "refused, exit 6: decisions belong to people", nil
			})
		},
		func() error {
			return s.step(ctx, "person", "board approve SHOP-1", s.person(ctx, "approve", "SHOP-1"), "SHOP-1 in_review → done")
		},
		func() error {
			return s.step(ctx, "person", "board reject SHOP-2 …", s.person(ctx, "reject", "SHOP-2", "The tax of gift cards is wrong."), "SHOP-2 in_review → todo")
		},
		func() error {
			return s.step(ctx, "person", "board next", func() (string, error) {
				var next struct{ Key string }
				if err := s.json(ctx, &next, "next"); err != nil || next.Key != "SHOP-2" {
					return "", fmt.Errorf("next is %q, expected SHOP-2, which was sent back: %w", next.Key, err)
				}
				return "SHOP-2: what was sent back comes first", nil
			})
		},
		func() error { fmt.Println(); return s.show(ctx) },
	)
}

type args = map[string]any

func all(steps ...func() error) error {
	for _, do := range steps {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

func quote(s string) string { return `"` + s + `"` }

// hand lets child read the next events, take gives the rest back.
func (c *session) hand(child *session) *session { child.events = c.events; return child }

func (c *session) take(child *session) *session { c.events = child.events; return c }

// declared adds what an agent says of itself where its host proves nothing: the handle and revision of its context.
func (c *session) declared(a args) args {
	out := args{"run_id": c.run, "run_revision": json.Number(c.revision)}
	for k, v := range a {
		out[k] = v
	}
	return out
}

// announce delivers the PreToolUse of one of board's own tools: it makes the caller of that tool call known.
func (c *session) announce(ctx context.Context, tool, call string) error {
	prompt := c.events[0] // the next event of the same turn has the ids
	payload, err := json.Marshal(args{
		"session_id": prompt.Field("session_id"), "prompt_id": prompt.Field("prompt_id"), "cwd": lab.RecordedRepo, "permission_mode": "default",
		"hook_event_name": "PreToolUse", "tool_name": "mcp__board__" + tool, "tool_use_id": call, "tool_input": args{},
		"mcp_server": args{"name": "board", "source": "user"},
	})
	if err != nil {
		return err
	}
	return c.deliver(ctx, lab.Event{Event: "PreToolUse", Env: prompt.Env, Payload: payload}, quiet)
}

type verdict func(lab.Answer) (string, error)

// tool calls a tool as the agent of this session.
func (c *session) tool(ctx context.Context, agent *lab.Client, name string, a, meta args, ok verdict, changes ...string) error {
	what := name
	if key, has := a["issue_key"].(string); has {
		what += " " + key
	}
	return c.stage.step(ctx, c.agent, what, func() (string, error) {
		got, err := agent.Tool(name, a, meta)
		if err != nil {
			return "", err
		}
		note, err := ok(got)
		if m := firstLine.FindStringSubmatch(got.Text); m != nil && m[1] == c.run {
			c.revision = m[2] // every answer says the revision to go on with
		}
		return note, err
	}, changes...)
}

func says(words ...string) verdict {
	return func(a lab.Answer) (string, error) {
		if a.IsError {
			return "", fmt.Errorf("refused: %s", a.Text)
		}
		for _, w := range words {
			if !strings.Contains(a.Text, w) {
				return "", fmt.Errorf("the answer lacks %q: %s", w, a.Text)
			}
		}
		return "", nil
	}
}

func refuses(code string) verdict {
	return func(a lab.Answer) (string, error) {
		if !a.IsError || !strings.Contains(a.Text, code) {
			return "", fmt.Errorf("expected the refusal %s, got: %s", code, a.Text)
		}
		return "refused: " + strings.Join(strings.Fields(strings.TrimPrefix(a.Text, firstLine.FindString(a.Text))), " "), nil
	}
}
