package adapters

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tailscale/hujson"

	"board/internal/fault"
	"board/internal/hooks"
	"board/internal/runs"
)

// file is one file of a host that board writes to, with the things that it holds.
type file struct {
	path  string
	what  []What
	mode  fs.FileMode // of a file that board creates: as the host itself would
	parts []jsonPart  // of a JSON file
	toml  *tomlServer // of Codex's config.toml
	own   bool        // the whole file is board's: the plugin
	name  string      // of board's server, where rules of the file name it

	// check says why a file that board would understand is none that the host reads; nil: it reads the same.
	check func(*jsonDoc) error
}

// jsonPart is one thing in a JSON file.
type jsonPart interface {
	install(d *jsonDoc, shifted *bool) error
	remove(d *jsonDoc, shifted *bool) error
	snippet() fields
}

// Permission bits of new files, as the hosts themselves create them.
const (
	private fs.FileMode = 0o600
	shared  fs.FileMode = 0o644
)

// env reads a directory from the environment, or returns its default.
func (t Target) env(name, otherwise string) (string, error) {
	if t.Getenv == nil {
		return otherwise, nil
	}
	switch v := t.Getenv(name); {
	case v == "":
		return otherwise, nil
	case !filepath.IsAbs(v):
		return "", fault.New(fault.Invalid, "Set it to an absolute path, or unset it.", "%s is not an absolute path: %s", name, v)
	default:
		return filepath.Clean(v), nil
	}
}

// rows are the rows of the contract that a host of this version knows.
func (t Target) rows() (rows []hooks.Event) {
	for _, e := range hooks.ContractOf(t.Host) {
		if knows(t.Version, MinVersion(e.Host, e.Name)) {
			rows = append(rows, e)
		}
	}
	return rows
}

// check reports what is wrong with the target itself.
func (t Target) check() error {
	switch {
	case !slices.Contains(runs.Hosts(), t.Host):
		return fault.New(fault.Invalid, "Hosts: claude-code, codex, opencode, gemini, cursor.", "board knows no host %q", t.Host)
	case t.Scope != ScopeUser && t.Scope != ScopeProject:
		return fault.New(fault.Invalid, "Scopes: user, project.", "there is no scope %q", t.Scope)
	case !filepath.IsAbs(t.Home):
		return fault.New(fault.Invalid, "Set HOME.", "the home directory is not known")
	case t.Scope == ScopeProject && !filepath.IsAbs(t.Project):
		return fault.New(fault.NoProject, "Run it inside a project.", "the project's directory is not known")
	}
	return nil
}

// files returns the files of the target, in the order of writing. server is the name of board's server there.
func (t Target) files() ([]file, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	switch t.Host {
	case runs.ClaudeCode:
		return t.claudeFiles()
	case runs.Codex:
		return t.codexFiles()
	case runs.OpenCode:
		return t.openCodeFiles()
	case runs.Gemini:
		return t.geminiFiles()
	}
	return t.cursorFiles()
}

func (t Target) claudeFiles() ([]file, error) {
	dir, err := t.env("CLAUDE_CONFIG_DIR", filepath.Join(t.Home, ".claude"))
	if err != nil {
		return nil, err
	}
	config := filepath.Join(t.Home, ".claude.json")
	if dir != filepath.Join(t.Home, ".claude") {
		config = filepath.Join(dir, ".claude.json")
	}
	servers := file{path: config, what: []What{Server}, mode: private, parts: []jsonPart{serverPart{t}}}
	settings := file{path: filepath.Join(dir, "settings.json"), what: []What{Permissions, Hooks}, mode: shared}
	if t.Scope == ScopeProject {
		servers.path, servers.mode = filepath.Join(t.Project, ".mcp.json"), shared
		settings.path = filepath.Join(t.Project, ".claude", "settings.json")
	}
	server := t.serverName(servers)
	settings.name = server
	allow := claudeTools(server)
	settings.parts = []jsonPart{listPart{
		path: []string{"permissions", "allow"}, want: allow,
		ours: func(s string) bool { return s == allow || s == allow+"__*" },
	}}
	if t.Scope == ScopeProject { // a server of a project is not started before somebody agreed
		settings.parts = append(settings.parts, listPart{
			path: []string{"enabledMcpjsonServers"}, want: server, ours: func(s string) bool { return s == server },
			unless: func(d *jsonDoc) bool {
				v, err := d.find("enableAllProjectMcpServers")
				return err == nil && v != nil && decode(d.text, v) == true
			},
		})
	}
	settings.parts = append(settings.parts, hookPart{t, t.rows()})
	return []file{servers, settings}, nil
}

func (t Target) codexFiles() ([]file, error) {
	dir, err := t.codexDir()
	if err != nil {
		return nil, err
	}
	if t.Scope == ScopeProject {
		dir = filepath.Join(t.Project, ".codex")
	}
	mode := private
	if t.Scope == ScopeProject {
		mode = shared
	}
	return []file{
		{path: filepath.Join(dir, "config.toml"), what: []What{Server, Permissions}, mode: mode, toml: &tomlServer{t}},
		{path: filepath.Join(dir, "hooks.json"), what: []What{Hooks}, mode: mode, parts: []jsonPart{hookPart{t, t.rows()}}, check: codexReads},
	}, nil
}

// codexDir is the user's directory of Codex, whatever the scope.
func (t Target) codexDir() (string, error) {
	return t.env("CODEX_HOME", filepath.Join(t.Home, ".codex"))
}

// codexReads says why Codex drops a hooks.json as a whole.
func codexReads(d *jsonDoc) error {
	if d.blank && d.mark == "" {
		return nil
	}
	if d.mark != "" || !json.Valid(d.text) {
		return errorText("Codex takes plain JSON only, without comments, and does not read this file")
	}
	for _, e := range elems(&d.root) {
		if e.key != "hooks" && e.key != "description" {
			return errorText("Codex does not read a file with the key " + string(hujson.String(e.key)))
		}
	}
	return nil
}

type errorText string

func (e errorText) Error() string { return string(e) }

func (t Target) openCodeFiles() ([]file, error) {
	config, err := t.env("XDG_CONFIG_HOME", filepath.Join(t.Home, ".config"))
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(config, "opencode")
	configs, plugins := dir, filepath.Join(dir, "plugin")
	if t.Scope == ScopeProject {
		configs, plugins = t.Project, filepath.Join(t.Project, ".opencode", "plugin")
	}
	settings := file{what: []What{Server}, mode: shared, parts: []jsonPart{serverPart{t}}}
	settings.path = filepath.Join(configs, "opencode.json")
	// opencode reads both. Ours stays where it is; a new entry goes into the one that is there.
	if other := filepath.Join(configs, "opencode.jsonc"); t.holds(other) || !exists(settings.path) && exists(other) {
		settings.path = other
	}
	return []file{settings, {path: filepath.Join(plugins, pluginFile), what: []What{Plugin}, mode: shared, own: true}}, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// holds reports whether board's server is entered in a file.
func (t Target) holds(path string) bool {
	data, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	d, err := parseJSON(data)
	if err != nil {
		return false
	}
	names, _, err := serverPart{t}.scan(d)
	return err == nil && len(names) > 0
}

func (t Target) geminiFiles() ([]file, error) {
	dir, err := t.geminiDir()
	if err != nil {
		return nil, err
	}
	if t.Scope == ScopeProject {
		dir = filepath.Join(t.Project, ".gemini")
	}
	return []file{{
		path: filepath.Join(dir, "settings.json"), what: []What{Server, Permissions, Hooks}, mode: shared,
		parts: []jsonPart{serverPart{t}, hookPart{t, t.rows()}},
	}}, nil
}

// geminiDir is the user's directory of Gemini CLI, whatever the scope.
func (t Target) geminiDir() (string, error) {
	home, err := t.env("GEMINI_CLI_HOME", t.Home)
	return filepath.Join(home, ".gemini"), err
}

func (t Target) cursorFiles() ([]file, error) {
	dir := filepath.Join(t.Home, ".cursor")
	if t.Scope == ScopeProject {
		dir = filepath.Join(t.Project, ".cursor")
	}
	return []file{
		{path: filepath.Join(dir, "mcp.json"), what: []What{Server}, mode: shared, parts: []jsonPart{serverPart{t}}},
		{path: filepath.Join(dir, cursorHooks), what: []What{Hooks}, mode: shared, parts: []jsonPart{hookPart{t, t.rows()}}},
	}, nil
}

// serverName is the name of board's server in a file, as a person may have changed it.
func (t Target) serverName(f file) string {
	data, err := os.ReadFile(f.path)
	if err != nil {
		return serverName
	}
	d, err := parseJSON(data)
	if err != nil {
		return serverName
	}
	names, _, err := serverPart{t}.scan(d)
	if err != nil || len(names) == 0 {
		return serverName
	}
	return keepName(names)
}
