package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"board/internal/modelserver"
)

// claude is Claude Code.
type claude struct{}

func (claude) name() string { return "claude-code" }
func (claude) pkg() npm     { return npm{"@anthropic-ai/claude-code", "2.1.332"} }

func (claude) program(installed string) string {
	return filepath.Join(installed, "node_modules", ".bin", "claude")
}

// claudeKey is no key of anybody. The host wants to know its last 20 characters as approved.
const claudeKey = "sk-ant-scripted-0000000000000000000000000000"

func (claude) env(w *world) []string {
	return []string{
		"ANTHROPIC_BASE_URL=" + w.model.URL(), "ANTHROPIC_API_KEY=" + claudeKey, "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
		"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_MAX_RETRIES=0", "IS_SANDBOX=1",
	}
}

// prepare leaves the host as after its first start, with the work trees of the world trusted.
func (claude) prepare(w *world) error {
	trusted := args{}
	for _, tree := range []string{w.Repo, w.path("second")} {
		trusted[tree] = args{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}
	}
	data, err := json.MarshalIndent(args{
		"hasCompletedOnboarding": true, "lastOnboardingVersion": claude{}.pkg().version, "theme": "dark", "numStartups": 5,
		"customApiKeyResponses": args{"approved": []string{claudeKey[len(claudeKey)-20:]}, "rejected": []string{}},
		"projects":              trusted,
	}, "", "  ")
	if err != nil {
		return err
	}
	return w.write(filepath.Join(w.Home, ".claude.json"), string(data))
}

// claudeTools are the tools that need no permission here. Those of board are not among them: its installer lets them run.
const claudeTools = "Write Edit Bash Agent SendMessage"

func (claude) headless(w *world, prompt string, resume bool) []string {
	a := []string{"-p", prompt, "--debug-file", w.debugFile(), "--allowedTools", claudeTools}
	if resume {
		a = append(a, "--continue")
	}
	return a
}

func (c claude) resumes(w *world, session, prompt string) []string {
	return append(c.headless(w, prompt, false), "--resume", session)
}

// session is the name of the only transcript. A run without a terminal says nothing of it otherwise.
func (claude) session(w *world, _ *process) string {
	found, err := filepath.Glob(filepath.Join(w.Home, ".claude", "projects", "*", "*.jsonl"))
	if err != nil || len(found) != 1 {
		return ""
	}
	return strings.TrimSuffix(filepath.Base(found[0]), ".jsonl")
}

// badHook puts a hook of somebody else beside board's that answers with what the host does not take.
func (claude) badHook(w *world) error {
	bad := args{"type": "command", "command": `echo '{"hookSpecificOutput":{"hookEventName":"PreCompact"}}'`}
	data, err := json.Marshal(args{"hooks": args{"UserPromptSubmit": []args{{"hooks": []args{bad}}}}})
	if err != nil {
		return err
	}
	return w.write(filepath.Join(w.Repo, ".claude", "settings.json"), string(data))
}

// denied: the hook before board's own tools answers with nothing. What the person forbids stays forbidden.
func denied(ctx context.Context, w *world) error {
	w.script(mainLane(w.call("kanban_list", args{}), say("It is forbidden.")))
	p, err := w.start(w.Repo, w.hostEnv(), w.program, append(w.host.headless(w, "list it", false), "--disallowedTools", "mcp__board__kanban_list")...)
	if err != nil {
		return err
	}
	if err := p.mustEnd(ctx); err != nil {
		return err
	}
	newest := w.requests("main")[1]
	return errors.Join(
		want("the answer of the tool reached the model", newest.Contains("issues"), false),
		w.untilRuns(ctx, "root ended/completed"),
	)
}

func (claude) said(stdout string) string { return strings.TrimSpace(stdout) }

func (claude) tool(name string, a args) modelserver.Call {
	return modelserver.Call{Name: "mcp__board__" + name, Args: a}
}

func (claude) edit(w *world, file, content string) modelserver.Call {
	return modelserver.Call{Name: "Write", Args: args{"file_path": w.inRepo(file), "content": content}}
}

func (claude) shell(command string) modelserver.Call {
	return modelserver.Call{Name: "Bash", Args: args{"command": command, "description": "a command"}}
}

func (claude) agent(task string, background bool) modelserver.Step {
	return use(modelserver.Call{Name: "Agent", Args: args{
		"description": "a task", "prompt": task, "subagent_type": "general-purpose", "run_in_background": background,
	}})
}

func (claude) waits() []modelserver.Step { return nil }

func (claude) server(command string) modelserver.Call {
	return modelserver.Call{Name: "Bash", Args: args{"command": command, "description": "a server", "run_in_background": true}}
}

func (c claude) seat(w *world) []string {
	return []string{"--debug-file", w.debugFile(), "--allowedTools", claudeTools, "--permission-mode", "acceptEdits"}
}

func (claude) ready() string { return "accept edits on" }
func (claude) busy() string  { return "esc to interrupt" }

func (claude) side() []modelserver.Rule {
	return []modelserver.Rule{{Lane: "side compaction", When: modelserver.LastSays("Do NOT call any tools"), Then: say("<summary>They talked.</summary>")}}
}

// debugFile is where the host writes what it does, one for each of its processes.
func (w *world) debugFile() string {
	return w.path(fmt.Sprintf("%02d-%02d.debug", len(w.processes), len(w.terminals)))
}

// claudeHook is what the host writes of every hook that it ran.
var claudeHook = regexp.MustCompile(`Hooks: (\S+) \[[^\]]*board-hook[^\]]*\] finished with status (\d+) \((\d+)ms\)`)

func (claude) hookTimes(w *world) (out []time.Duration) {
	for _, text := range w.texts("*.debug") {
		for _, m := range claudeHook.FindAllStringSubmatch(text, -1) {
			ms, _ := strconv.Atoi(m[3]) // digits, by the pattern
			out = append(out, time.Duration(ms)*time.Millisecond)
		}
	}
	return out
}

func (claude) complaints(w *world) (out []string) {
	for _, text := range w.texts("*.debug") {
		for line := range strings.Lines(text) {
			m := claudeHook.FindStringSubmatch(line)
			if m != nil && m[2] != "0" || strings.Contains(line, "ook JSON output validation failed") || strings.Contains(line, "Failed to parse hook") {
				out = append(out, line)
			}
		}
	}
	return out
}

func (claude) expects(stray string) bool { return strings.HasPrefix(stray, "HEAD ") }

func (claude) knows() knows {
	return knows{identity: "proven", asksEdits: true, failed: "ended/failed", interrupts: "ended/interrupted", signalled: "ended/unknown", process: true, clearEnds: true}
}
