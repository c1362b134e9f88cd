package adapters

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"board/internal/runs"
)

// hostileTOML are configurations of Codex.
func hostileTOML() []hostile {
	const tail = "\n[tui]\nnotifications = true\n"
	return []hostile{
		{name: "an empty file", text: ""},
		{name: "a line break alone", text: "\n"},
		{name: "white space alone", text: "  \t"},
		{name: "lines of white space", text: "\r\n  \r\n"},
		{name: "a comment alone", text: "# nothing yet"},
		{name: "a byte order mark", text: bom + "model = \"x\"\n"},
		{name: "a byte order mark alone", text: bom},
		{name: "keys alone", text: "model = \"x\"\n"},
		{name: "no line break at the end", text: "model = \"x\""},
		{name: "no line break after a comment", text: "model = \"x\" # mine"},
		{name: "blank lines at the end", text: "model = \"x\"\n\n\n"},
		{name: "CRLF", text: "model = \"x\"\r\n\r\n[tui]\r\nnotifications = true\r\n"},
		{name: "CRLF without a line break at the end", text: "model = \"x\"\r\n[tui]"},
		{name: "tabs", text: "\tmodel\t=\t\"x\"\t# c\n\t[tui]\n\t\tnotifications = true\n"},
		{name: "comments everywhere", text: "# top\nmodel = \"x\" # c\n\n# about the table\n[tui] # head\n# end\n"},
		{name: "strings of every kind", text: "a = \"\"\"\n[mcp_servers.board]\ncommand = \"no\"\n\"\"\"\nb = '''\n# no comment '''\nc = 'C:\\x'\n"},
		{name: "values over several lines", text: "notify = [\n  \"a\", # one\n  \"b\",\n]\nbig = 1_000\nt = 1979-05-27T07:32:00Z\nf = nan\n"},
		{name: "foreign servers with headers", text: "[mcp_servers.dash]\ncommand = \"/opt/dashboard\"\nargs = [\"mcp\"]\n\n[mcp_servers.dash.env]\nA = \"1\"\n" + tail},
		{name: "foreign servers beneath one header", text: "[mcp_servers]\ndash = { command = \"/opt/dashboard\", args = [\"mcp\"] }\n" + tail},
		{name: "foreign servers as dotted keys", text: "mcp_servers.dash.command = \"/opt/dashboard\"\nmcp_servers.dash.args = [\"mcp\"]\n" + tail},
		{name: "a quoted header", text: "[\"mcp_servers\".\"a.b\"]\ncommand = \"x\"\n"},
		{name: "spaces in a header", text: "[ mcp_servers . dash ]\ncommand = \"x\"\n"},
		{name: "trust of foreign hooks", text: "[hooks.state.\"/home/u/.codex/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:00\"\n\n[projects.\"/work\"]\ntrust_level = \"trusted\"\n"},
		{name: "foreign hooks", text: "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"/opt/other/lint\"\n"},
		{name: "arrays of tables", text: "[[x]]\na = 1\n[[x]]\na = 2\n[x.y]\nb = 3\n"},
		{name: "a table called board", text: "[board]\ncommand = \"board\"\nargs = [\"mcp\"]\n"},
		{name: "900 levels", text: "deep = " + strings.Repeat("[", 900) + strings.Repeat("]", 900) + "\n"},
		{name: "trust of a thousand hooks", text: trust(1000)},

		{name: "servers in braces", text: "mcp_servers = { dash = { command = \"x\" } }\n", refused: true},
		{name: "an empty table of servers in braces", text: "mcp_servers = {}\n", refused: true},
		{name: "servers an array", text: "[[mcp_servers]]\ncommand = \"x\"\n", refused: true},
		{name: "servers a string", text: "mcp_servers = \"x\"\n", refused: true},
		{name: "a server of that name that is not board's", text: "[mcp_servers.board]\ncommand = \"trello\"\n", refused: true},
		{name: "a server of that name without a command", text: "[mcp_servers.board]\nurl = \"u\"\n", refused: true},
		{name: "a key twice", text: "model = \"x\"\nmodel = \"y\"\n", refused: true},
		{name: "a table twice", text: "[tui]\n[tui]\n", refused: true},
		{name: "no TOML", text: "{\"model\": \"x\"}", refused: true},
		{name: "half a string", text: "model = \"x\n", refused: true},
		{name: "NUL bytes", text: "model = \"x\"\n\x00", refused: true},
		{name: "invalid UTF-8", text: "model = \"\xff\"\n", refused: true},
		{name: "a million lines", text: strings.Repeat("\n", 1<<20-1), refused: true},
		{name: "larger than anybody's", text: "a = \"" + strings.Repeat("x", 1<<20) + "\"\n", refused: true},
		{name: "a million brackets", text: "deep = " + strings.Repeat("[", 1<<20), refused: true},

		{name: "an older form", text: "model = \"x\"\n\n[mcp_servers.board]\ncommand = \"/old/board\" # mine\nargs = [\n  \"mcp\",\n]\nstartup_timeout_sec = 20\n\n[mcp_servers.board.env]\nBOARD_DB = \"/x\"\n" + tail, ours: true},
		{name: "an older form without a line break at the end", text: "[mcp_servers.board]\ncommand = '/old/board'\nargs = ['-C', '/x', 'mcp']", ours: true},
		{name: "an older form with CRLF", text: "[mcp_servers.board]\r\ncommand = '/old/board'\r\nargs = ['mcp']\r\n\r\n[tui]\r\n", ours: true},
		{name: "a person's choice of approval", text: "[mcp_servers.board]\ncommand = \"/old/board\"\nargs = [\"mcp\"]\ndefault_tools_approval_mode = \"prompt\"\n", ours: true, only: "asks"},
		{name: "what Codex wrote beneath it", text: "[mcp_servers.board]\ncommand = \"/old/board\"\nargs = [\"mcp\"]\n\n[mcp_servers.board.tools.kanban_list]\napproval_mode = \"approve\"\n\n[mcp_servers.dash]\ncommand = \"x\"\n", ours: true},
		{name: "two names", text: "[mcp_servers.kanban]\ncommand = \"/old/board\"\nargs = [\"mcp\"]\n\n[mcp_servers.dash]\ncommand = \"x\"\n\n[mcp_servers.board]\ncommand = \"/old/board\"\nargs = [\"mcp\"]\n", ours: true},
		{name: "another name", text: "[mcp_servers.kanban]\ncommand = \"/old/board\"\nargs = [\"mcp\"]\n", ours: true},
		{name: "ours as dotted keys", text: "mcp_servers.board.command = \"/old/board\"\nmcp_servers.board.args = [\"mcp\"]\n", ours: true, refused: true},
		{name: "ours in braces beneath the header", text: "[mcp_servers]\nboard = { command = \"/old/board\", args = [\"mcp\"] }\n", ours: true, refused: true},
	}
}

// trust is what Codex notes about n foreign handlers.
func trust(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[hooks.state.\"/home/somebody/.codex/hooks.json:user_prompt_submit:%d:0\"]\ntrusted_hash = \"sha256:%064d\"\n\n", i, i)
	}
	return b.String()
}

func TestForeignBytesStayAsTheyAreInCodexConfig(t *testing.T) {
	for _, h := range hostileTOML() {
		t.Run(h.name, func(t *testing.T) {
			target := world(t, runs.Codex, ScopeUser)
			path := filepath.Join(target.Home, ".codex", "config.toml")
			before := []byte(h.text)
			write(t, path, before, 0o600)
			plan := must[Plan](t)(PlanInstall(target))
			refused := slices.IndexFunc(plan.Refused, func(r Refusal) bool { return r.Path == path })
			apply(t, plan)
			after := read(t, path)
			if h.refused {
				if refused < 0 || plan.Refused[refused].Reason == "" || !strings.Contains(plan.Refused[refused].Snippet, "[mcp_servers.board]") {
					t.Fatalf("not refused, or not with a reason and a snippet: %v", plan.Refused)
				}
				if !bytes.Equal(before, after) {
					t.Errorf("a file that was refused is written:\n%s", after)
				}
				return
			}
			if refused >= 0 {
				t.Fatalf("refused: %s", plan.Refused[refused].Reason)
			}
			if n := insertions(before, after); !h.ours && n != 1 {
				t.Errorf("more than insertions:\n%q\n%q", before, after)
			}
			if a, b := foreignTOML(t, before), foreignTOML(t, after); a != b {
				t.Errorf("foreign content changed:\n%v\n%v", a, b)
			}
			found := must[Found](t)(Inspect(target))
			want := Present
			if h.only == "asks" {
				want = Missing
			}
			if found.Server.State != Present || found.Permission.State != want {
				t.Errorf("server %v, permission %v:\n%s", found.Server, found.Permission, after)
			}
			if again := must[Plan](t)(PlanInstall(target)); len(again.Changes) > 0 || len(again.Refused) > 0 {
				t.Errorf("a second installation changes something: %v\n%s", again.Refused, again.Diff())
			}
			apply(t, must[Plan](t)(PlanRemove(target)))
			gone, err := os.ReadFile(path)
			if err != nil && !h.ours { // a file that held nothing else
				t.Fatal(err)
			}
			if !h.ours && !bytes.Equal(gone, before) {
				t.Errorf("after the removal:\n%q\nbefore:\n%q", gone, before)
			}
			if a, b := foreignTOML(t, before), foreignTOML(t, gone); a != b {
				t.Errorf("foreign content changed by the removal:\n%v\n%v", a, b)
			}
			if s := must[Found](t)(Inspect(target)).Server.State; s != Missing {
				t.Errorf("after the removal the server is %s:\n%s", s, gone)
			}
		})
	}
}

// foreignTOML is what a file says about anything but servers that start a program called board.
func foreignTOML(t *testing.T, data []byte) string {
	t.Helper()
	tree := map[string]any{}
	if err := toml.Unmarshal(bytes.TrimPrefix(data, []byte(bom)), &tree); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	if servers, ok := tree["mcp_servers"].(map[string]any); ok {
		for k, s := range servers {
			if command, _ := s.(map[string]any)["command"].(string); strings.HasSuffix(command, "/board") {
				delete(servers, k)
			}
		}
		if len(servers) == 0 {
			delete(tree, "mcp_servers")
		}
	}
	return fmt.Sprintf("%#v", tree)
}

func TestWhatCodexAppendsAfterBoardStaysWhenBoardIsRemoved(t *testing.T) {
	for _, before := range []string{"", "model = \"x\"", "model = \"x\"\n"} {
		target := world(t, runs.Codex, ScopeUser)
		path := filepath.Join(target.Home, ".codex", "config.toml")
		write(t, path, []byte(before), 0o600)
		apply(t, must[Plan](t)(PlanInstall(target)))
		const more = "\n[hooks.state.\"/h/.codex/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:1\"\n"
		data := read(t, path)
		if data[len(data)-1] != '\n' {
			data = append(data, '\n')
		}
		write(t, path, append(data, more...), 0o600)
		apply(t, must[Plan](t)(PlanRemove(target)))
		want := strings.TrimLeft(strings.TrimRight(before, "\n")+"\n"+more, "\n")
		if got := strings.TrimLeft(string(read(t, path)), "\n"); got != want {
			t.Errorf("from %q:\n%q\nwant\n%q", before, got, want)
		}
	}
}

func TestAFileThatBoardCreatedGoesAway(t *testing.T) {
	for _, host := range runs.Hosts() {
		for _, scope := range []Scope{ScopeUser, ScopeProject} {
			target := world(t, host, scope)
			before := tree(t, target.Home)
			apply(t, must[Plan](t)(PlanInstall(target)))
			if len(tree(t, target.Home)) == len(before) {
				t.Fatalf("%s %s: nothing was written", host, scope)
			}
			apply(t, must[Plan](t)(PlanRemove(target)))
			want := before
			if host == runs.Cursor { // the editor forgets hooks when their file changes, not when it goes
				path := at2(t, target, "hooks.json")
				if got := string(read(t, path)); got != cursorEmpty {
					t.Errorf("Cursor's file became %q", got)
				}
				if err := os.RemoveAll(filepath.Dir(path)); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.RemoveAll(filepath.Join(target.Home, "backups")); err != nil {
				t.Fatal(err)
			}
			if got := tree(t, target.Home); !slices.Equal(got, want) {
				t.Errorf("%s %s: %v is left of %v", host, scope, got, want)
			}
		}
	}
}

// tree lists a directory.
func tree(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.Walk(dir, func(p string, _ os.FileInfo, err error) error {
		list = append(list, p)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestACursorFileThatWasEmptiedIsFilledAndEmptiedAgain(t *testing.T) {
	target := world(t, runs.Cursor, ScopeUser)
	path := at2(t, target, "hooks.json")
	for range 3 {
		apply(t, must[Plan](t)(PlanInstall(target)))
		var v struct {
			Version int
			Hooks   map[string][]json.RawMessage
		}
		if err := json.Unmarshal(read(t, path), &v); err != nil || v.Version != 1 || len(v.Hooks) == 0 {
			t.Fatalf("%v: %v\n%s", err, v, read(t, path))
		}
		apply(t, must[Plan](t)(PlanRemove(target)))
		if got := string(read(t, path)); got != cursorEmpty {
			t.Fatalf("it became %q", got)
		}
	}
}
