package agents

import (
	"strings"

	"board/internal/text"
)

// command puts a command line together. It is complete: a person pastes it into any shell, in any directory.
func command(words ...string) string { return "board " + strings.Join(words, " ") }

// ofSession is the command that shows the runs of a session, which is the name that its host gave: foreign text.
func ofSession(s session) string {
	if text.Visible(s.key, false) != s.key { // it cannot be shown, and so not be pasted
		return command("runs", "--live", "--host", s.host)
	}
	return command("runs", "--session", quote(s.key))
}

// quote makes a word of s that no shell reads as anything else.
func quote(s string) string {
	safe := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || strings.ContainsRune("-_.:/@+", r))
	})
	if safe {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// narrowed adds the project to a command whose other words do not name it.
func (w *world) narrowed(project int64, words ...string) string {
	if p := w.prefix[project]; p != "" {
		words = append(words, "-P", p)
	}
	return command(words...)
}
