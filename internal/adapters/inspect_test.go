package adapters

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	assets "board/assets/adapters"
	"board/internal/fault"
	"board/internal/hooks"
	"board/internal/runs"
)

func TestTheEventsThatAreWrittenAreTheRowsOfTheContract(t *testing.T) {
	for _, host := range runs.Hosts() {
		if host == runs.OpenCode {
			continue // a plugin listens there
		}
		target := world(t, host, ScopeUser)
		apply(t, must[Plan](t)(PlanInstall(target)))
		base := "hooks.json"
		if host == runs.ClaudeCode || host == runs.Gemini {
			base = "settings.json"
		}
		written, _ := readTree(at2(t, target, base))["hooks"].(map[string]any)
		for _, e := range hooks.ContractOf(host) {
			if written[e.Name] == nil {
				t.Errorf("%s: %s is not written", host, e.Name)
			}
			delete(written, e.Name)
		}
		for name := range written {
			t.Errorf("%s: %s is written, and is no row", host, name)
		}
	}
}

func TestTimeoutsAreInTheUnitOfTheHost(t *testing.T) {
	for host, want := range map[string]string{
		runs.ClaudeCode: `"timeout": 5`, runs.Codex: `"timeout": 5`, runs.Gemini: `"timeout": 5000`, runs.Cursor: `"timeout": 5`,
	} {
		var found bool
		for _, c := range must[Plan](t)(PlanInstall(world(t, host, ScopeUser))).Changes {
			for _, line := range strings.Split(string(c.After), "\n") {
				found = found || strings.TrimRight(strings.TrimSpace(line), ",") == want
			}
		}
		if !found {
			t.Errorf("%s: no line says %s", host, want)
		}
	}
}

func TestEveryMinVersionIsOfARowAndIsKept(t *testing.T) {
	for _, c := range []struct{ host, event, before, from string }{
		{runs.ClaudeCode, "StopFailure", "2.1.77 (Claude Code)", "2.1.78 (Claude Code)"},
		{runs.ClaudeCode, "SubagentStart", "2.0.42", "2.0.43"},
		{runs.Cursor, "sessionStart", "2.3.9", "2.4"},
		{runs.Cursor, "sessionEnd", "1.7.38", "3.12.17"},
		{runs.Cursor, "postToolUse", "v2.3", "2026.07.17-3e2a980"},
	} {
		if !slices.ContainsFunc(hooks.ContractOf(c.host), func(e hooks.Event) bool { return e.Name == c.event }) {
			t.Errorf("%s has no row %s", c.host, c.event)
		}
		for version, want := range map[string]State{c.before: NotNeeded, c.from: Present, "": Present, "unheard of": Present} {
			target := world(t, c.host, ScopeUser)
			target.Version = version
			apply(t, must[Plan](t)(PlanInstall(target)))
			for _, e := range must[Found](t)(Inspect(target)).Events {
				if e.Name == c.event && e.State != want {
					t.Errorf("%s %s: %s is %s, want %s", c.host, version, c.event, e.State, want)
				}
			}
		}
	}
}

// Codex trusts a handler by its file, event, group and place. Whatever board does, foreign ones keep theirs.
func TestForeignTrustKeysStayValid(t *testing.T) {
	const lint = `{"hooks": [{"type": "command", "command": "/opt/lint"}, {"type": "command", "command": "/opt/lint2"}]}`
	const old = `{"hooks": [{"type": "command", "command": "/old/board-hook --host codex"}]}`
	for name, c := range map[string]struct {
		text  string
		moves bool
	}{
		"foreign hooks before":           {text: `{"hooks": {"Stop": [` + lint + `, ` + lint + `]}}`},
		"an older form before a foreign": {text: `{"hooks": {"Stop": [` + old + `, ` + lint + `]}}`},
		"an older form in between":       {text: `{"hooks": {"Stop": [` + lint + `, ` + old + `, ` + lint + `]}}`},
		"doubles at the end":             {text: `{"hooks": {"Stop": [` + old + `, ` + lint + `, ` + old + `]}}`},
		"doubles before a foreign one":   {text: `{"hooks": {"Stop": [` + old + `, ` + old + `, ` + lint + `]}}`, moves: true},
		"ours in a foreign group":        {text: `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/old/board hook --host codex"}, {"type": "command", "command": "/opt/lint"}]}]}}`},
	} {
		target := world(t, runs.Codex, ScopeUser)
		path := at2(t, target, "hooks.json")
		write(t, path, []byte(c.text), 0o600)
		before := foreignKeys(t, path)
		plan := must[Plan](t)(PlanInstall(target))
		apply(t, plan)
		after := foreignKeys(t, path)
		if c.moves == slices.Equal(before, after) {
			t.Errorf("%s: keys %v became %v", name, before, after)
		}
		if said := slices.ContainsFunc(plan.Hints, func(h string) bool { return strings.Contains(h, "moved up") }); said != c.moves {
			t.Errorf("%s: hints %q", name, plan.Hints)
		}
		found := must[Found](t)(Inspect(target))
		if len(found.TrustKeys) != len(found.Events) {
			t.Errorf("%s: %d keys of %d events", name, len(found.TrustKeys), len(found.Events))
		}
	}
}

func foreignKeys(t *testing.T, path string) (keys []string) {
	t.Helper()
	d := must[*jsonDoc](t)(parseJSON(read(t, path)))
	v := must[any](t)(decode(d.text, &d.root), nil).(map[string]any)["hooks"].(map[string]any)["Stop"].([]any)
	for i, g := range v {
		for k, h := range g.(map[string]any)["hooks"].([]any) {
			if c := h.(map[string]any)["command"].(string); strings.HasPrefix(c, "/opt/lint") {
				keys = append(keys, c+trustKey(path, entry{event: "Stop", path: []any{"hooks", "Stop", i, "hooks", k}}))
			}
		}
	}
	return keys
}

func TestTrustThatCodexNotedIsReported(t *testing.T) {
	target := world(t, runs.Codex, ScopeUser)
	apply(t, must[Plan](t)(PlanInstall(target)))
	path := at2(t, target, "hooks.json")
	key := path + ":user_prompt_submit:0:0"
	config := at2(t, target, "config.toml")
	write(t, config, append(read(t, config), "\n[hooks.state.\""+key+"\"]\ntrusted_hash = \"sha256:1\"\n"...), 0o600)
	found := must[Found](t)(Inspect(target))
	if !slices.Contains(found.TrustKeys, key) || !slices.Equal(found.TrustNoted, []string{key}) {
		t.Errorf("keys %q, noted %q", found.TrustKeys, found.TrustNoted)
	}
}

func TestWhatKeepsHooksFromRunning(t *testing.T) {
	for _, c := range []struct {
		name, host string
		scope      Scope
		path, text string
		all        bool
	}{
		{"switched off", runs.ClaudeCode, ScopeUser, "HOME/.claude/settings.json", `{"disableAllHooks": true, // later
		}`, true},
		{"switched off by the administrator", runs.ClaudeCode, ScopeUser, "ROOT/etc/claude-code/managed-settings.json", `{"disableAllHooks": true}`, true},
		{"managed hooks only", runs.ClaudeCode, ScopeUser, "ROOT/etc/claude-code/managed-settings.json", `{"allowManagedHooksOnly": true}`, true},
		{"managed hooks only, in a further file", runs.ClaudeCode, ScopeUser, "ROOT/etc/claude-code/managed-settings.d/10.json", `{"allowManagedHooksOnly": true}`, true},
		{"tools denied", runs.ClaudeCode, ScopeUser, "HOME/.claude/settings.json", `{"permissions": {"deny": ["mcp__board"]}}`, false},
		{"servers of an administrator's list", runs.ClaudeCode, ScopeUser, "ROOT/etc/claude-code/managed-settings.json", `{"allowedMcpServers": [{"serverName": "x"}]}`, false},
		{"rejected server", runs.ClaudeCode, ScopeProject, "PROJECT/.claude/settings.local.json", `{"disabledMcpjsonServers": ["board"]}`, false},
		{"feature off", runs.Codex, ScopeUser, "HOME/.codex/config.toml", "[features]\nhooks = false\n", true},
		{"project not trusted", runs.Codex, ScopeProject, "HOME/.codex/config.toml", "model = \"x\"\n", true},
		{"hooks off", runs.Gemini, ScopeUser, "HOME/.gemini/settings.json", `{"hooksConfig": {"enabled": false}}`, true},
		{"hook off by name", runs.Gemini, ScopeUser, "HOME/.gemini/settings.json", `{"hooksConfig": {"disabled": ["board"]}}`, true},
		{"hook off by the administrator", runs.Gemini, ScopeUser, "ROOT/etc/gemini-cli/settings.json", `{"hooksConfig": {"enabled": false}}`, true},
		{"server excluded", runs.Gemini, ScopeUser, "HOME/.gemini/settings.json", `{"mcp": {"excluded": ["board"]}}`, false},
		{"server off", runs.OpenCode, ScopeUser, "HOME/.config/opencode/opencode.json", `{"mcp": {"board": {"type": "local", "command": ["/o/board", "mcp"], "enabled": false}}}`, false},
	} {
		target := world(t, c.host, c.scope)
		path := strings.NewReplacer("HOME", target.Home, "ROOT", target.Root, "PROJECT", target.Project).Replace(c.path)
		write(t, path, []byte(c.text), 0o644)
		apply(t, must[Plan](t)(PlanInstall(target)))
		blocks := must[Found](t)(Inspect(target)).Blocked
		if len(blocks) != 1 || blocks[0].Path != path || blocks[0].All != c.all || blocks[0].Reason == "" {
			t.Errorf("%s %s: %+v", c.host, c.name, blocks)
		}
	}
	for _, host := range runs.Hosts() {
		target := world(t, host, ScopeUser)
		apply(t, must[Plan](t)(PlanInstall(target)))
		if b := must[Found](t)(Inspect(target)).Blocked; len(b) > 0 {
			t.Errorf("%s: %+v", host, b)
		}
	}
	target := world(t, runs.Codex, ScopeProject)
	write(t, filepath.Join(target.Home, ".codex", "config.toml"), []byte("[projects.\""+target.Project+"\"]\ntrust_level = \"trusted\"\n"), 0o600)
	if b := must[Found](t)(Inspect(target)).Blocked; len(b) > 0 {
		t.Errorf("a trusted project: %+v", b)
	}
}

func TestAPersonsNameForTheServerIsKept(t *testing.T) {
	target := world(t, runs.ClaudeCode, ScopeUser)
	servers, settings := at2(t, target, ".claude.json"), at2(t, target, "settings.json")
	write(t, servers, []byte(`{"mcpServers": {"my kanban": {"command": "/old/board", "args": ["mcp"], "env": {"A": "1"}}}}`), 0o600)
	apply(t, must[Plan](t)(PlanInstall(target)))
	found := must[Found](t)(Inspect(target))
	if found.ServerName != "my kanban" || found.Server.State != Present || found.Permission.State != Present {
		t.Errorf("%+v", found)
	}
	if got := at(readTree(settings), "permissions", "allow").([]any)[0]; got != "mcp__my_kanban" {
		t.Errorf("the rule is %v", got)
	}
	if at(readTree(servers), "mcpServers", "my kanban", "env", "A") != "1" {
		t.Error("what a person added is gone")
	}
}

func TestAPersonsNoToTrustStays(t *testing.T) {
	target := world(t, runs.Gemini, ScopeUser)
	path := at2(t, target, "settings.json")
	write(t, path, []byte(`{"mcpServers": {"board": {"command": "/old/board", "args": ["mcp"], "trust": false}}}`), 0o600)
	apply(t, must[Plan](t)(PlanInstall(target)))
	if at(readTree(path), "mcpServers", "board", "trust") != false {
		t.Error("it was overruled")
	}
	if found := must[Found](t)(Inspect(target)); found.Server.State != Present || found.Permission.State != Missing {
		t.Errorf("%+v %+v", found.Server, found.Permission)
	}
}

func TestThePluginIsWrittenWholeAndKnownAgain(t *testing.T) {
	source := must[[]byte](t)(assets.Files.ReadFile(pluginSource))
	if pluginVersion(source) == "" || strings.Count(string(source), pluginHook) != 1 {
		t.Fatalf("the plugin lacks its stamp, or does not name %s once", pluginHook)
	}
	target := world(t, runs.OpenCode, ScopeUser)
	apply(t, must[Plan](t)(PlanInstall(target)))
	path := at2(t, target, pluginFile)
	data := string(read(t, path))
	if !strings.Contains(data, `"/opt/my tools/it's/board-hook"`) || strings.Contains(data, "@BOARD_HOOK@") {
		t.Error("the path of board-hook is not in there")
	}
	found := must[Found](t)(Inspect(target))
	if p := found.Plugin; p.State != Present || p.Version == "" || p.Version != p.Want {
		t.Errorf("%+v", p)
	}
	write(t, path, []byte(strings.Replace(data, "const STAMP = \"", "const STAMP = \"0.", 1)), 0o644)
	if p := must[Found](t)(Inspect(target)).Plugin; p.State != Older || p.Version == p.Want {
		t.Errorf("an older copy: %+v", p)
	}
	twin := filepath.Join(target.Home, ".config", "opencode", "plugins", "copy.ts")
	write(t, twin, []byte(data), 0o644)
	apply(t, must[Plan](t)(PlanInstall(target)))
	if p := must[Found](t)(Inspect(target)).Plugin; p.State != Twice || !slices.Equal(p.Doubles, []string{twin}) {
		t.Errorf("two copies: %+v", p)
	}
	foreign := world(t, runs.OpenCode, ScopeUser)
	path = at2(t, foreign, pluginFile)
	write(t, path, []byte("export const X = 1\n"), 0o644)
	plan := must[Plan](t)(PlanInstall(foreign))
	apply(t, plan)
	apply(t, must[Plan](t)(PlanRemove(foreign)))
	if string(read(t, path)) != "export const X = 1\n" || len(plan.Refused) != 1 || must[Found](t)(Inspect(foreign)).Plugin.State != Foreign {
		t.Errorf("a foreign file of that name: %v", plan.Refused)
	}
}

func TestDiffShowsWhatIsWritten(t *testing.T) {
	target := world(t, runs.Codex, ScopeUser)
	path := at2(t, target, "config.toml")
	write(t, path, []byte("model = \"x\"\n"), 0o600)
	plan := must[Plan](t)(PlanInstall(target))
	want := "--- " + path + "\n+++ " + path + "\n@@ -1,1 +1,7 @@\n model = \"x\"\n+\n+[mcp_servers.board]\n+command = \"/opt/my tools/it's/board\"\n" +
		"+args = [\"mcp\"]\n+env_vars = [\"BOARD_DB\", \"XDG_DATA_HOME\"]\n+default_tools_approval_mode = \"approve\"\n--- /dev/null\n+++ " + at2(t, target, "hooks.json") + "\n"
	if got := plan.Diff(); !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if string(read(t, path)) != "model = \"x\"\n" {
		t.Error("a plan wrote something")
	}
	apply(t, plan)
	if got := must[Plan](t)(PlanInstall(target)).Diff(); got != "" {
		t.Errorf("nothing to do, and yet\n%s", got)
	}
	if got := must[Plan](t)(PlanRemove(target)).Diff(); !strings.Contains(got, "+++ /dev/null") || !strings.Contains(got, "-[mcp_servers.board]") {
		t.Errorf("the removal is shown as\n%s", got)
	}
}

func TestTargetsThatMakeNoSense(t *testing.T) {
	l := Launcher{Board: "/b/board", Hook: "/b/board-hook"}
	for _, target := range []Target{
		{Host: "emacs", Scope: ScopeUser, Home: "/h", Launcher: l},
		{Host: runs.Codex, Scope: "world", Home: "/h", Launcher: l},
		{Host: runs.Codex, Scope: ScopeUser, Launcher: l},
		{Host: runs.Codex, Scope: ScopeProject, Home: "/h", Launcher: l},
		{Host: runs.Codex, Scope: ScopeUser, Home: "/h", Launcher: l, Getenv: func(string) string { return "relative" }},
		{Host: runs.Codex, Scope: ScopeUser, Home: "/h"},
	} {
		if _, err := PlanInstall(target); err == nil {
			t.Errorf("%+v is installed", target)
		} else if f := (*fault.Fault)(nil); !errors.As(err, &f) {
			t.Errorf("%+v: %v is no fault", target, err)
		}
	}
}

func TestEnvironmentMovesConfigurations(t *testing.T) {
	dir := quickDir(t)
	for name, c := range map[string]struct{ host, base, path string }{
		"CODEX_HOME":        {runs.Codex, "hooks.json", "hooks.json"},
		"CLAUDE_CONFIG_DIR": {runs.ClaudeCode, ".claude.json", ".claude.json"},
		"GEMINI_CLI_HOME":   {runs.Gemini, "settings.json", ".gemini/settings.json"},
		"XDG_CONFIG_HOME":   {runs.OpenCode, pluginFile, "opencode/plugin/board.ts"},
	} {
		target := world(t, c.host, ScopeUser)
		target.Getenv = func(key string) string {
			if key == name {
				return dir
			}
			return ""
		}
		if got := at2(t, target, c.base); got != filepath.Join(dir, c.path) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestDetectLooksForDirectoriesAndPrograms(t *testing.T) {
	home := quickDir(t)
	none := func(string) (string, error) { return "", errors.New("no") }
	env := func(string) string { return "" }
	if got := Detect(home, env, none); len(got) > 0 {
		t.Errorf("an empty home has %v", got)
	}
	for _, d := range []string{".gemini", ".config/opencode"} {
		must0(t, os.MkdirAll(filepath.Join(home, d), 0o755))
	}
	cursor := func(p string) (string, error) {
		if p == "cursor-agent" {
			return p, nil
		}
		return "", errors.New("no")
	}
	if got := Detect(home, env, cursor); !slices.Equal(got, []string{runs.OpenCode, runs.Gemini, runs.Cursor}) {
		t.Errorf("got %v", got)
	}
}
