package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"board/internal/modelserver"
)

// codex is Codex CLI.
type codex struct{}

func (codex) name() string { return "codex" }
func (codex) pkg() npm     { return npm{"@openai/codex", "0.171.0"} }

func (codex) program(installed string) string {
	return filepath.Join(installed, "node_modules", ".bin", "codex")
}

func (codex) env(w *world) []string {
	return []string{"SCRIPTED_KEY=none", "CODEX_SQLITE_HOME=" + filepath.Join(w.Home, ".codex")}
}

// prepare chooses the model, and trusts the work trees of the world. The model is one whose tools are called as they are:
// the newest of the catalogue writes programs instead.
func (codex) prepare(w *world) error {
	config := fmt.Sprintf(`model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "%s/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0

[projects.%q]
trust_level = "trusted"

[projects.%q]
trust_level = "trusted"
`, w.model.URL(), w.Repo, w.path("second"))
	return w.write(filepath.Join(w.Home, ".codex", "config.toml"), config)
}

func (codex) headless(_ *world, prompt string, resume bool) []string {
	if resume {
		return []string{"exec", "--dangerously-bypass-hook-trust", "resume", "--last", prompt}
	}
	return []string{"exec", "--dangerously-bypass-hook-trust", prompt}
}

func (codex) said(stdout string) string { return strings.TrimSpace(stdout) }

func (codex) tool(name string, a args) modelserver.Call {
	return modelserver.Call{Namespace: "mcp__board", Name: name, Args: a}
}

func (codex) edit(_ *world, file, content string) modelserver.Call {
	patch := "*** Begin Patch\n*** Add File: " + file + "\n"
	for line := range strings.Lines(content) {
		patch += "+" + line
	}
	return modelserver.Call{Name: "apply_patch", Freeform: patch + "*** End Patch\n"}
}

func (codex) shell(command string) modelserver.Call {
	return modelserver.Call{Name: "exec_command", Args: args{"cmd": command}}
}

func (codex) expects(string) bool { return false }

func (codex) knows() knows {
	return knows{identity: "proven", asksEdits: true, interrupts: "interrupted", killed: "unknown"}
}
