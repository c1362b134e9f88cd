package adapters

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/pelletier/go-toml/v2"

	"board/internal/runs"
)

// blocked finds what keeps the hooks or the tools of a host from running although they are written. It looks into files
// that board never writes, and takes one that it cannot read for silent.
func (t Target) blocked(found Found) (list []Block) {
	add := func(path string, all bool, reason string) {
		list = append(list, Block{Path: path, Reason: reason, All: all})
	}
	switch t.Host {
	case runs.ClaudeCode:
		t.claudeBlocks(found, add)
	case runs.Codex:
		t.codexBlocks(found, add)
	case runs.Gemini:
		t.geminiBlocks(found, add)
	case runs.OpenCode:
		for _, f := range found.Files {
			if v := at(readTree(f.Path), "mcp", found.ServerName, "enabled"); v == false {
				add(f.Path, false, "board's server is switched off")
			}
		}
	}
	return list
}

func (t Target) claudeBlocks(found Found, add func(string, bool, string)) {
	for _, path := range t.claudePolicies() {
		tree := readTree(path)
		if tree["allowManagedHooksOnly"] == true {
			add(path, true, "the administrator allows managed hooks only")
		}
		if tree["allowManagedPermissionRulesOnly"] == true {
			add(path, false, "the administrator allows managed permission rules only")
		}
		if allowed, ok := tree["allowedMcpServers"].([]any); ok && !named(allowed, found.ServerName) {
			add(path, false, "board's server is not among the servers that the administrator allows")
		}
		if denied, ok := tree["deniedMcpServers"].([]any); ok && named(denied, found.ServerName) {
			add(path, false, "the administrator denies board's server")
		}
	}
	for _, path := range append(t.claudePolicies(), t.claudeSettings()...) {
		tree := readTree(path)
		if tree["disableAllHooks"] == true {
			add(path, true, "all hooks are switched off")
		}
		for _, list := range []string{"deny", "ask"} {
			rules, _ := at(tree, "permissions", list).([]any)
			if tool := claudeTools(found.ServerName); slices.ContainsFunc(rules, func(r any) bool { return r == tool || r == tool+"__*" }) {
				add(path, false, "the rule "+list+" stands against board's tools")
			}
		}
		if off, ok := tree["disabledMcpjsonServers"].([]any); ok && t.Scope == ScopeProject && slices.Contains(off, any(found.ServerName)) {
			add(path, false, "board's server is rejected for this project")
		}
	}
}

// claudeSettings are the settings of a session, besides the administrator's.
func (t Target) claudeSettings() (list []string) {
	if dir, err := t.env("CLAUDE_CONFIG_DIR", filepath.Join(t.Home, ".claude")); err == nil {
		list = append(list, filepath.Join(dir, "settings.json"))
	}
	if t.Project != "" {
		list = append(list, filepath.Join(t.Project, ".claude", "settings.json"), filepath.Join(t.Project, ".claude", "settings.local.json"))
	}
	return list
}

// claudePolicies are the files of the machine's administrator.
func (t Target) claudePolicies() []string {
	dir := "/etc/claude-code"
	switch runtime.GOOS {
	case "darwin":
		dir = "/Library/Application Support/ClaudeCode"
	case "windows":
		dir = `C:\Program Files\ClaudeCode`
	}
	dir = t.Root + dir
	more, err := filepath.Glob(filepath.Join(escape(dir), "managed-settings.d", "*.json"))
	if err != nil {
		more = nil
	}
	return append([]string{filepath.Join(dir, "managed-settings.json")}, more...)
}

// named reports whether a list of servers, as names or as {"serverName": …}, has one.
func named(list []any, server string) bool {
	return slices.ContainsFunc(list, func(v any) bool {
		m, _ := v.(map[string]any)
		return v == any(server) || m["serverName"] == server
	})
}

func (t Target) codexBlocks(found Found, add func(string, bool, string)) {
	path, tree := t.codexConfig()
	if path == "" {
		return
	}
	if at(tree, "features", "hooks") == false {
		add(path, true, "the feature hooks is switched off")
	}
	if server, ok := at(tree, tomlServers, found.ServerName).(map[string]any); ok && server["enabled"] == false {
		add(path, false, "board's server is switched off")
	}
	if t.Scope == ScopeProject && at(tree, "projects", t.Project, "trust_level") != "trusted" {
		add(path, true, "the project is not trusted, and Codex does not read its files")
	}
}

// codexConfig is the user's config.toml and what it says; the path is "" where it says nothing.
func (t Target) codexConfig() (path string, tree map[string]any) {
	dir, err := t.codexDir()
	if err != nil {
		return "", nil
	}
	path, tree = filepath.Join(dir, "config.toml"), map[string]any{}
	if data, err := os.ReadFile(path); err != nil || toml.Unmarshal(bytes.TrimPrefix(data, []byte(bom)), &tree) != nil {
		return "", nil
	}
	return path, tree
}

// noted returns the keys that have a hash in [hooks.state] of the user's config.toml, whatever it is.
func (t Target) noted(keys []string) (list []string) {
	_, tree := t.codexConfig()
	for _, k := range keys {
		if hash, ok := at(tree, "hooks", "state", k, "trusted_hash").(string); ok && hash != "" {
			list = append(list, k)
		}
	}
	return list
}

func (t Target) geminiBlocks(found Found, add func(string, bool, string)) {
	dir, err := t.geminiDir()
	if err != nil {
		return
	}
	paths := []string{t.Root + "/etc/gemini-cli/settings.json", filepath.Join(dir, "settings.json")}
	if t.Project != "" {
		paths = append(paths, filepath.Join(t.Project, ".gemini", "settings.json"))
	}
	for _, path := range paths {
		tree := readTree(path)
		for _, hooks := range []any{tree["hooksConfig"], tree["hooks"]} { // the second is an older spelling
			m, _ := hooks.(map[string]any)
			if m["enabled"] == false {
				add(path, true, "hooks are switched off")
			}
			off, _ := m["disabled"].([]any)
			if slices.ContainsFunc(off, func(v any) bool { return v == geminiName || ours(text(v)) }) {
				add(path, true, "board's hook is switched off by its name")
			}
		}
		if allowed, ok := at(tree, "mcp", "allowed").([]any); ok && !slices.Contains(allowed, any(found.ServerName)) {
			add(path, false, "board's server is not among the servers that are allowed")
		}
		if excluded, ok := at(tree, "mcp", "excluded").([]any); ok && slices.Contains(excluded, any(found.ServerName)) {
			add(path, false, "board's server is excluded")
		}
	}
}

// at walks into objects, nil where the path ends.
func at(tree any, path ...string) any {
	for _, key := range path {
		m, ok := tree.(map[string]any)
		if !ok {
			return nil
		}
		tree = m[key]
	}
	return tree
}

// readTree reads a JSON file, with nothing in it if it cannot be read.
func readTree(path string) map[string]any {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	d, err := parseJSON(data)
	if err != nil || d.blank {
		return nil
	}
	tree, _ := decode(d.text, &d.root).(map[string]any)
	return tree
}
