package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"board/internal/modelserver"
)

// openCode is opencode.
type openCode struct{}

func (openCode) name() string { return "opencode" }
func (openCode) pkg() npm     { return npm{"opencode-ai", "1.18.33"} }

// program has this name on every system.
func (openCode) program(installed string) string {
	return filepath.Join(installed, "node_modules", "opencode-ai", "bin", "opencode.exe")
}

func (openCode) env(*world) []string {
	return []string{
		"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_SHARE=1",
		"OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER=true", "OPENCODE_DISABLE_DEFAULT_PLUGINS=true",
		"OPENCODE_EXPERIMENTAL_BACKGROUND_SUBAGENTS=true",
	}
}

// stopwatch is a plugin that writes down how long each prompt took from its making to its storing: plugins have their say
// in between, and there is next to nothing else.
const stopwatch = `import { appendFileSync } from "node:fs"
const seen = new Set()
export const Watch = async () => ({
  event: async ({ event }: any) => {
    const info = event.properties?.info
    if (event.type !== "message.updated" || info.role !== "user" || seen.has(info.id)) return
    seen.add(info.id)
    appendFileSync(%s, Date.now() - info.time.created + "\n")
  },
})
`

// prepare leaves the host as after its first start: without a lock file in its folder of settings it would ask for its
// plugin package there, for more than a minute when there is no network.
func (openCode) prepare(w *world) error {
	settings := filepath.Join(w.Home, ".config", "opencode")
	config, err := json.MarshalIndent(args{
		"$schema": "https://opencode.ai/config.json", "model": "scripted/scripted", "small_model": "scripted/scripted", "autoupdate": false, "share": "disabled", "snapshot": false,
		"provider": args{"scripted": args{
			"npm": "@ai-sdk/openai-compatible", "name": "Scripted",
			"options": args{"baseURL": w.model.URL() + "/v1", "apiKey": "none"},
			"models":  args{"scripted": args{"name": "Scripted", "limit": args{"context": 100000, "output": 8000}}},
		}},
	}, "", "  ")
	if err != nil {
		return err
	}
	files := map[string]string{
		"opencode.json":     string(config),
		"package-lock.json": `{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}}}`,
		"node_modules/keep": "",
		"plugin/watch.ts":   fmt.Sprintf(stopwatch, strconv.Quote(w.path("prompts.times"))),
	}
	for name, content := range files {
		if err := w.write(filepath.Join(settings, filepath.FromSlash(name)), content); err != nil {
			return err
		}
	}
	return nil
}

func (openCode) headless(_ *world, prompt string, resume bool) []string {
	a := []string{"run", "--format", "json", "--print-logs", "--log-level", "ERROR"}
	if resume {
		a = append(a, "--continue")
	}
	return append(a, prompt)
}

func (openCode) resumes(_ *world, session, prompt string) []string {
	return []string{"run", "--format", "json", "--print-logs", "--log-level", "ERROR", "--session", session, prompt}
}

// session is in each of the lines that a run tells.
func (openCode) session(_ *world, p *process) string {
	first, _, _ := strings.Cut(p.stdout(), "\n")
	var e struct{ SessionID string }
	if err := json.Unmarshal([]byte(first), &e); err != nil {
		return ""
	}
	return e.SessionID
}

// said is the last text of a run, which is told as one JSON object a line.
func (openCode) said(stdout string) (text string) {
	for line := range strings.Lines(stdout) {
		var e struct {
			Type string
			Part struct{ Text string }
		}
		if json.Unmarshal([]byte(line), &e) == nil && e.Type == "text" {
			text = e.Part.Text
		}
	}
	return strings.TrimSpace(text)
}

func (openCode) tool(name string, a args) modelserver.Call {
	return modelserver.Call{Name: "board_" + name, Args: a}
}

func (openCode) edit(w *world, file, content string) modelserver.Call {
	return modelserver.Call{Name: "write", Args: args{"filePath": w.inRepo(file), "content": content}}
}

func (openCode) shell(command string) modelserver.Call {
	return modelserver.Call{Name: "bash", Args: args{"command": command, "description": "a command"}}
}

func (openCode) agent(task string, background bool) modelserver.Step {
	a := args{"description": "a task", "prompt": task, "subagent_type": "general"}
	if background {
		a["background"] = true
	}
	return use(modelserver.Call{Name: "task", Args: a})
}

func (openCode) waits() []modelserver.Step { return nil }

func (openCode) side() []modelserver.Rule {
	return []modelserver.Rule{{Lane: "side compaction", When: func(r *modelserver.Request) bool {
		return !r.HasTools() && strings.Contains(r.Last(), "Here is the conversation so far")
	}, Then: say("They talked.")}}
}

// hookTimes are what prompts waited, by the stopwatch.
func (openCode) hookTimes(w *world) (out []time.Duration) {
	for line := range strings.Lines(fileText(w.path("prompts.times"))) {
		if ms, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
			out = append(out, time.Duration(ms)*time.Millisecond)
		}
	}
	return out
}

// complaints are what the host logs of a plugin that does not load, and what board refused of what the plugin told.
// Input that was not heard in time, on a busy machine, is told again: that nothing is missing is what the cells look at.
func (openCode) complaints(w *world) (out []string) {
	for _, reason := range []string{"identity_mismatch", "unknown_event", "wrong_host", "no_session_id", "lost_*"} {
		refused, err := filepath.Glob(w.DB + ".spool/refused.opencode." + reason)
		if err == nil {
			out = append(out, refused...)
		}
	}
	for _, p := range w.processes {
		for _, l := range p.said() {
			if strings.Contains(l.text, "plugin") && (strings.Contains(l.text, "ERROR") || strings.Contains(l.text, "failed")) {
				out = append(out, l.text)
			}
		}
	}
	return out
}

func (openCode) expects(string) bool { return false }

// knows: its calls over MCP carry no session and no call id, so what a model says of itself is recorded as declared. It tells
// of no process that ends: that it is gone is proven.
func (openCode) knows() knows {
	return knows{identity: "declared", failed: "ended/failed", interrupts: "ended/interrupted", process: true, refusals: true, silentEnds: true}
}
