package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"board/internal/modelserver"
)

// gemini is Gemini CLI.
type gemini struct{}

func (gemini) name() string { return "gemini" }
func (gemini) pkg() npm     { return npm{"@google/gemini-cli", "0.61.0"} }

func (gemini) program(installed string) string {
	return filepath.Join(installed, "node_modules", ".bin", "gemini")
}

// env keeps it in one process: its first one would start a second, which outlives it.
func (gemini) env(w *world) []string {
	return []string{"GOOGLE_GEMINI_BASE_URL=" + w.model.URL(), "GEMINI_API_KEY=none", "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_CLI_NO_RELAUNCH=true"}
}

// prepare leaves the host as after its first start. Its telemetry goes to a file of the world: there it says of every hook
// how it ended and how long it took.
func (gemini) prepare(w *world) error {
	settings, err := json.MarshalIndent(args{
		"security":  args{"auth": args{"selectedType": "gemini-api-key"}, "folderTrust": args{"enabled": false}},
		"privacy":   args{"usageStatisticsEnabled": false},
		"general":   args{"enableAutoUpdate": false, "enableAutoUpdateNotification": false, "maxAttempts": 1, "retryFetchErrors": false},
		"telemetry": args{"enabled": true, "target": "local", "outfile": w.path("telemetry"), "logPrompts": false},
		"ui":        args{"hideTips": true, "hideBanner": true},
	}, "", "  ")
	if err != nil {
		return err
	}
	return w.write(filepath.Join(w.Home, ".gemini", "settings.json"), string(settings))
}

// geminiModel needs no question of the host which model fits.
var geminiModel = []string{"-m", "gemini-2.5-pro", "--approval-mode", "yolo"}

func (gemini) headless(_ *world, prompt string, resume bool) []string {
	a := []string{"-p", prompt, "--output-format", "json"}
	if resume {
		a = append(a, "--resume", "latest")
	}
	return append(a, geminiModel...)
}

// said is the answer in the JSON that a headless run prints. After a question of board both answers are in it.
func (gemini) said(stdout string) string {
	var out struct{ Response string }
	if err := json.Unmarshal([]byte(stdout), &out); err != nil {
		return stdout
	}
	return strings.TrimSpace(out.Response)
}

func (gemini) tool(name string, a args) modelserver.Call {
	return modelserver.Call{Name: "mcp_board_" + name, Args: a}
}

func (gemini) edit(w *world, file, content string) modelserver.Call {
	return modelserver.Call{Name: "write_file", Args: args{"file_path": w.inRepo(file), "content": content}}
}

func (gemini) shell(command string) modelserver.Call {
	return modelserver.Call{Name: "run_shell_command", Args: args{"command": command, "description": "a command"}}
}

// side answers what the host asks by itself, which wants JSON.
func (gemini) side() []modelserver.Rule {
	return []modelserver.Rule{{Lane: "side", When: func(r *modelserver.Request) bool { return r.JSON }, Then: say(`{"reasoning":"x","model_choice":"pro"}`)}}
}

// geminiHook is what the telemetry says of a hook of board.
var geminiHook = regexp.MustCompile(`"(hook_event_name|hook_name|duration_ms|success|exit_code)": ?("(?:[^"\\]|\\.)*"|[^,\n]+)`)

// geminiCall is a hook that the host ran.
type geminiCall struct {
	event, name string
	took        time.Duration
	failed      bool
}

func geminiCalls(w *world) (out []geminiCall) {
	for _, part := range strings.Split(fileText(w.path("telemetry")), `"gemini_cli.hook_call"`)[1:] {
		call := geminiCall{}
		known := map[string]bool{}
		for _, m := range geminiHook.FindAllStringSubmatch(part, -1) {
			if known[m[1]] { // of the next record
				continue
			}
			known[m[1]] = true
			value := strings.Trim(m[2], `"`)
			switch m[1] {
			case "hook_event_name":
				call.event = value
			case "hook_name":
				call.name = value
			case "duration_ms":
				ms, err := strconv.ParseFloat(value, 64)
				if err == nil {
					call.took = time.Duration(ms * float64(time.Millisecond))
				}
			case "success":
				call.failed = call.failed || value != "true"
			case "exit_code":
				call.failed = call.failed || value != "0"
			}
		}
		if strings.Contains(call.name, "board-hook") {
			out = append(out, call)
		}
	}
	return out
}

func (gemini) hookTimes(w *world) (out []time.Duration) {
	for _, c := range geminiCalls(w) {
		out = append(out, c.took)
	}
	return out
}

func (gemini) complaints(w *world) (out []string) {
	for _, c := range geminiCalls(w) {
		if c.failed {
			out = append(out, fmt.Sprintf("%s: %s failed", c.event, c.name))
		}
	}
	for _, p := range w.processes {
		for _, l := range p.said() {
			if strings.Contains(l.text, "Hook") || strings.Contains(l.text, "hook") {
				out = append(out, l.text)
			}
		}
	}
	return out
}

func (gemini) expects(string) bool { return false }

// knows: it names no turns, and tells nothing of a failure or a kill: what comes next ends the turn.
func (gemini) knows() knows {
	return knows{identity: "declared", failed: "ended/unknown", interrupts: "ended/unknown", killed: "ended/unknown"}
}
