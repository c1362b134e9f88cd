package adapters

import (
	"os"
	"path/filepath"

	"board/internal/runs"
)

// Detect returns the hosts that seem to be used on this machine: their configuration directory exists, or their program
// is found by lookPath.
func Detect(home string, getenv func(string) string, lookPath func(string) (string, error)) (found []string) {
	programs := map[string][]string{
		runs.ClaudeCode: {"claude"}, runs.Codex: {"codex"}, runs.OpenCode: {"opencode"}, runs.Gemini: {"gemini"}, runs.Cursor: {"cursor-agent", "cursor"},
	}
	for _, host := range runs.Hosts() {
		if used(Target{Host: host, Scope: ScopeUser, Home: home, Getenv: getenv}) {
			found = append(found, host)
			continue
		}
		for _, p := range programs[host] {
			if _, err := lookPath(p); err == nil {
				found = append(found, host)
				break
			}
		}
	}
	return found
}

// used reports whether the host's own directory exists.
func used(t Target) bool {
	files, err := t.files()
	if err != nil {
		return false
	}
	for _, f := range files {
		dir := filepath.Dir(f.path)
		if dir == t.Home { // ~/.claude.json
			dir = f.path
		}
		if filepath.Base(dir) == "plugin" {
			dir = filepath.Dir(dir)
		}
		if _, err := os.Stat(dir); err == nil && !(t.Host == runs.Cursor && emptied(dir)) {
			return true
		}
	}
	return false
}

// emptied reports whether nothing is in a directory but what a removal of board left there for Cursor.
func emptied(dir string) bool {
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 || list[0].Name() != cursorHooks {
		return false
	}
	data, err := os.ReadFile(filepath.Join(dir, cursorHooks))
	return err == nil && string(data) == cursorEmpty
}
