package hooks

import (
	"time"

	"board/internal/runs"
)

// Event is one event of one host that board registers for: a row of the contract between the two. The installer, the
// doctor, docs/hosts.md and TestVendorContract are made from these rows; nothing else says what is registered.
type Event struct {
	Host    string
	Name    string        // as the host spells it
	Matcher string        // which tools, in the host's own pattern language; "" for all
	Timeout time.Duration // written to the host's configuration, in the unit that the host wants
	Fact    string        // what board learns
	Lost    string        // what board cannot know without it
	Answer  Answer        // what may be printed
}

// Answer is what board may print to an event.
type Answer string

// The answers.
const (
	Silent   Answer = "nothing"  // the host's neutral answer, always
	Context  Answer = "context"  // text for the model, at times
	Question Answer = "reminder" // the reminder of the Stop probe, once per turn
)

// ownTools matches board's own tools, whatever a person called the server.
const ownTools = `mcp__.*__(kanban|review)[_.][a-z_]+`

// hookTimeout is more than a hook ever takes: 3 s of input and half a second of work. Codex cuts its two shortest to 3 s.
const (
	hookTimeout  = 5 * time.Second
	shortTimeout = 3 * time.Second
)

// Contract returns every row, host by host.
func Contract() []Event {
	const c, x, o, g, u = runs.ClaudeCode, runs.Codex, runs.OpenCode, runs.Gemini, runs.Cursor
	return []Event{
		{c, "SessionStart", "", hookTimeout, "a session starts, goes on after a resume or a clear, or was compacted", "rules are not told again after a compaction", Context},
		{c, "UserPromptSubmit", "", hookTimeout, "a turn begins", "runs begin late, at their first tool; no context reaches the model", Context},
		{c, "PreToolUse", ownTools, hookTimeout, "which run calls a tool of board", "calls are declared, not proven", Silent},
		{c, "PostToolUse", "", hookTimeout, "the run works; files that it changed", "long turns are shown as lost; no evidence", Silent},
		{c, "PostToolUseFailure", "", hookTimeout, "the run works", "turns of failing tools are shown as quiet", Silent},
		{c, "Stop", "", hookTimeout, "a turn ends", "turns end by the next prompt or by the clock; no reminder", Question},
		{c, "StopFailure", "", hookTimeout, "a turn or a subagent failed", "a failed turn is shown as lost", Silent},
		{c, "SubagentStart", "", hookTimeout, "a subagent begins", "subagents appear at their first tool, and get no rules", Context},
		{c, "SubagentStop", "", hookTimeout, "a subagent ends", "subagents end with their root, or by the clock", Silent},
		{c, "SessionEnd", "", hookTimeout, "a session ends", "sessions stay open until they are silent for a day", Silent},
		{c, "Notification", "", hookTimeout, "the host waits for a person", "nobody is told that a person is needed", Silent},

		{x, "SessionStart", "", hookTimeout, "a session starts, goes on after a resume or a clear, or was compacted", "rules are not told again after a compaction", Context},
		{x, "UserPromptSubmit", "", hookTimeout, "a turn begins", "runs begin late, at their first tool; no context reaches the model", Context},
		{x, "PostToolUse", "", hookTimeout, "the run works; files that it changed", "long turns are shown as lost; no evidence", Silent},
		{x, "PermissionRequest", "", hookTimeout, "the host waits for a person", "nobody is told that a person is needed", Silent},
		{x, "Stop", "", hookTimeout, "a turn ends", "turns end by the next prompt or by the clock; no reminder", Question},
		{x, "Interrupt", "", shortTimeout, "a person interrupted a turn", "an interrupted turn ends by the next prompt or by the clock", Silent},
		{x, "SubagentStart", "", hookTimeout, "a subagent begins", "subagents appear at their first tool, and get no rules", Context},
		{x, "SubagentStop", "", hookTimeout, "a turn of a subagent ends", "subagents end with their root, or by the clock", Silent},
		{x, "SessionEnd", "", shortTimeout, "a session ends", "sessions stay open until they are silent for a day", Silent},

		{g, "SessionStart", "", hookTimeout, "a session starts, or goes on after a resume or a clear", "the rules are not told again after a resume", Silent},
		{g, "BeforeAgent", "", hookTimeout, "a turn begins", "there are no runs", Context},
		{g, "AfterTool", "", hookTimeout, "the run works; files that it changed", "long turns are shown as lost; no evidence", Silent},
		{g, "AfterAgent", "", hookTimeout, "a turn ends", "turns end by the next prompt or by the clock; no reminder", Question},
		{g, "Notification", "", hookTimeout, "the host waits for a person", "nobody is told that a person is needed", Silent},
		{g, "SessionEnd", "", hookTimeout, "a session ends", "sessions stay open until they are silent for a day", Silent},

		{o, "prompt", "", hookTimeout, "a turn begins (chat.message)", "there are no runs", Context},
		{o, "stop", "", hookTimeout, "a turn ends (the last finished assistant message of it)", "turns end by the next prompt or by the clock", Silent},
		{o, "failure", "", hookTimeout, "a turn failed", "a failed turn is shown as lost", Silent},
		{o, "interrupt", "", hookTimeout, "a person interrupted a turn", "an interrupted turn ends by the clock", Silent},
		{o, "subagent_start", "", hookTimeout, "a subagent begins (chat.message of a child session)", "subagents appear at their first tool, and get no rules", Context},
		{o, "subagent_stop", "", hookTimeout, "a subagent ends", "subagents end with their root, or by the clock", Silent},
		{o, "tool", "", hookTimeout, "the run works; files that it changed (tool.execute.after)", "long turns are shown as lost; no evidence", Silent},
		{o, "notice", "", hookTimeout, "the host waits for a person (permission.asked, permission.replied)", "nobody is told that a person is needed", Silent},
		{o, "compaction", "", hookTimeout, "the session was compacted (session.compacted)", "the rules are not told again after a compaction", Context},
		{o, "session_end", "", hookTimeout, "a session was deleted", "sessions stay open until they are silent for a day", Silent},

		{u, "sessionStart", "", hookTimeout, "a session starts that is no subagent and runs on this machine", "no reminder; runs without prompts (print mode) are not seen", Silent},
		{u, "beforeSubmitPrompt", "", hookTimeout, "a turn begins", "there are no runs in the editor", Silent},
		{u, "afterFileEdit", "", hookTimeout, "a file was changed", "no evidence", Silent},
		{u, "postToolUse", `^MCP:(kanban|review)_[a-z_]+$`, hookTimeout, "the run works, if only with board", "turns that only use board are shown as quiet", Silent},
		{u, "stop", "", hookTimeout, "a turn ends", "turns end by the next prompt or by the clock; no reminder", Question},
		{u, "sessionEnd", "", hookTimeout, "a session ends", "sessions stay open until they are silent for a day", Silent},
	}
}

// ContractOf returns the rows of one host.
func ContractOf(host string) (rows []Event) {
	for _, e := range Contract() {
		if e.Host == host {
			rows = append(rows, e)
		}
	}
	return rows
}
