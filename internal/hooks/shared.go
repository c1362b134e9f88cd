package hooks

import "board/internal/runs"

// shared reads what Claude Code and Codex send under the same names, and the events that mean the same in both. An
// event that it does not know has no kind yet.
func shared(f *frame, host, turnField string) (input, error) {
	in := input{cwd: f.str("cwd"), o: runs.Observation{
		Name:           f.str("hook_event_name"),
		Key:            runs.Key{Host: host, Session: f.id("session_id"), Agent: f.id("agent_id")},
		RawTurn:        f.id(turnField),
		CallID:         f.id("tool_use_id"),
		AgentType:      label(f.str("agent_type")),
		PermissionMode: word(f.str("permission_mode")),
		Continuation:   f.boolean("stop_hook_active"),
	}}
	o := &in.o
	if o.Key.Session == "" {
		return input{}, errNoSession
	}
	if o.Key.Agent == "" {
		o.Key.Turn = o.RawTurn
	}
	switch o.Name {
	case "UserPromptSubmit":
		o.Kind, o.CanSay = runs.OnPrompt, true
	case "PreToolUse", "PostToolUse":
		in.tool(f)
	case "Stop":
		o.Kind, o.CanAsk = runs.OnStop, true
		if o.Key.Agent != "" { // hosts have named the end of a subagent so
			o.Kind, o.CanAsk = runs.OnSubagentStop, false
		}
	case "SubagentStart":
		o.Kind = runs.OnSubagentStart
	case "SubagentStop":
		o.Kind = runs.OnSubagentStop
	case "SessionStart":
		o.Kind, o.Source, o.Key.Turn = runs.OnSessionStart, word(f.str("source")), ""
		if o.Source == "compact" {
			o.Kind, o.CanSay = runs.OnCompaction, true
		}
	case "SessionEnd":
		o.Kind, o.Detail, o.Key.Turn = runs.OnSessionEnd, word(f.str("reason")), ""
	}
	return in, nil
}

// tool makes the input the event of a tool. Names of tools are chosen by hosts and servers, not by models.
func (in *input) tool(f *frame) {
	name := f.str("tool_name")
	in.o.Kind, in.o.Tool, in.o.OwnTool = runs.OnTool, label(name), ownTool(name)
}

// unknown refuses an event that no case knew, and one of a subagent that does not say which.
func (in *input) unknown() error {
	switch k := in.o.Kind; {
	case k == 0, (k == runs.OnSubagentStart || k == runs.OnSubagentStop) && in.o.Key.Agent == "":
		return errUnknownEvent
	}
	return nil
}
