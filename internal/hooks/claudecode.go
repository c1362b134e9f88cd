package hooks

import (
	"strings"

	"board/internal/runs"
)

// contextAnswer is what Claude Code and Codex take as context. Source: recorded answers of Claude Code 2.1.332 and Codex
// 0.171.0; both drop an answer with the wrong event name, and Codex one with any other field.
func contextAnswer(event, text string) []byte {
	return object("hookSpecificOutput", object("hookEventName", quote(event), "additionalContext", quote(text)))
}

// claudeCode is the adapter of Claude Code. Source: recorded payloads of 2.1.332.
func claudeCode() adapter {
	return adapter{
		host:    runs.ClaudeCode,
		neutral: "",
		want: map[string]int{
			"hook_event_name": maxScalar, "session_id": maxScalar, "prompt_id": maxScalar, "agent_id": maxScalar,
			"agent_type": maxScalar, "cwd": maxScalar, "permission_mode": maxScalar, "stop_hook_active": 16,
			"tool_name": maxScalar, "tool_use_id": maxScalar, "source": maxScalar, "reason": maxScalar,
			"notification_type": maxScalar, "error": maxScalar, "background_tasks": maxKept / 2, "prompt": maxPrompt,
			"tool_input.file_path": maxScalar, "tool_input.notebook_path": maxScalar,
			"transcript_path": maxScalar, "turn_id": maxScalar, "conversation_id": maxScalar, "timestamp": maxScalar,
		},
		decode: decodeClaudeCode,
		encode: func(event string, _ runs.Say, text string) []byte { return contextAnswer(event, text) },
	}
}

func decodeClaudeCode(f *frame, env func(string) string) (input, error) {
	name := f.str("hook_event_name")
	// Codex names a turn, and has no transcript in an ephemeral session; Claude Code always has one.
	if f.has("turn_id") || f.null("transcript_path") || f.has("conversation_id") || f.has("timestamp") || strings.Contains(f.str("transcript_path"), "/.codex/") {
		return input{}, errWrongHost
	}
	agent, turn := f.id("agent_id"), f.id("prompt_id")
	in := input{cwd: f.str("cwd"), o: runs.Observation{
		Name:           name,
		Key:            runs.Key{Host: runs.ClaudeCode, Session: f.id("session_id"), Agent: agent},
		RawTurn:        turn,
		CallID:         f.id("tool_use_id"),
		AgentType:      label(f.str("agent_type")),
		Process:        word(env("CLAUDE_PID")),
		Version:        claudeVersion(env("AI_AGENT")),
		PermissionMode: word(f.str("permission_mode")),
		Unattended:     env("CLAUDE_CODE_SESSION_ATTENDED") == "0",
		Continuation:   f.boolean("stop_hook_active"),
	}}
	o := &in.o
	if o.Key.Session == "" {
		return input{}, errNoSession
	}
	if agent == "" {
		o.Key.Turn = turn
	}
	switch name {
	case "UserPromptSubmit":
		o.Kind = runs.OnPrompt
		o.CanSay = true
		o.HostMade = strings.HasPrefix(f.str("prompt"), "<task-notification>")
	case "PreToolUse", "PostToolUse", "PostToolUseFailure":
		o.Kind, o.Tool = runs.OnTool, toolName(f.str("tool_name"))
		o.OwnTool = ownTool(f.str("tool_name"))
		o.Announces = o.OwnTool && name == "PreToolUse"
		if name == "PostToolUse" {
			in.paths = claudePaths(f)
		}
	case "Stop":
		o.Kind, o.CanAsk = runs.OnStop, true
		o.Tasks, o.TasksListed = tasks(f, "background_tasks")
		if agent != "" { // hosts have named the end of a subagent so
			o.Kind, o.CanAsk = runs.OnSubagentStop, false
		}
	case "StopFailure":
		o.Kind, o.Detail = runs.OnFailure, word(f.str("error"))
	case "SubagentStart", "SubagentStop":
		o.Kind = runs.OnSubagentStart
		if name == "SubagentStop" {
			o.Kind = runs.OnSubagentStop
		}
		switch {
		case agent == "":
			return input{}, errUnknownEvent
		case name == "SubagentStop" && o.AgentType == "":
			// The host's own compaction runs as an agent without a type and without a start. It belongs to the session.
			o.Kind, o.CallID, o.Key.Agent = runs.OnCompaction, agent, ""
		}
	case "SessionStart":
		o.Kind, o.Source = runs.OnSessionStart, word(f.str("source"))
		if o.Source == "compact" {
			o.Kind, o.CanSay = runs.OnCompaction, true
		}
		o.Key.Turn = ""
	case "SessionEnd":
		o.Kind, o.Detail = runs.OnSessionEnd, word(f.str("reason"))
		o.Key.Turn = ""
	case "Notification":
		o.Kind, o.Detail = runs.OnNotice, word(f.str("notification_type"))
	default:
		return input{}, errUnknownEvent
	}
	return in, nil
}

// claudePaths returns the file that an editing tool changed.
func claudePaths(f *frame) []string {
	switch f.str("tool_name") {
	case "Edit", "Write", "MultiEdit":
		if p := f.str("tool_input.file_path"); p != "" {
			return []string{p}
		}
	case "NotebookEdit":
		if p := f.str("tool_input.notebook_path"); p != "" {
			return []string{p}
		}
	}
	return nil
}

// toolName keeps the name of a tool for the event's identity: names are chosen by hosts and servers, not by models.
func toolName(s string) string { return label(s) }

// claudeVersion reads the version out of AI_AGENT, such as claude-code_2-1-332_harness.
func claudeVersion(s string) string {
	rest, ok := strings.CutPrefix(s, "claude-code_")
	if !ok {
		return ""
	}
	v, _, _ := strings.Cut(rest, "_")
	return word(v)
}
