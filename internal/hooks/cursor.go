package hooks

import (
	"runtime"

	"board/internal/runs"
)

// cursor is the adapter of Cursor. Source: documentation and recordings of other people; no payload of it was recorded
// by board. An empty answer was reported to block, so there is always an object and a line end.
func cursor() adapter {
	return adapter{
		host:    runs.Cursor,
		neutral: "{}\n",
		want: signs(map[string]int{
			"hook_event_name": maxScalar, "generation_id": maxScalar, "workspace_roots": maxKept / 4, "is_background_agent": 16,
			"prompt": maxPrompt, "file_path": maxScalar, "tool_name": maxScalar, "tool_use_id": maxScalar, "status": maxScalar,
			"loop_count": 32, "reason": maxScalar,
		}),
		decode: decodeCursor,
		encode: func(_ string, _ runs.Say, text string) []byte {
			return append(object("followup_message", quote(text)), '\n')
		},
	}
}

func decodeCursor(f *frame, _ func(string) string) (input, error) {
	if f.str("cursor_version") == "" || f.str("conversation_id") == "" || sender(f) != runs.Cursor {
		return input{}, errWrongHost
	}
	in := input{o: runs.Observation{
		Name:    f.str("hook_event_name"),
		Key:     runs.Key{Host: runs.Cursor, Session: f.id("conversation_id")},
		RawTurn: f.id("generation_id"),
		Version: version(f.str("cursor_version")),
	}}
	for _, root := range f.list("workspace_roots") {
		in.roots = append(in.roots, drive(root, runtime.GOOS == "windows"))
	}
	o := &in.o
	if o.RawTurn == o.Key.Session { // where there are no turns the host repeats the conversation
		o.RawTurn = ""
	}
	o.Key.Turn = o.RawTurn
	switch o.Name {
	case "sessionStart":
		o.Kind, o.Key.Turn = runs.OnSessionStart, ""
		o.Local = f.is("is_background_agent", "false")
		if f.boolean("is_background_agent") {
			in.cloud = "is_background_agent"
		}
	case "beforeSubmitPrompt":
		o.Kind = runs.OnPrompt
		_, o.Marker = promptFlags(f.str("prompt"))
	case "afterFileEdit":
		o.Kind = runs.OnTool
		if p := f.str("file_path"); p != "" {
			in.paths = []string{drive(p, runtime.GOOS == "windows")}
		}
	case "postToolUse":
		in.tool(f)
		o.CallID = f.id("tool_use_id")
	case "stop":
		in.cursorStop(f)
	case "sessionEnd":
		o.Kind, o.Detail, o.Key.Turn = runs.OnSessionEnd, word(f.str("reason")), ""
	}
	return in, in.unknown()
}

// cursorStop reads the end of an agent loop. One whose status nobody knows is a sign of life and no end.
func (in *input) cursorStop(f *frame) {
	o := &in.o
	o.Detail = word(f.str("status"))
	switch o.Detail {
	case "completed":
		o.Kind, o.Continuation = runs.OnStop, f.number("loop_count") >= 1
		o.CanAsk = !o.Continuation && o.Key.Turn != ""
	case "aborted":
		o.Kind = runs.OnInterrupt
	case "error":
		o.Kind = runs.OnFailure
	default:
		o.Kind = runs.OnNotice
	}
}

// drive makes a path of the form /d:/folder one that Windows knows.
func drive(path string, windows bool) string {
	if windows && len(path) > 2 && path[0] == '/' && path[2] == ':' {
		return path[1:]
	}
	return path
}
