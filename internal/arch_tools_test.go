package arch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"board/internal/mcp"
	"board/internal/store"
)

// The arguments of tools that are words of a machine, and the Go type that has the same words.
func wordArguments() map[string]string {
	return map[string]string{
		"kanban_create priority":                  "", // p0 to p4: a number in Go
		"kanban_update priority":                  "",
		"kanban_list state":                       "internal/issues State",
		"kanban_pause reason":                     "internal/issues PauseReason",
		"kanban_request_closure verdicts.verdict": "internal/issues Verdict",
	}
}

type schemaNode struct {
	Enum       []string
	Properties map[string]schemaNode
	Items      *schemaNode
}

func TestToolSchemasRepeatTheWordsOfTheMachines(t *testing.T) {
	want := wordArguments()
	seen := map[string]bool{}
	var walk func(at string, n schemaNode)
	walk = func(at string, n schemaNode) {
		if n.Enum != nil {
			seen[at] = true
			typ, listed := want[at]
			if !listed {
				t.Errorf("%s has an enum and no row in wordArguments", at)
			} else if typ == "" {
				return
			} else if got := constants(t, typ); !slices.Equal(sorted(n.Enum), sorted(got)) {
				t.Errorf("%s: the schema has %v, %s has %v", at, n.Enum, typ, got)
			}
		}
		for name, p := range n.Properties {
			if strings.Contains(at, " ") {
				walk(at+"."+name, p)
			} else {
				walk(at+" "+name, p)
			}
		}
		if n.Items != nil {
			walk(at, *n.Items)
		}
	}
	for _, tool := range listTools(t) {
		walk(tool.Name, tool.InputSchema)
	}
	for at := range want {
		if !seen[at] {
			t.Errorf("%s: no enum in the tool's schema", at)
		}
	}
}

type listedTool struct {
	Name        string
	InputSchema schemaNode
}

// listTools asks a server that has no store, which must not matter.
func listTools(t *testing.T) []listedTool {
	t.Helper()
	var out, log bytes.Buffer
	err := mcp.Serve(t.Context(), mcp.Options{
		In: strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
			`"clientInfo":{"name":"test","version":"1"}}}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"),
		Out: &out, Err: &log, Cwd: t.TempDir(), Version: "test",
		Open:  func(context.Context) (*store.DB, error) { return nil, errors.New("no store here") },
		Drain: func(context.Context, *store.DB) error { return nil },
	})
	if err != nil {
		t.Fatal(err, log.String())
	}
	for d := json.NewDecoder(&out); ; {
		var m struct {
			ID     int
			Result struct{ Tools []listedTool }
		}
		if err := d.Decode(&m); err != nil {
			t.Fatalf("no tools/list answer: %v", err)
		}
		if m.ID == 2 {
			return m.Result.Tools
		}
	}
}
