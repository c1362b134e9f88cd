package runs

import "strings"

// ResumeLine returns the command by which a person goes on with a conversation in its host, to be pasted into a shell in
// the work tree where the conversation was held: hosts look it up by that. It is "" for a host that has no such command,
// and for an id that a host or a shell could take for anything but an id.
//
// Each was run with the older of two conversations, and went on with it: Claude Code 2.1.332, Codex 0.171.0, opencode
// 1.18.33, Gemini CLI 0.61.0 (whose help speaks of an index only). Cursor's is known from its documentation alone, and
// goes on in the terminal with what was begun there.
func ResumeLine(host, session string) string {
	if !plainID(session) {
		return ""
	}
	switch host {
	case ClaudeCode:
		return "claude --resume " + session
	case Codex:
		return "codex resume " + session
	case OpenCode:
		return "opencode --session " + session
	case Gemini:
		if session == "latest" || strings.Trim(session, "0123456789") == "" { // a place in its list, and another conversation
			return ""
		}
		return "gemini --resume " + session
	case Cursor:
		return "cursor-agent --resume " + session
	}
	return ""
}

// plainID reports whether an id stands for itself in a command: no flag, nothing that a shell reads, and no digest that
// is stored in the place of a longer id.
func plainID(id string) bool {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-"
	return id != "" && id[0] != '-' && strings.Trim(id, plain) == "" && !strings.HasPrefix(id, "sha256:")
}
