package hooks

import (
	"encoding/json"
	"errors"
	"strings"

	"board/internal/runs"
)

// adapter is one host: how its payloads are read, and how it is answered.
type adapter struct {
	host    string
	neutral string         // what to print when there is nothing to say
	want    map[string]int // the allow-list: fields of a payload that are looked at, and the most bytes of each
	decode  func(f *frame, env func(string) string) (input, error)
	encode  func(event string, say runs.Say, text string) []byte
}

// input is a decoded payload: the observation, and what is used but never stored.
type input struct {
	o     runs.Observation
	cwd   string
	paths []string // edited files, absolute or relative to cwd
}

var (
	errUnknownEvent = errors.New("unknown_event")
	errWrongHost    = errors.New("wrong_host")
	errNoSession    = errors.New("no_session_id")
)

// hosts returns every host's adapter: one row each. A row is made when it is asked for, because a hook needs only one.
func hosts() map[string]func() adapter {
	return map[string]func() adapter{runs.ClaudeCode: claudeCode, runs.Codex: codex}
}

func adapterOf(host string) (adapter, bool) {
	if row, ok := hosts()[host]; ok {
		return row(), true
	}
	return adapter{}, false
}

// ownTool reports whether a tool is one of board's, behind whatever server name a person chose.
func ownTool(tool string) bool {
	rest, ok := strings.CutPrefix(tool, "mcp__")
	if !ok {
		return false
	}
	i := strings.LastIndex(rest, "__")
	if i < 0 {
		return false
	}
	switch strings.Replace(rest[i+2:], ".", "_", 1) {
	case "kanban_list", "kanban_get", "kanban_create", "kanban_update", "kanban_note", "kanban_begin_work", "kanban_pause",
		"kanban_resume", "kanban_unclaim", "kanban_request_closure", "review_get", "review_complete":
		return true
	}
	return false
}

// maxLabel bounds an agent type, which is shown.
const maxLabel = 160

// label cuts s to maxLabel bytes at a rune.
func label(s string) string {
	if len(s) <= maxLabel {
		return s
	}
	return strings.ToValidUTF8(s[:maxLabel], "")
}

// word returns s if it looks like a name out of a host's enumeration, else "other": nothing that a person or a model
// wrote may pass through a field that is stored.
func word(s string) string {
	if len(s) > 40 {
		return "other"
	}
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-' {
			return "other"
		}
	}
	return s
}

// tasks reads the background tasks of a Stop: ids, types and states, of those that are not over.
func tasks(f *frame, field string) ([]runs.Task, bool) {
	if !f.has(field) {
		return nil, false
	}
	var raw []struct{ ID, Type, Status string }
	if json.Unmarshal(f.fields[field], &raw) != nil {
		return nil, false
	}
	out := []runs.Task{}
	for _, t := range raw {
		switch t.Status {
		case "completed", "failed", "killed", "stopped", "cancelled", "canceled":
			continue
		}
		if t.ID != "" {
			out = append(out, runs.Task{ID: runs.FitKey(t.ID), Type: word(t.Type), State: word(t.Status)})
		}
	}
	return out, true
}
