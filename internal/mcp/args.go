package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"board/internal/fault"
	"board/internal/text"
)

// decode reads the arguments of a call into dst, a pointer to the type that s was inferred from. Whatever does not fit
// is a fault that names it: arguments that are not in the schema, missing ones, wrong types. A null counts as left out,
// because models send it for arguments that they do not use. Strings are cleaned here, once.
func decode(tool string, s *jsonschema.Schema, raw json.RawMessage, dst any) error {
	hint := "call " + tool + " again with " + shape(s)
	var v any
	if len(bytes.TrimSpace(raw)) > 0 {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			return fault.New(fault.Invalid, hint, "the arguments are no valid JSON")
		}
	}
	if v == nil {
		v = map[string]any{}
	}
	fit, problem := fitObject("", s, v)
	if problem != "" {
		return fault.New(fault.Invalid, hint, "%s", problem)
	}
	b, err := json.Marshal(fit)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, dst)
}

// shape names the arguments of a tool, the required ones first, the others in brackets.
func shape(s *jsonschema.Schema) string {
	names := slices.Clone(s.Required)
	for _, n := range s.PropertyOrder {
		if !slices.Contains(names, n) {
			names = append(names, "["+n+"]")
		}
	}
	return strings.Join(names, ", ")
}

// fit returns v as the schema wants it, or what is wrong with it.
func fit(at string, s *jsonschema.Schema, v any) (any, string) {
	switch s.Type {
	case "object":
		return fitObject(at, s, v)
	case "array":
		return fitList(at, s, v)
	case "integer":
		return fitInteger(at, v)
	case "boolean":
		if b, ok := v.(bool); ok {
			return b, ""
		}
		return nil, wrongType(at, "true or false", v)
	default:
		return fitString(at, s, v)
	}
}

func fitObject(at string, s *jsonschema.Schema, v any) (any, string) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, wrongType(at, "an object", v)
	}
	maps.DeleteFunc(m, func(_ string, v any) bool { return v == nil })
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if s.Properties[name] == nil {
			unknown = append(unknown, quote(clip(name, 40)))
		}
	}
	if n := len(unknown); n > 3 {
		unknown = append(unknown[:3], fmt.Sprintf("and %d more", n-3))
	}
	if len(unknown) > 0 {
		return nil, "unknown argument " + within(at, strings.Join(unknown, ", "))
	}
	for _, name := range s.Required {
		if _, ok := m[name]; !ok {
			return nil, join(at, name) + " is missing"
		}
	}
	for _, name := range s.PropertyOrder {
		v, ok := m[name]
		if !ok {
			continue
		}
		fitted, problem := fit(join(at, name), s.Properties[name], v)
		if problem != "" {
			return nil, problem
		}
		m[name] = fitted
	}
	return m, ""
}

func fitList(at string, s *jsonschema.Schema, v any) (any, string) {
	l, ok := v.([]any)
	if !ok {
		return nil, wrongType(at, "a list", v)
	}
	for i := range l {
		fitted, problem := fit(fmt.Sprintf("%s[%d]", at, i), s.Items, l[i])
		if problem != "" {
			return nil, problem
		}
		l[i] = fitted
	}
	return l, ""
}

func fitInteger(at string, v any) (any, string) {
	n, ok := v.(json.Number)
	if !ok {
		return nil, wrongType(at, "a whole number", v)
	}
	if i, err := strconv.ParseInt(n.String(), 10, 64); err == nil {
		return i, ""
	}
	// 5.0 and 1e3 are whole numbers too. Past 2^53 a float no longer says which one it was.
	f, err := n.Float64()
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return nil, at + " must be a whole number of ordinary size"
	}
	return int64(f), ""
}

func fitString(at string, s *jsonschema.Schema, v any) (any, string) {
	str, ok := v.(string)
	if !ok {
		return nil, wrongType(at, "a string", v)
	}
	if len(s.Enum) == 0 {
		return text.Clean(str), ""
	}
	if slices.Contains(s.Enum, any(str)) {
		return str, ""
	}
	var words []string
	for _, w := range s.Enum {
		words = append(words, fmt.Sprint(w))
	}
	return nil, at + " must be one of " + strings.Join(words, ", ")
}

func wrongType(at, want string, v any) string {
	if at == "" {
		at = "the arguments"
	}
	got := "null"
	switch v.(type) {
	case string:
		got = "a string"
	case json.Number:
		got = "a number"
	case bool:
		got = "a boolean"
	case []any:
		got = "a list"
	case map[string]any:
		got = "an object"
	}
	return fmt.Sprintf("%s must be %s, not %s", at, want, got)
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func within(at, names string) string {
	if at == "" {
		return names
	}
	return names + " in " + at
}
