package hooks

import (
	"errors"

	"board/internal/runs"
)

// PluginStamp is the version of what board's opencode plugin sends and of what it is answered. A plugin file with
// another one was installed by another board: it is not understood, and says so in doctor.
const PluginStamp = "1"

var errStamp = errors.New("identity_mismatch")

// openCode is the adapter of opencode. The host runs no hooks: board's own plugin decides what happened, from the bus of
// 1.18.33 as recorded, and sends one small object per event. A child session is a subagent of the session at its root.
func openCode() adapter {
	return adapter{
		host:    runs.OpenCode,
		neutral: "{}",
		want: signs(map[string]int{
			"host": 16, "version": maxScalar, "pid": maxScalar, "event": maxScalar, "id": maxScalar, "session": maxScalar,
			"turn": maxScalar, "agent": maxScalar, "agent_type": maxScalar, "cwd": maxScalar, "tool": maxScalar, "call_id": maxScalar,
			"paths": maxKept / 2, "notice": maxScalar, "reason": maxScalar, "host_made": 16,
		}),
		decode: decodeOpenCode,
		encode: func(_ string, _ runs.Say, text string) []byte { return object("context", quote(text)) },
	}
}

func decodeOpenCode(f *frame, _ func(string) string) (input, error) {
	switch {
	case sender(f) != runs.OpenCode || f.str("host") != runs.OpenCode:
		return input{}, errWrongHost
	case f.str("plugin") != PluginStamp:
		return input{}, errStamp
	}
	in := input{cwd: f.str("cwd"), o: runs.Observation{
		Name:      f.str("event"),
		Key:       runs.Key{Host: runs.OpenCode, Session: f.id("session"), Agent: f.id("agent")},
		RawTurn:   f.id("turn"),
		GivenID:   f.id("id"),
		CallID:    f.id("call_id"),
		AgentType: label(f.str("agent_type")),
		Process:   word(f.str("pid")),
		Version:   version(f.str("version")),
		Detail:    word(f.str("reason")),
	}}
	o := &in.o
	in.pid = pidOf(o.Process)
	if o.Key.Session == "" {
		return input{}, errNoSession
	}
	if o.Key.Agent == "" {
		o.Key.Turn = o.RawTurn
	}
	switch o.Name {
	case "prompt":
		o.Kind, o.CanSay, o.HostMade = runs.OnPrompt, true, f.str("host_made") == "1"
	case "stop":
		o.Kind = runs.OnStop
		if o.Key.Agent != "" {
			o.Kind = runs.OnSubagentStop
		}
	case "failure":
		o.Kind = runs.OnFailure
	case "interrupt":
		o.Kind = runs.OnInterrupt
	case "subagent_start":
		o.Kind = runs.OnSubagentStart
	case "subagent_stop":
		o.Kind = runs.OnSubagentStop
	case "tool":
		name := f.str("tool")
		o.Kind, o.Tool, o.OwnTool = runs.OnTool, label(name), ownTool(name)
		in.paths = f.list("paths")
	case "notice":
		o.Kind, o.Detail = runs.OnNotice, word(f.str("notice"))
		switch o.Detail {
		case "permission_asked":
			o.Asks = runs.AsksApproval
		case "question_asked":
			o.Asks = runs.AsksAnswer
		}
	case "compaction":
		o.Kind, o.CanSay = runs.OnCompaction, true
	case "session_end":
		o.Kind = runs.OnSessionEnd
	}
	if o.Kind == runs.OnCompaction || o.Kind == runs.OnSessionEnd {
		o.Key.Turn, o.Key.Agent = "", ""
	}
	return in, in.unknown()
}
