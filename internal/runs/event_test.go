package runs_test

import "board/internal/runs"

// mevent is one event, as a test makes it.
type mevent struct {
	kind       string // prompt, host_prompt, start, tool, edit, stop, failure, interrupt, substop, session_end
	turn       string // of a root
	agent      string // of a child
	proc       string
	call       string
	flag       bool
	plan       bool
	tasks      []string
	listed     bool
	spooled    bool
	receivedAt int64
	afterRun   int
}

// observation is the event as the real machine gets it.
func (e mevent) observation(session string, project int64) runs.Observation {
	o := runs.Observation{
		Key: runs.Key{Host: runs.ClaudeCode, Session: session, Agent: e.agent}, RawTurn: e.turn, CallID: e.call,
		Process: e.proc, Continuation: e.flag, ProjectID: project, ReceivedAt: e.receivedAt, Spooled: e.spooled,
		CanAsk: true, CanSay: true, AfterRun: int64(e.afterRun), TasksListed: e.listed, AgentType: "worker",
	}
	if e.agent == "" {
		o.Key.Turn = e.turn
	}
	if e.plan {
		o.PermissionMode = "plan"
	}
	for _, t := range e.tasks {
		o.Tasks = append(o.Tasks, runs.Task{ID: t, State: "running"})
	}
	switch e.kind {
	case "prompt", "host_prompt":
		o.Kind, o.Name, o.HostMade = runs.OnPrompt, "UserPromptSubmit", e.kind == "host_prompt"
	case "start":
		o.Kind, o.Name = runs.OnSubagentStart, "SubagentStart"
	case "tool":
		o.Kind, o.Name, o.Tool = runs.OnTool, "PostToolUse", "Bash"
	case "edit":
		o.Kind, o.Name, o.Tool = runs.OnEdit, "PostToolUse", "Edit"
		o.Edits = []runs.Edit{{ProjectID: project, Path: "a.go"}}
	case "stop":
		o.Kind, o.Name = runs.OnStop, "Stop"
	case "failure":
		o.Kind, o.Name = runs.OnFailure, "StopFailure"
	case "interrupt":
		o.Kind, o.Name = runs.OnInterrupt, "Interrupt"
	case "substop":
		o.Kind, o.Name = runs.OnSubagentStop, "SubagentStop"
	case "session_end":
		o.Kind, o.Name, o.Key.Turn = runs.OnSessionEnd, "SessionEnd", ""
	}
	return o
}
