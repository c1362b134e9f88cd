package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"board/internal/issues"
)

// schemaOf infers the schema of a tool's arguments from their type and makes it plain.
func schemaOf[In any]() (*jsonschema.Schema, error) {
	s, err := jsonschema.For[In](&jsonschema.ForOptions{TypeSchemas: enums()})
	if err != nil {
		return nil, err
	}
	simplify(s)
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return s, checkPlain(raw)
}

// enums gives the schemas of the closed lists of words. The words are those of the Issue machine.
func enums() map[reflect.Type]*jsonschema.Schema {
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[issues.State]():       enum(issues.States()...),
		reflect.TypeFor[priority]():           enum(priorities()...),
		reflect.TypeFor[issues.PauseReason](): enum(issues.PauseReasons()...),
		reflect.TypeFor[issues.Verdict]():     enum(issues.Met, issues.Unmet, issues.NotApplicable),
	}
}

func enum[T ~string](words ...T) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, w := range words {
		s.Enum = append(s.Enum, string(w))
	}
	return s
}

// simplify takes null out of the types of optional arguments: a union of types makes some clients refuse every tool.
func simplify(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) > 0 {
		s.Types = slices.DeleteFunc(s.Types, func(t string) bool { return t == "null" })
		if len(s.Types) == 1 {
			s.Type, s.Types = s.Types[0], nil
		}
	}
	for _, p := range s.Properties {
		simplify(p)
	}
	simplify(s.Items)
}

// checkPlain reports what in a schema some client in the field could not read. Only the words listed here pass.
func checkPlain(raw []byte) error {
	var s map[string]any
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	return plainObject("arguments", s)
}

func plainObject(at string, s map[string]any) error {
	if s["type"] != "object" || s["additionalProperties"] != false {
		return fmt.Errorf("%s: not a closed object", at)
	}
	props, ok := s["properties"].(map[string]any)
	if !ok {
		return fmt.Errorf("%s: no properties", at)
	}
	var errs []error
	if req, ok := s["required"].([]any); ok {
		for _, name := range req {
			if n, _ := name.(string); props[n] == nil {
				errs = append(errs, fmt.Errorf("%s: requires %v, which it lacks", at, name))
			}
		}
	}
	for name, p := range props {
		errs = append(errs, plainValue(at+"."+name, p))
	}
	return errors.Join(append(errs, onlyWords(at, s, "type", "properties", "required", "additionalProperties"))...)
}

func plainValue(at string, v any) error {
	s, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("%s: no schema", at)
	}
	switch s["type"] {
	case "string", "integer", "boolean":
		return onlyWords(at, s, "type", "enum", "description")
	case "object":
		return plainObject(at, s)
	case "array":
		return errors.Join(onlyWords(at, s, "type", "items", "description"), plainValue(at+"[]", s["items"]))
	default:
		return fmt.Errorf("%s: type %v", at, s["type"])
	}
}

func onlyWords(at string, s map[string]any, words ...string) error {
	for w := range s {
		if !slices.Contains(words, w) {
			return fmt.Errorf("%s: the word %s", at, w)
		}
	}
	return nil
}
