package hooks

import "board/internal/runs"

// gemini is the adapter of Gemini CLI. Source: recorded payloads of 0.61.0. It names neither turns nor calls nor agents:
// turns are counted by their prompts, and the time that each event carries tells events apart. It shows what is printed
// to a person unless it is one object, and a context at SessionStart makes it lose the first message of a resumed
// session: there is nothing to say there.
func gemini() adapter {
	return adapter{
		host:    runs.Gemini,
		neutral: "{}",
		want: signs(map[string]int{
			"hook_event_name": maxScalar, "session_id": maxScalar, "cwd": maxScalar, "stop_hook_active": 16, "tool_name": maxScalar,
			"source": maxScalar, "reason": maxScalar, "notification_type": maxScalar, "prompt": maxPrompt,
			"tool_input.file_path": maxScalar, "tool_response.error": 16,
		}),
		decode: decodeGemini,
		encode: func(event string, say runs.Say, text string) []byte {
			if say == runs.Reminder {
				return object("decision", quote("deny"), "reason", quote(text))
			}
			return contextAnswer(event, text)
		},
	}
}

func decodeGemini(f *frame, _ func(string) string) (input, error) {
	if sender(f) != runs.Gemini {
		return input{}, errWrongHost
	}
	in := input{cwd: f.str("cwd"), o: runs.Observation{
		Name:         f.str("hook_event_name"),
		Key:          runs.Key{Host: runs.Gemini, Session: f.id("session_id")},
		Stamp:        f.id("timestamp"),
		Continuation: f.boolean("stop_hook_active"),
	}}
	o := &in.o
	if o.Key.Session == "" {
		return input{}, errNoSession
	}
	switch o.Name {
	case "SessionStart":
		o.Kind, o.Source = runs.OnSessionStart, word(f.str("source"))
	case "BeforeAgent":
		o.Kind, o.CanSay = runs.OnPrompt, true
		o.Empty, o.Marker = promptFlags(f.str("prompt"))
	case "AfterTool":
		in.tool(f)
		in.paths = geminiPaths(f)
	case "AfterAgent":
		o.Kind, o.CanAsk = runs.OnStop, true
	case "Notification":
		o.Kind, o.Detail = runs.OnNotice, word(f.str("notification_type"))
		if o.Detail == "ToolPermission" { // questions of its own come as one too
			o.Asks = runs.AsksApproval
		}
	case "SessionEnd":
		o.Kind, o.Detail = runs.OnSessionEnd, word(f.str("reason"))
	}
	return in, in.unknown()
}

// geminiPaths returns the file that an editing tool changed. A tool that failed is reported as one that ran.
func geminiPaths(f *frame) []string {
	if f.has("tool_response.error") {
		return nil
	}
	switch f.str("tool_name") {
	case "write_file", "replace":
		if p := f.str("tool_input.file_path"); p != "" {
			return []string{p}
		}
	}
	return nil
}
