package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// install installs board for the host, by board's own installer.
func (w *world) install(ctx context.Context) error {
	err := w.person(ctx, "host", "install", w.host.name())
	if err == nil || !strings.Contains(err.Error(), "there is no command") {
		return err
	}
	return w.installForNow()
}

// installForNow TEMPORARY until board host install exists.
func (w *world) installForNow() error {
	command := w.Program("board-hook") + " --host " + w.host.name() + " --protocol 1"
	groups := args{}
	events := "SessionStart UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure Stop StopFailure SubagentStart SubagentStop SessionEnd Notification"
	if w.host.name() == "codex" {
		events = "SessionStart UserPromptSubmit PostToolUse PermissionRequest Stop Interrupt SubagentStart SubagentStop SessionEnd"
	}
	for _, e := range strings.Fields(events) {
		g := args{"hooks": []args{{"type": "command", "command": command, "timeout": 3}}}
		if e == "PreToolUse" {
			g["matcher"] = "mcp__.*__(kanban|review)[_.][a-z_]+"
		}
		groups[e] = []args{g}
	}
	server := args{"command": w.Program("board"), "args": []string{"mcp"}}
	switch w.host.name() {
	case "claude-code":
		return errors.Join(
			w.patch(filepath.Join(w.Home, ".claude.json"), args{"mcpServers": args{"board": args{"type": "stdio", "command": server["command"], "args": server["args"]}}}),
			w.patch(filepath.Join(w.Home, ".claude", "settings.json"), args{"hooks": groups, "permissions": args{"allow": []string{"mcp__board"}}}),
		)
	case "codex":
		f := filepath.Join(w.Home, ".codex", "config.toml")
		data, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		return errors.Join(
			w.patch(filepath.Join(w.Home, ".codex", "hooks.json"), args{"hooks": groups}),
			os.WriteFile(f, []byte(string(data)+"\n[mcp_servers.board]\ncommand = \""+w.Program("board")+"\"\nargs = [\"mcp\"]\ndefault_tools_approval_mode = \"approve\"\n"), 0o600),
		)
	}
	return errors.New("no installer yet")
}

// removePrograms removes the programs of board.
func (w *world) removePrograms() error {
	return errors.Join(os.Remove(w.Program("board")), os.Remove(w.Program("board-hook")))
}
