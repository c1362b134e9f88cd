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
		want: signs(map[string]int{
			"hook_event_name": maxScalar, "session_id": maxScalar, "agent_id": maxScalar,
			"agent_type": maxScalar, "cwd": maxScalar, "permission_mode": maxScalar, "stop_hook_active": 16,
			"tool_name": maxScalar, "tool_use_id": maxScalar, "source": maxScalar, "reason": maxScalar,
			"notification_type": maxScalar, "error": maxScalar, "background_tasks": maxKept / 2, "prompt": maxPrompt,
			"tool_input.file_path": maxScalar, "tool_input.notebook_path": maxScalar,
		}),
		decode: decodeClaudeCode,
		encode: func(event string, _ runs.Say, text string) []byte { return contextAnswer(event, text) },
	}
}

func decodeClaudeCode(f *frame, env func(string) string) (input, error) {
	name := f.str("hook_event_name")
	if host := sender(f); host != runs.ClaudeCode && host != "" {
		return input{}, errWrongHost
	}
	in, err := shared(f, runs.ClaudeCode, "prompt_id")
	if err != nil {
		return input{}, err
	}
	o := &in.o
	o.Process, o.Version = word(env("CLAUDE_PID")), claudeVersion(env("AI_AGENT"))
	o.Unattended = env("CLAUDE_CODE_SESSION_ATTENDED") == "0"
	in.pid = pidOf(o.Process)
	if env("CLAUDE_CODE_REMOTE") == "true" { // documented for sessions on the web; never seen by us
		in.cloud = "CLAUDE_CODE_REMOTE"
	}
	switch name {
	case "UserPromptSubmit":
		o.HostMade = strings.HasPrefix(f.str("prompt"), "<task-notification>")
	case "PreToolUse":
		o.Announces = o.OwnTool
	case "PostToolUse":
		in.paths = claudePaths(f)
	case "PostToolUseFailure":
		in.tool(f)
	case "Stop":
		o.Tasks, o.TasksListed = tasks(f, "background_tasks")
	case "StopFailure":
		o.Kind, o.Detail = runs.OnFailure, word(f.str("error"))
	case "SubagentStop":
		if o.AgentType == "" && o.Key.Agent != "" {
			// The host's own compaction runs as an agent without a type and without a start. It belongs to the session.
			o.Kind, o.CallID, o.Key.Agent = runs.OnCompaction, o.Key.Agent, ""
		}
	case "Notification":
		o.Kind, o.Detail = runs.OnNotice, word(f.str("notification_type"))
		o.Asks = claudeAsks(o.Detail)
	}
	return in, in.unknown()
}

// claudeAsks says what a notice waits for. The one of a permission comes 6 s after its dialog, the one of an idle prompt a
// minute after a turn; the latter without a recorded Stop means that a person pressed Esc, which fires nothing.
func claudeAsks(notice string) runs.Ask {
	switch notice {
	case "permission_prompt":
		return runs.AsksApproval
	case "idle_prompt", "agent_needs_input", "elicitation_dialog":
		return runs.AsksAnswer
	}
	return runs.AsksNothing
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

// claudeVersion reads the version out of AI_AGENT, such as claude-code_2-1-332_harness.
func claudeVersion(s string) string {
	rest, ok := strings.CutPrefix(s, "claude-code_")
	if !ok {
		return ""
	}
	v, _, _ := strings.Cut(rest, "_")
	return word(v)
}
