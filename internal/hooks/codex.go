package hooks

import (
	"strings"

	"board/internal/runs"
)

// codex is the adapter of Codex CLI. Source: recorded payloads of 0.171.0. The host gives no process id, and its hooks
// may run in a daemon with another session's environment: nothing is taken from it.
func codex() adapter {
	return adapter{
		host:    runs.Codex,
		neutral: "",
		want: signs(map[string]int{
			"hook_event_name": maxScalar, "session_id": maxScalar, "agent_id": maxScalar,
			"agent_type": maxScalar, "cwd": maxScalar, "permission_mode": maxScalar, "stop_hook_active": 16,
			"tool_name": maxScalar, "tool_use_id": maxScalar, "source": maxScalar, "reason": maxScalar, "prompt": maxPrompt,
			"tool_input.command": maxKept / 2,
		}),
		decode: decodeCodex,
		encode: func(event string, say runs.Say, text string) []byte {
			if say == runs.Reminder { // it refuses additionalContext on Stop
				return object("decision", quote("block"), "reason", quote(text))
			}
			return contextAnswer(event, text)
		},
	}
}

func decodeCodex(f *frame, _ func(string) string) (input, error) {
	name := f.str("hook_event_name")
	if host := sender(f); host != runs.Codex && host != "" {
		return input{}, errWrongHost
	}
	in, err := shared(f, runs.Codex, "turn_id")
	if err != nil {
		return input{}, err
	}
	o := &in.o
	o.Unattended = f.str("permission_mode") == "bypassPermissions"
	in.program = "codex"
	switch name {
	case "PostToolUse":
		if f.str("tool_name") == "apply_patch" {
			in.paths = patchPaths(f.str("tool_input.command"))
		}
	case "Interrupt":
		o.Kind = runs.OnInterrupt
	case "PermissionRequest":
		o.Kind, o.Detail = runs.OnNotice, "permission_request"
		if !o.Unattended { // else nobody is asked, and the host refuses by itself
			o.Asks = runs.AsksApproval
		}
	}
	return in, in.unknown()
}

// codexNotify reads what Codex gives its notify program after a good turn, and after the hidden one that makes a title. It
// creates no run: it is a witness that Codex works where its hooks are not trusted.
func codexNotify() adapter {
	a := codex()
	a.want = map[string]int{"type": maxScalar, "cwd": maxScalar, "thread-id": maxScalar}
	a.decode = func(f *frame, _ func(string) string) (input, error) {
		if f.str("type") != "agent-turn-complete" {
			return input{}, errUnknownEvent
		}
		return input{cwd: f.str("cwd"), witness: true, o: runs.Observation{
			Name: "notify", Key: runs.Key{Host: runs.Codex, Session: f.id("thread-id")},
		}}, nil
	}
	return a
}

// patchPaths returns the files that a patch in the apply_patch format names, moved ones under both names.
func patchPaths(patch string) []string {
	var out []string
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		for _, mark := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
			if p, ok := strings.CutPrefix(line, mark); ok && p != "" {
				out = append(out, p)
			}
		}
	}
	return out
}
