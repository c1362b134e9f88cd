package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"board/internal/modelserver"
)

// codex is Codex CLI.
type codex struct{}

func (codex) name() string { return "codex" }
func (codex) pkg() npm     { return npm{"@openai/codex", "0.171.0"} }

// program is the native one: the package starts it through a script, and a signal would end the script alone.
func (codex) program(installed string) string {
	found, err := filepath.Glob(filepath.Join(installed, "node_modules", "@openai", "codex-*", "vendor", "*", "bin", "codex"))
	if err != nil || len(found) == 0 {
		return filepath.Join(installed, "codex") // there is none
	}
	return found[0]
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

[tui]
screen_reader_detection_done = true

[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"

[projects.%q]
trust_level = "trusted"

[projects.%q]
trust_level = "trusted"
`, w.model.URL(), w.Repo, w.path("second"))
	return w.write(filepath.Join(w.Home, ".codex", "config.toml"), config)
}

func (c codex) headless(w *world, prompt string, resume bool) []string {
	if resume {
		return c.resumes(w, "--last", prompt)
	}
	return []string{"exec", "--dangerously-bypass-hook-trust", "-o", w.path("last.txt"), prompt}
}

func (codex) resumes(w *world, session, prompt string) []string {
	return []string{"exec", "--dangerously-bypass-hook-trust", "-o", w.path("last.txt"), "resume", session, prompt}
}

func (codex) free() []string { return []string{"-s", "danger-full-access"} }

// codexSession is what a run without a terminal says of its session.
var codexSession = regexp.MustCompile(`(?m)^session id: (\S+)$`)

func (codex) session(_ *world, p *process) string {
	if m := codexSession.FindStringSubmatch(p.stderr()); m != nil {
		return m[1]
	}
	return ""
}

// badHook puts a hook of somebody else beside board's, with a field in its answer that the host does not know.
func (codex) badHook(w *world) error {
	hooks := `{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"echo '{\"surprise\":1}'"}]}]}}`
	return w.write(filepath.Join(w.Repo, ".codex", "hooks.json"), hooks)
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

// agent starts a subagent. Starting one never waits.
func (codex) agent(task string, _ bool) modelserver.Step {
	return use(modelserver.Call{Namespace: "multi_agent_v1", Name: "spawn_agent", Args: args{"message": task}})
}

// codexAgent reads what the host says of a subagent that it started.
var codexAgent = regexp.MustCompile(`"agent_id":"([0-9a-f-]+)"`)

func (codex) waits() []modelserver.Step {
	return []modelserver.Step{func(r *modelserver.Request) modelserver.Reply {
		id := ""
		if m := r.Newest(codexAgent); m != nil {
			id = m[1]
		}
		return use(modelserver.Call{Namespace: "multi_agent_v1", Name: "wait_agent", Args: args{"targets": []string{id}, "timeout_ms": 30000}})(r)
	}}
}

func (codex) server(command string) modelserver.Call {
	return modelserver.Call{Name: "exec_command", Args: args{"cmd": command, "yield_time_ms": 300}}
}

// seat keeps the hooks in the host's own process: a daemon would outlive it.
func (codex) seat(*world) []string { return []string{"--no-daemon", "--dangerously-bypass-hook-trust"} }

func (codex) ready() string { return "? for shortcuts" }
func (codex) busy() string  { return "esc to interrupt" }

func (codex) side() []modelserver.Rule {
	return []modelserver.Rule{
		{Lane: "side title", When: modelserver.LastSays("single-line task title"), Then: say("A title")},
		{Lane: "side compaction", When: modelserver.LastSays("CONTEXT CHECKPOINT"), Then: say("They talked.")},
	}
}

// codexHook is what a run without a terminal says of its hooks, line by line.
var codexHook = regexp.MustCompile(`^hook: (\w+)(?: (\w+))?$`)

// hookTimes are the times between the two lines of each hook. SessionEnd comes after the last line.
func (codex) hookTimes(w *world) (out []time.Duration) {
	for _, p := range w.processes {
		begun := map[string]time.Time{}
		for _, l := range p.said() {
			m := codexHook.FindStringSubmatch(l.text)
			if m == nil {
				continue
			}
			if m[2] == "" {
				begun[m[1]] = l.at
			} else if at, ok := begun[m[1]]; ok {
				out = append(out, l.at.Sub(at))
			}
		}
	}
	return out
}

func (codex) complaints(w *world) (out []string) {
	for _, p := range w.processes {
		for _, l := range p.said() {
			if m := codexHook.FindStringSubmatch(l.text); m != nil && m[2] != "" && m[2] != "Completed" && m[2] != "Blocked" {
				out = append(out, l.text)
			}
		}
	}
	return out
}

func (codex) expects(string) bool { return false }

func (codex) knows() knows {
	return knows{identity: "proven", asksEdits: true, failed: "ended/unknown", interrupts: "ended/interrupted", signalled: "ended/interrupted", process: true, refusals: true}
}
