package hooks

import (
	"encoding/json"
	"path/filepath"
	"time"

	"board/internal/runs"
)

// Place is the made-up session that samples speak of.
type Place struct {
	Session string
	Cwd     string // an absolute directory
	At      time.Time
}

// Sample returns what the host sends for an event: the fields of its recordings (of Cursor, of its documentation), with
// made-up ids and no text of anybody. host check feeds it to the command that is installed.
func Sample(e Event, p Place) ([]byte, error) {
	m := map[string]any{}
	switch e.Host {
	case runs.ClaudeCode:
		m = sampleClaudeCode(e.Name, p)
	case runs.Codex:
		m = sampleCodex(e.Name, p)
	case runs.Gemini:
		m = sampleGemini(e.Name, p)
	case runs.Cursor:
		m = sampleCursor(e.Name, p)
	case runs.OpenCode:
		m = sampleOpenCode(e.Name, p)
	}
	return json.Marshal(m)
}

// with adds what only some events have.
func with(m map[string]any, pairs ...any) map[string]any {
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

// Ids in samples. They prove nothing and name nobody.
const (
	sampleTurn  = "board-check-turn"
	sampleAgent = "board-check-agent"
	sampleCall  = "board-check-call"
)

func sampleClaudeCode(name string, p Place) map[string]any {
	m := map[string]any{
		"session_id": p.Session, "transcript_path": filepath.Join(p.Cwd, "transcript.jsonl"), "cwd": p.Cwd, "hook_event_name": name,
	}
	if name == "SessionStart" {
		return with(m, "source", "startup")
	}
	with(m, "prompt_id", sampleTurn, "permission_mode", "default")
	switch name {
	case "UserPromptSubmit":
		with(m, "prompt", "check")
	case "PreToolUse":
		with(m, "tool_name", "mcp__board__kanban_list", "tool_input", map[string]any{}, "tool_use_id", sampleCall)
	case "PostToolUse":
		with(m, "tool_name", "Bash", "tool_input", map[string]any{"command": "true"}, "tool_response", map[string]any{}, "tool_use_id", sampleCall+"-2")
	case "PostToolUseFailure":
		with(m, "tool_name", "Bash", "tool_input", map[string]any{"command": "false"}, "tool_use_id", sampleCall+"-3", "error", "exit 1", "is_interrupt", false)
	case "Stop":
		with(m, "stop_hook_active", false, "last_assistant_message", "checked", "background_tasks", []any{}, "session_crons", []any{})
	case "StopFailure":
		with(m, "error", "server_error", "last_assistant_message", "check")
	case "SubagentStart":
		with(m, "agent_id", sampleAgent, "agent_type", "worker")
	case "SubagentStop":
		with(m, "agent_id", sampleAgent, "agent_type", "worker", "stop_hook_active", false, "background_tasks", []any{}, "session_crons", []any{})
	case "SessionEnd":
		with(m, "reason", "other")
	case "Notification":
		with(m, "notification_type", "idle_prompt", "message", "check")
	}
	return m
}

func sampleCodex(name string, p Place) map[string]any {
	m := map[string]any{"session_id": p.Session, "transcript_path": nil, "cwd": p.Cwd, "hook_event_name": name}
	if name == "SessionEnd" {
		return with(m, "reason", "other")
	}
	with(m, "model", "check", "permission_mode", "default")
	if name == "SessionStart" {
		return with(m, "source", "startup")
	}
	with(m, "turn_id", sampleTurn)
	switch name {
	case "UserPromptSubmit":
		with(m, "prompt", "check")
	case "PostToolUse":
		with(m, "tool_name", "Bash", "tool_input", map[string]any{"command": "true"}, "tool_response", "", "tool_use_id", sampleCall)
	case "PermissionRequest":
		with(m, "tool_name", "Bash", "tool_input", map[string]any{"command": "true"})
	case "Stop":
		with(m, "stop_hook_active", false, "last_assistant_message", "checked")
	case "SubagentStart":
		with(m, "turn_id", sampleTurn+"-2", "agent_id", sampleAgent, "agent_type", "worker")
	case "SubagentStop":
		with(m, "turn_id", sampleTurn+"-2", "agent_id", sampleAgent, "agent_type", "worker", "stop_hook_active", false, "last_assistant_message", "checked")
	}
	return m
}

func sampleGemini(name string, p Place) map[string]any {
	m := map[string]any{
		"session_id": p.Session, "transcript_path": filepath.Join(p.Cwd, "session.jsonl"), "cwd": p.Cwd, "hook_event_name": name,
		"timestamp": p.At.UTC().Format("2006-01-02T15:04:05.000Z"),
	}
	switch name {
	case "SessionStart":
		with(m, "source", "startup")
	case "BeforeAgent":
		with(m, "prompt", "check")
	case "AfterTool":
		with(m, "tool_name", "run_shell_command", "tool_input", map[string]any{"command": "true"}, "tool_response", map[string]any{"llmContent": ""})
	case "AfterAgent":
		with(m, "prompt", "check", "prompt_response", "checked", "stop_hook_active", false)
	case "Notification":
		with(m, "notification_type", "ToolPermission", "message", "check", "details", map[string]any{"type": "exec"})
	case "SessionEnd":
		with(m, "reason", "exit")
	}
	return m
}

func sampleCursor(name string, p Place) map[string]any {
	m := map[string]any{
		"conversation_id": p.Session, "generation_id": sampleTurn, "model": "check", "hook_event_name": name, "cursor_version": "3.0.0",
		"workspace_roots": []string{p.Cwd}, "user_email": nil, "transcript_path": nil,
	}
	switch name {
	case "sessionStart":
		with(m, "generation_id", "", "session_id", p.Session, "is_background_agent", false, "composer_mode", "agent")
	case "beforeSubmitPrompt":
		with(m, "prompt", "check", "attachments", []any{})
	case "afterFileEdit":
		with(m, "file_path", filepath.Join(p.Cwd, "check.txt"), "edits", []any{})
	case "postToolUse":
		with(m, "tool_name", "MCP:kanban_list", "tool_input", map[string]any{}, "tool_output", "{}", "tool_use_id", sampleCall, "cwd", p.Cwd, "duration", 1)
	case "stop":
		with(m, "status", "completed", "loop_count", 0)
	case "sessionEnd":
		with(m, "generation_id", "", "session_id", p.Session, "reason", "completed", "duration_ms", 1, "is_background_agent", false, "final_status", "none")
	}
	return m
}

// sampleOpenCode is what board's own plugin sends.
func sampleOpenCode(name string, p Place) map[string]any {
	m := map[string]any{
		"host": runs.OpenCode, "plugin": PluginStamp, "version": "1.0.0", "pid": "0", "event": name, "id": "board-check-" + name, "session": p.Session,
		"cwd": p.Cwd,
	}
	if name == "session_end" || name == "compaction" {
		return m
	}
	with(m, "turn", sampleTurn)
	switch name {
	case "tool":
		with(m, "tool", "bash", "call_id", sampleCall, "paths", []string{})
	case "notice":
		with(m, "notice", "permission")
	case "subagent_start", "subagent_stop":
		with(m, "turn", "", "agent", sampleAgent, "agent_type", "general")
	}
	return m
}
