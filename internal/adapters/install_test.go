package adapters

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"board/internal/hooks"
	"board/internal/runs"
)

// world is a home directory with a target for one host.
func world(t *testing.T, host string, scope Scope) Target {
	t.Helper()
	home := quickDir(t)
	target := Target{
		Host: host, Scope: scope, Home: home, Root: filepath.Join(home, "root"),
		Launcher: Launcher{Board: "/opt/my tools/it's/board", Hook: "/opt/my tools/it's/board-hook"},
	}
	if scope == ScopeProject {
		target.Project = filepath.Join(home, "project")
		if err := os.Mkdir(target.Project, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return target
}

// quickDir is a temporary directory in memory where there is one: every file is synced to its disk many times here.
func quickDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "board-adapters")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func write(t *testing.T, path string, data []byte, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func must0(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func apply(t *testing.T, p Plan) {
	t.Helper()
	if err := p.Apply(filepath.Join(p.Home, "backups")); err != nil {
		t.Fatal(err)
	}
}

// kinds says which rows of the table a file meets.
func kinds(f file) (list []string) {
	for _, p := range f.parts {
		switch p := p.(type) {
		case hookPart:
			list = append(list, "hooks")
			if !p.flat() {
				list = append(list, "groups")
			}
		case serverPart:
			list = append(list, "server")
		case listPart:
			list = append(list, "rules")
		}
	}
	return list
}

func TestForeignBytesStayAsTheyAreInEveryConfiguration(t *testing.T) {
	for _, host := range runs.Hosts() {
		for _, scope := range []Scope{ScopeUser, ScopeProject} {
			for _, f := range must[[]file](t)(world(t, host, scope).files()) {
				if f.own || f.toml != nil {
					continue
				}
				for _, h := range hostileJSON() {
					if h.only != "" && !slices.Contains(kinds(f), h.only) || len(h.text) > 1<<22 && scope == ScopeProject {
						continue
					}
					t.Run(strings.Join([]string{host, string(scope), filepath.Base(f.path), h.name}, "/"), func(t *testing.T) {
						target := world(t, host, scope)
						path := at2(t, target, filepath.Base(f.path))
						before := h.fill(target, hooks.ContractOf(host)[0].Name)
						write(t, path, before, 0o600)
						refused := h.refused || f.check != nil && !plainJSON(before)
						hold(t, target, path, before, refused, h.ours)
					})
				}
			}
		}
	}
}

// at2 returns the path of the file of that name in a target.
func at2(t *testing.T, target Target, base string) string {
	t.Helper()
	for _, f := range must[[]file](t)(target.files()) {
		if filepath.Base(f.path) == base {
			return f.path
		}
	}
	t.Fatalf("no file %s", base)
	return ""
}

// plainJSON reports whether Codex reads a hooks.json.
func plainJSON(data []byte) bool {
	var m map[string]json.RawMessage
	if len(bytes.TrimSpace(data)) == 0 {
		return true
	}
	if json.Unmarshal(data, &m) != nil {
		return false
	}
	for k := range m {
		if k != "hooks" && k != "description" {
			return false
		}
	}
	return true
}

// hold checks what holds for every file: refused and untouched, or installed once, found, and removed without a trace.
func hold(t *testing.T, target Target, path string, before []byte, refused, ours bool) {
	t.Helper()
	plan := must[Plan](t)(PlanInstall(target))
	i := slices.IndexFunc(plan.Refused, func(r Refusal) bool { return r.Path == path })
	if refused {
		if i < 0 {
			t.Fatalf("it was not refused:\n%s", plan.Diff())
		}
		if r := plan.Refused[i]; r.Reason == "" || !strings.Contains(r.Snippet, "board") {
			t.Errorf("the refusal says %q, and offers %q", r.Reason, r.Snippet)
		}
		apply(t, plan)
		if after := read(t, path); !bytes.Equal(before, after) {
			t.Errorf("a file that was refused is written:\n%s", after)
		}
		return
	}
	if i >= 0 {
		t.Fatalf("refused: %s", plan.Refused[i].Reason)
	}
	apply(t, plan)
	after := read(t, path)
	if n := insertions(before, after); !ours && (n < 0 || n > maxPlaces) {
		t.Errorf("more than insertions:\n%q\n%q", before, after)
	}
	if a, b := foreign(t, before), foreign(t, after); !reflect.DeepEqual(a, b) {
		t.Errorf("foreign content changed:\n%v\n%v\n%s", a, b, after)
	}
	if info := must[os.FileInfo](t)(os.Stat(path)); info.Mode().Perm() != 0o600 {
		t.Errorf("the mode became %v", info.Mode())
	}
	if left := leftovers(t, filepath.Dir(path)); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	found := must[Found](t)(Inspect(target))
	for _, e := range found.Events {
		if e.State != Present {
			t.Errorf("%s: %s\n%s", e.Name, e.State, after)
		}
	}
	if found.Server.State != Present || found.Permission.State != Present && found.Permission.State != NotNeeded || len(found.Strays) > 0 {
		t.Errorf("server %v, permission %v, strays %v", found.Server, found.Permission, found.Strays)
	}
	if again := must[Plan](t)(PlanInstall(target)); len(again.Changes) > 0 || len(again.Refused) > 0 {
		t.Errorf("a second installation changes something: %v\n%s", again.Refused, again.Diff())
	}
	apply(t, must[Plan](t)(PlanRemove(target)))
	gone := read(t, path)
	if !ours && !bytes.Equal(gone, before) {
		t.Errorf("after the removal:\n%q\nbefore:\n%q", gone, before)
	}
	if a, b := foreign(t, before), foreign(t, gone); !reflect.DeepEqual(a, b) {
		t.Errorf("foreign content changed by the removal:\n%v\n%v", a, b)
	}
	found = must[Found](t)(Inspect(target))
	for _, e := range found.Events {
		if e.State != Missing {
			t.Errorf("after the removal %s: %s\n%s", e.Name, e.State, gone)
		}
	}
}

func leftovers(t *testing.T, dir string) []string {
	t.Helper()
	return unfinished(dir)
}

// foreign decodes a file by other means than the package does, and leaves out what names board's programs.
func foreign(t *testing.T, data []byte) any {
	t.Helper()
	data = bytes.TrimPrefix(data, []byte(bom))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(uncomment(data)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return prune(v)
}

// uncomment blanks comments and trailing commas.
func uncomment(data []byte) []byte {
	out := bytes.Clone(data)
	comma := -1
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			for i++; out[i] != '"'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
			comma = -1
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			end := []byte("\n")
			if out[i+1] == '*' {
				end = []byte("*/")
			}
			n := bytes.Index(out[i+2:], end)
			if n < 0 {
				n = len(out) - i - 2 - len(end)
			}
			for k := i; k < i+2+n+len(end); k++ {
				out[k] = ' '
			}
			i += 1 + n + len(end)
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			out[comma], comma = ' ', -1
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			comma = -1
		}
	}
	return out
}

// prune leaves out entries that start board's programs, and what is empty: an absent key and an empty one are the same
// here, and the bytes are compared elsewhere.
func prune(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if isOurs(v) {
			return nil
		}
		for k, e := range v {
			if e = prune(e); e == nil || k == "version" && e == json.Number("1") {
				delete(v, k)
			} else {
				v[k] = e
			}
		}
		if len(v) == 0 || len(v) == 1 && v["matcher"] != nil {
			return nil
		}
	case []any:
		var rest []any
		for _, e := range v {
			if e = prune(e); e != nil {
				rest = append(rest, e)
			}
		}
		if len(rest) == 0 {
			return nil
		}
		return rest
	case string:
		if v == "mcp__board" || v == "mcp__board__*" || v == "board" {
			return nil
		}
	}
	return v
}

func isOurs(m map[string]any) bool {
	command, _ := m["command"].(string)
	if list, ok := m["command"].([]any); ok && len(list) == 2 && list[1] == "mcp" {
		return strings.HasSuffix(list[0].(string), "/board")
	}
	args, _ := m["args"].([]any)
	if len(args) > 0 && (args[0] == "mcp" && strings.HasSuffix(command, "/board") || args[0] == "--host") {
		return true
	}
	return strings.HasPrefix(command, "/old/") || strings.Contains(command, "it'\\''s/board-hook") || strings.HasPrefix(command, "command -v board ")
}
