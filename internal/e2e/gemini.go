package main

import (
	"encoding/json"
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
func geminiModel() []string { return []string{"-m", "gemini-2.5-pro", "--approval-mode", "yolo"} }

func (g gemini) headless(w *world, prompt string, resume bool) []string {
	if resume {
		return g.resumes(w, "latest", prompt)
	}
	return append([]string{"-p", prompt, "--output-format", "json"}, geminiModel()...)
}

func (gemini) resumes(_ *world, session, prompt string) []string {
	return append([]string{"-p", prompt, "--output-format", "json", "--resume", session}, geminiModel()...)
}

// badHook puts a hook of somebody else beside board's that fails.
func (gemini) badHook(w *world) error {
	bad, err := json.Marshal(args{"hooks": args{"BeforeAgent": []args{{"hooks": []args{{"type": "command", "name": "foreign", "command": "exit 1"}}}}}})
	if err != nil {
		return err
	}
	return w.write(filepath.Join(w.Repo, ".gemini", "settings.json"), string(bad))
}

// session is in the JSON that a headless run prints.
func (gemini) session(_ *world, p *process) string {
	var out struct {
		Session string `json:"session_id"`
	}
	if err := json.Unmarshal([]byte(p.stdout()), &out); err != nil {
		return ""
	}
	return out.Session
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

// geminiHook is what the telemetry says of a hook. Board's own is named so by its installer.
var geminiHook = regexp.MustCompile(`"Hook call (\w+)\.([^"]+) (succeeded|failed) in (\d+)ms"`)

func (gemini) hookTimes(w *world) (out []time.Duration) {
	for _, m := range geminiHook.FindAllStringSubmatch(fileText(w.path("telemetry")), -1) {
		if ms, err := strconv.Atoi(m[4]); err == nil && m[2] == "board" {
			out = append(out, time.Duration(ms)*time.Millisecond)
		}
	}
	return out
}

// complaints are failed hooks, and what the host shows of a hook to the person.
func (gemini) complaints(w *world) (out []string) {
	for _, m := range geminiHook.FindAllStringSubmatch(fileText(w.path("telemetry")), -1) {
		if m[3] != "succeeded" {
			out = append(out, m[0])
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
	return knows{identity: "declared", failed: "ended/unknown", interrupts: "ended/unknown", missing: "correlation"}
}
