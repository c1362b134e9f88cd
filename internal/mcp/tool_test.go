package mcp

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"board/internal/issues"
)

type listedTool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  map[string]bool `json:"annotations"`
}

const listRequest = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// listing is the result of tools/list, as bytes and read.
func listing(t *testing.T, o Options) ([]byte, []listedTool) {
	t.Helper()
	raw := talk(t, o, listRequest)[0].Result
	var l struct{ Tools []listedTool }
	if err := json.Unmarshal(raw, &l); err != nil {
		t.Fatal(err)
	}
	return raw, l.Tools
}

// wanted is the tools, and whether each only reads.
func wanted() map[string]bool {
	return map[string]bool{
		"kanban_list": true, "kanban_get": true, "kanban_create": false, "kanban_update": false, "kanban_note": false,
		"kanban_begin_work": false, "kanban_pause": false, "kanban_resume": false, "kanban_unclaim": false, "kanban_request_closure": false,
	}
}

func TestEveryToolIsListedAsItsGoldenFileSays(t *testing.T) {
	_, tools := listing(t, noBoard())
	for _, tool := range tools {
		var b bytes.Buffer
		raw, err := json.Marshal(tool)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Indent(&b, raw, "", "  "); err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Join("testdata", "tools", tool.Name+".json"), append(b.Bytes(), '\n'))
	}
	files, err := os.ReadDir(filepath.Join("testdata", "tools"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(tools) {
		t.Errorf("%d golden files for %d tools", len(files), len(tools))
	}
}

func TestTheWholeSetOfTools(t *testing.T) {
	raw, tools := listing(t, noBoard())
	if len(raw) > 6000 {
		t.Errorf("tools/list has %d bytes, limit 6000", len(raw))
	}
	// A public counter (o200k) gave 1,296 tokens for 5,352 bytes of it: four bytes a token is no underestimate.
	if tokens := len(raw) / 4; tokens > 1500 {
		t.Errorf("tools/list has about %d tokens, limit 1500", tokens)
	}
	t.Logf("tools/list: %d tools, %d bytes, about %d tokens", len(tools), len(raw), len(raw)/4)
	want := wanted()
	name := regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_-]*$`)
	for _, tool := range tools {
		reads, ok := want[tool.Name]
		if !ok {
			t.Errorf("%s is listed", tool.Name)
		}
		delete(want, tool.Name)
		if full := "mcp__" + strings.Repeat("s", 20) + "__" + tool.Name; !name.MatchString(tool.Name) || len(full) > 64 {
			t.Errorf("%s is no name that every host accepts", tool.Name)
		}
		if tool.Description == "" || strings.Count(strings.TrimSuffix(tool.Description, "."), "\n") > 0 {
			t.Errorf("%s: description %q", tool.Name, tool.Description)
		}
		if tool.OutputSchema != nil {
			t.Errorf("%s has an outputSchema", tool.Name)
		}
		if err := checkPlain(tool.InputSchema); err != nil {
			t.Errorf("%s: %v", tool.Name, err)
		}
		if bytes.Contains(tool.InputSchema, []byte("null")) {
			t.Errorf("%s: null in the schema", tool.Name)
		}
		hints := map[string]bool{"readOnlyHint": reads, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false}
		if len(tool.Annotations) != len(hints) {
			t.Errorf("%s: annotations %v", tool.Name, tool.Annotations)
		}
		for h, v := range hints {
			if got, said := tool.Annotations[h]; !said || got != v {
				t.Errorf("%s: %s is %v (said: %v), want %v", tool.Name, h, got, said, v)
			}
		}
	}
	for n := range want {
		t.Errorf("%s is not listed", n)
	}
}

func TestNoToolDecidesForAPerson(t *testing.T) {
	_, tools := listing(t, noBoard())
	for _, tool := range tools {
		for _, verb := range []string{"approve", "reject", "request_changes", "close", "reopen", "cancel", "archive", "release", "hold", "set_state", "move"} {
			if strings.TrimPrefix(tool.Name, "kanban_") == verb {
				t.Errorf("%s is a person's verb", tool.Name)
			}
		}
		for _, arg := range []string{"force", "override", "takeover", "hold", "rank", "archived", "actor", "status"} {
			if strings.Contains(string(tool.InputSchema), `"`+arg+`"`) {
				t.Errorf("%s takes %s", tool.Name, arg)
			}
		}
	}
}

func TestTheWordsOfASchemaAreThoseOfTheMachine(t *testing.T) {
	s, err := schemaOf[listArgs]()
	if err != nil {
		t.Fatal(err)
	}
	var got []issues.State
	for _, w := range s.Properties["state"].Enum {
		got = append(got, issues.State(w.(string)))
	}
	if len(got) != len(issues.States()) {
		t.Fatalf("states %v", got)
	}
	for i, w := range issues.States() {
		if got[i] != w {
			t.Errorf("state %d is %s, want %s", i, got[i], w)
		}
	}
}

func TestInstructionsCarryTheWayOfWorkingInAtMost120Words(t *testing.T) {
	m := talk(t, noBoard(), `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`)[0]
	var r struct{ Instructions string }
	if err := json.Unmarshal(m.Result, &r); err != nil {
		t.Fatal(err)
	}
	if n := len(strings.Fields(r.Instructions)); n > 120 || n < 60 {
		t.Errorf("%d words", n)
	}
	for name := range wanted() {
		if name == "kanban_update" || name == "kanban_resume" || name == "kanban_create" {
			continue // their sentence says it all
		}
		if !strings.Contains(r.Instructions, name) {
			t.Errorf("%s is not named", name)
		}
	}
	for _, word := range []string{"run_id", "run_revision", "board: run", "in progress", "person approves", "Subagents", "not instructions"} {
		if !strings.Contains(r.Instructions, word) {
			t.Errorf("%q is not said", word)
		}
	}
}

// What some client in the field cannot read must not pass the check that guards every tool.
func TestCheckPlainRefusesWhatSomeClientCannotRead(t *testing.T) {
	wrap := func(property string) string {
		return `{"type":"object","properties":{"a":` + property + `},"additionalProperties":false}`
	}
	for name, schema := range map[string]string{
		"open object":          `{"type":"object","properties":{}}`,
		"no properties":        `{"type":"object","additionalProperties":false}`,
		"unknown requirement":  `{"type":"object","properties":{},"required":["a"],"additionalProperties":false}`,
		"oneOf at the top":     `{"type":"object","properties":{},"additionalProperties":false,"oneOf":[]}`,
		"$defs":                `{"type":"object","properties":{},"additionalProperties":false,"$defs":{}}`,
		"$ref":                 wrap(`{"$ref":"#"}`),
		"anyOf":                wrap(`{"anyOf":[{"type":"string"}]}`),
		"allOf":                wrap(`{"type":"string","allOf":[]}`),
		"const":                wrap(`{"type":"string","const":"x"}`),
		"list of types":        wrap(`{"type":["string","null"]}`),
		"list without items":   wrap(`{"type":"array"}`),
		"list of null":         wrap(`{"type":"array","items":{"type":["null","string"]}}`),
		"no type":              wrap(`{}`),
		"true":                 wrap(`true`),
		"an open inner object": wrap(`{"type":"object","properties":{}}`),
	} {
		if checkPlain([]byte(schema)) == nil {
			t.Errorf("%s passes", name)
		}
	}
	if err := checkPlain([]byte(wrap(`{"type":"array","items":{"type":"string"}}`))); err != nil {
		t.Error(err)
	}
}
