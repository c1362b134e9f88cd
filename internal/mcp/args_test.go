package mcp

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"board/internal/fault"
	"board/internal/issues"
)

func TestDecodeNamesWhatDoesNotFit(t *testing.T) {
	for _, tc := range []struct{ name, raw, want string }{
		{"unknown", `{"title":"a","titel":"b"}`, `unknown argument "titel"`},
		{"unknown, several", `{"title":"a","z":1,"y":2}`, `unknown argument "y", "z"`},
		{"unknown, many", `{"a":1,"b":1,"c":1,"d":1,"e":1}`, `unknown argument "a", "b", "c", and 2 more`},
		{"unknown with control characters", `{"a\u001b[2J\n":1}`, `unknown argument "a\\u{1b}[2J\\u{a}"`},
		{"other case", `{"Title":"a"}`, `unknown argument "Title"`},
		{"missing", `{}`, "title is missing"},
		{"null is missing", `{"title":null}`, "title is missing"},
		{"no arguments", ``, "title is missing"},
		{"no object", `[]`, "the arguments must be an object, not a list"},
		{"a string of JSON", `"{}"`, "the arguments must be an object, not a string"},
		{"number for text", `{"title":7}`, "title must be a string, not a number"},
		{"text for number", `{"title":"a","run_revision":"1"}`, "run_revision must be a whole number, not a string"},
		{"fraction", `{"title":"a","run_revision":1.5}`, "run_revision must be a whole number of ordinary size"},
		{"endless number", `{"title":"a","run_revision":1e400}`, "run_revision must be a whole number of ordinary size"},
		{"large number", `{"title":"a","run_revision":99999999999999999999}`, "run_revision must be a whole number of ordinary size"},
		{"number for a word", `{"title":"a","priority":1}`, "priority must be a string, not a number"},
		{"unknown word", `{"title":"a","priority":"P1"}`, "priority must be one of p0, p1, p2, p3, p4"},
		{"text for flag", `{"title":"a","begin":"yes"}`, "begin must be true or false, not a string"},
		{"text for list", `{"title":"a","criteria":"one"}`, "criteria must be a list, not a string"},
		{"wrong element", `{"title":"a","criteria":["one",2]}`, "criteria[1] must be a string, not a number"},
		{"null element", `{"title":"a","criteria":[null]}`, "criteria[0] must be a string, not null"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var in createArgs
			err := decodeInto(t, "kanban_create", tc.raw, &in)
			if fault.CodeOf(err) != fault.Invalid {
				t.Fatalf("got %v", err)
			}
			f := fault.As(err)
			if f.Message != tc.want {
				t.Errorf("got  %s\nwant %s", f.Message, tc.want)
			}
			if !strings.HasPrefix(f.Hint, "call kanban_create again with title, [") {
				t.Errorf("hint %q", f.Hint)
			}
		})
	}
}

func TestDecodeLooksIntoLists(t *testing.T) {
	for raw, want := range map[string]string{
		`{"n":1,"verdict":"met"}`:                     "verdicts[0].how is missing",
		`{"n":1,"verdict":"ok","how":"x"}`:            "verdicts[0].verdict must be one of met, unmet, not_applicable",
		`{"n":1,"verdict":"met","how":"x","note":""}`: `unknown argument "note" in verdicts[0]`,
		`{"n":"1","verdict":"met","how":"x"}`:         "verdicts[0].n must be a whole number, not a string",
		`7`:                                           "verdicts[0] must be an object, not a number",
	} {
		var in closureArgs
		err := decodeInto(t, "kanban_request_closure", `{"issue_key":"A-1","issue_revision":1,"verdicts":[`+raw+`]}`, &in)
		if fault.As(err).Message != want {
			t.Errorf("%s: got %v, want %s", raw, err, want)
		}
	}
}

func TestDecodeTakesWhatModelsSend(t *testing.T) {
	var in createArgs
	raw := `{"title":"a\u0000b\ud800\r\nc","run_revision":2.0,"criteria":[],"labels":null}`
	if err := decodeInto(t, "kanban_create", raw, &in); err != nil {
		t.Fatal(err)
	}
	want := createArgs{Title: "ab\uFFFD\nc", Criteria: []string{}, writer: writer{RunRevision: 2}}
	if !reflect.DeepEqual(in, want) {
		t.Errorf("got  %+v\nwant %+v", in, want)
	}
}

func TestDecodeKeepsEveryDigit(t *testing.T) {
	var in beginArgs
	if err := decodeInto(t, "kanban_begin_work", `{"run_revision":9007199254740993}`, &in); err != nil || in.RunRevision != 9007199254740993 {
		t.Errorf("%v, %d", err, in.RunRevision)
	}
}

func TestDecodeReadsEveryArgumentOfEveryTool(t *testing.T) {
	for _, tool := range tools() {
		args := map[string]any{}
		for name, p := range tool.schema.Properties {
			switch {
			case len(p.Enum) > 0:
				args[name] = p.Enum[0]
			case p.Type == "integer":
				args[name] = 1
			case p.Type == "boolean":
				args[name] = true
			case p.Type == "array" && p.Items.Type == "string":
				args[name] = []string{"x"}
			case p.Type == "array":
				args[name] = []any{map[string]any{"n": 1, "verdict": issues.Met, "how": "x"}}
			default:
				args[name] = "x"
			}
		}
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		id, do, err := tool.bind(raw)
		if err != nil || id != "x" || do == nil {
			t.Errorf("%s: %v, run_id %q", tool.name, err, id)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"title":"a","criteria":["x"],"priority":1}`))
	f.Add([]byte(`{"issue_key":"A-1","verdicts":[{"n":1}]}`))
	f.Add([]byte(`[[[[`))
	list := tools()
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, tool := range list {
			if _, _, err := tool.bind(raw); err != nil && fault.CodeOf(err) != fault.Invalid {
				t.Errorf("%s: %v", tool.name, err)
			}
		}
	})
}

func decodeInto[In interface{ runID() string }](t *testing.T, tool, raw string, in *In) error {
	t.Helper()
	s, err := schemaOf[In]()
	if err != nil {
		t.Fatal(err)
	}
	return decode(tool, s, json.RawMessage(raw), in)
}
