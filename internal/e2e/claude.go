package main

import (
	"encoding/json"
	"path/filepath"
	"strings"

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

func (claude) headless(_ *world, prompt string, resume bool) []string {
	a := []string{"-p", prompt, "--allowedTools", "Write Edit Bash Agent SendMessage"}
	if resume {
		a = append(a, "--continue")
	}
	return a
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

// agent starts a subagent with a task, by whose text its lane is known.
func (claude) agent(task string, background bool) modelserver.Call {
	return modelserver.Call{Name: "Agent", Args: args{
		"description": "a task", "prompt": task, "subagent_type": "general-purpose", "run_in_background": background,
	}}
}

func (claude) expects(stray string) bool { return strings.HasPrefix(stray, "HEAD ") }

func (claude) knows() knows {
	return knows{identity: "proven", asksEdits: true, failed: "failed", interrupts: "interrupted", killed: "unknown"}
}
