package doctor

import (
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"board/internal/adapters"
	"board/internal/runs"
	"board/internal/store"
)

// shell returns how a host runs a command line. Source: the recordings of the hosts on Linux; Cursor's is documented, and
// nothing was recorded on Windows.
func (w World) shell(host, command string) []string {
	if w.Windows {
		if host == runs.Cursor || host == runs.Gemini {
			return []string{"powershell", "-NoProfile", "-Command", command}
		}
		return []string{"cmd", "/d", "/s", "/c", command}
	}
	switch host {
	case runs.Codex: // the account's shell; $SHELL is not asked
		return []string{w.accountShell(), "-c", command}
	case runs.Gemini:
		return []string{"bash", "-c", command}
	case runs.Cursor:
		if s := w.Getenv("SHELL"); isShell(s) {
			return []string{s, "-c", command}
		}
	}
	return []string{"/bin/sh", "-c", command}
}

// accountShell is the shell of the account, as the system has it on record.
func (w World) accountShell() string {
	if u, err := user.Current(); err == nil {
		passwd, _ := os.ReadFile("/etc/passwd")
		for line := range strings.SplitSeq(string(passwd), "\n") {
			f := strings.Split(line, ":")
			if len(f) == 7 && f[0] == u.Username && isShell(f[6]) {
				return f[6]
			}
		}
	}
	if s := w.Getenv("SHELL"); isShell(s) {
		return s
	}
	return "/bin/sh"
}

// isShell reports whether path is a shell that runs commands: accounts of services have a program that refuses.
func isShell(path string) bool {
	switch filepath.Base(path) {
	case "sh", "bash", "zsh", "dash", "ksh", "ash", "fish":
		return filepath.IsAbs(path)
	}
	return false
}

// env is the environment of a hook of the host: the process's own without what speaks of another host or store, what
// the host adds, and the throw-away store.
func (b bench) env(w World, host string) []string {
	var out []string
	for _, kv := range w.Environ {
		name, _, _ := strings.Cut(kv, "=")
		if !hidden(name) {
			out = append(out, kv)
		}
	}
	out = append(out, store.EnvPath+"="+b.path, "XDG_DATA_HOME="+filepath.Join(b.dir, "data"), "LOCALAPPDATA="+filepath.Join(b.dir, "data"))
	switch host {
	case runs.ClaudeCode:
		out = append(out, "CLAUDECODE=1", "CLAUDE_PROJECT_DIR="+b.project, "CLAUDE_CODE_SESSION_ID=board-check", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_CODE_SESSION_ATTENDED=1")
	case runs.OpenCode:
		out = append(out, "AGENT=1", "OPENCODE=1")
	case runs.Gemini:
		out = append(out, "GEMINI_SESSION_ID=board-check", "GEMINI_PROJECT_DIR="+b.project, "GEMINI_CWD="+b.project, "CLAUDE_PROJECT_DIR="+b.project)
	case runs.Cursor:
		out = append(out, "CURSOR_PROJECT_DIR="+b.project, "CURSOR_VERSION=3.0.0", "CLAUDE_PROJECT_DIR="+b.project)
	}
	return out
}

// hidden reports whether a variable speaks of a store, or of the session of a host that the doctor itself may run in.
func hidden(name string) bool {
	if name == store.EnvPath || name == "XDG_DATA_HOME" || name == "LOCALAPPDATA" {
		return true
	}
	for _, prefix := range []string{"CLAUDE", "CODEX_", "OPENCODE", "GEMINI_", "CURSOR_", "AI_AGENT", "AGENT"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// codexHome is where Codex keeps its settings.
func codexHome(t adapters.Target) string {
	if t.Getenv != nil {
		if dir := t.Getenv("CODEX_HOME"); dir != "" {
			return dir
		}
	}
	return filepath.Join(t.Home, ".codex")
}
