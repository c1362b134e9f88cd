package hooks

import (
	"encoding/json"
	"errors"
	"strings"

	"board/internal/projects"
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
	roots []string      // of a host that names the folders of its workspace and no cwd
	paths []string      // edited files, absolute or relative to cwd
	spot  projects.Spot // of cwd, or of the folder of the workspace that is in a project

	pid     int    // of the host, as it says; 0 unknown
	program string // what the host's process is called, where it does not say which it is
	cloud   string // the sign that the host runs in its vendor's cloud, "" for none

	witness bool // no event of a hook: it only shows that the host is at work
}

var (
	errUnknownEvent = errors.New("unknown_event")
	errWrongHost    = errors.New("wrong_host")
	errNoSession    = errors.New("no_session_id")
)

// hosts returns every host's adapter: one row each. A row is made when it is asked for, because a hook needs only one.
func hosts() map[string]func() adapter {
	return map[string]func() adapter{
		runs.ClaudeCode: claudeCode, runs.Codex: codex, runs.OpenCode: openCode, runs.Gemini: gemini, runs.Cursor: cursor,
	}
}

func adapterOf(host string) (adapter, bool) {
	if row, ok := hosts()[host]; ok {
		return row(), true
	}
	return adapter{}, false
}

// witnessOf returns the adapter for what a host tells by another way than its hooks.
func witnessOf(host string) (adapter, bool) {
	if host != runs.Codex {
		return adapter{}, false
	}
	return codexNotify(), true
}

// signs adds to an allow-list the fields that tell the hosts apart.
func signs(want map[string]int) map[string]int {
	for _, name := range []string{"plugin", "cursor_version", "conversation_id", "timestamp", "turn_id", "prompt_id", "transcript_path"} {
		want[name] = maxScalar
	}
	return want
}

// sender returns the host that a payload is from, whatever the command line says: Cursor runs the hooks that it finds in
// Claude Code's files, and more than one host reads the other's. It is "" where the payload fits both Claude Code and
// Codex, and "nobody" where it fits none.
func sender(f *frame) string {
	switch {
	case f.has("plugin"):
		return runs.OpenCode
	case f.has("cursor_version"), f.has("conversation_id"):
		return runs.Cursor
	case f.has("timestamp"):
		return runs.Gemini
	}
	// Codex names a turn, and has no transcript in an ephemeral session; Claude Code always has one.
	transcript := f.str("transcript_path")
	isCodex := f.has("turn_id") || f.null("transcript_path") || strings.Contains(transcript, "/.codex/")
	isClaude := f.has("prompt_id") || strings.Contains(transcript, "/.claude/")
	switch {
	case isCodex && isClaude:
		return "nobody"
	case isCodex:
		return runs.Codex
	case isClaude:
		return runs.ClaudeCode
	}
	return ""
}

// ownTool reports whether a tool is one of board's, behind whatever name a person gave the server and in whatever way
// the host puts the two together: mcp__board__kanban_list, mcp_board_kanban.list, board_kanban_list, MCP:kanban_list.
func ownTool(tool string) bool {
	if rest, ok := strings.CutPrefix(tool, "mcp__"); ok {
		i := strings.LastIndex(rest, "__")
		return i >= 0 && ownName(rest[i+2:], "")
	}
	if rest, ok := strings.CutPrefix(tool, "MCP:"); ok {
		return ownName(rest, "")
	}
	return ownName(tool, "_")
}

// ownName reports whether name is that of one of board's tools, after a server's name that ends in sep.
func ownName(name, sep string) bool {
	for _, own := range []string{
		"kanban_list", "kanban_get", "kanban_create", "kanban_update", "kanban_note", "kanban_begin_work", "kanban_pause",
		"kanban_resume", "kanban_unclaim", "kanban_request_closure", "review_get", "review_complete",
	} {
		for _, spelling := range []string{own, strings.Replace(own, "_", ".", 1)} {
			if name == spelling && sep == "" || sep != "" && strings.HasSuffix(name, sep+spelling) {
				return true
			}
		}
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

// version returns s if it looks like a version, else "other".
func version(s string) string {
	if strings.Trim(s, ".+") != s {
		return "other"
	}
	if plain := word(strings.NewReplacer(".", "", "+", "").Replace(s)); plain == "other" || len(s) > 40 {
		return "other"
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
