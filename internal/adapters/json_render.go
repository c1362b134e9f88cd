package adapters

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// What board writes is built from these: objects keep the order of their members.
type (
	member struct {
		key string
		val any // fields, list, string, int or bool
	}
	fields []member
	list   []any
)

// get returns the value of a member, nil if there is none.
func (f fields) get(key string) any {
	for _, m := range f {
		if m.key == key {
			return m.val
		}
	}
	return nil
}

// plain turns a value into what encoding/json would decode it to, with numbers as json.Number.
func plain(val any) any {
	switch val := val.(type) {
	case fields:
		m := map[string]any{}
		for _, f := range val {
			m[f.key] = plain(f.val)
		}
		return m
	case list:
		a := make([]any, 0, len(val))
		for _, v := range val {
			a = append(a, plain(v))
		}
		return a
	case int:
		return json.Number(strconv.Itoa(val))
	}
	return val
}

func renderEntry(key string, val any, l layout) string {
	if key == "" {
		return render(val, l)
	}
	return string(hujson.String(key)) + ": " + render(val, l)
}

// render writes a value whose first line begins at l.indent. A container begins with white space (json_edit.go).
func render(val any, l layout) string {
	var parts []string
	open, end := "{", "}"
	switch val := val.(type) {
	case string:
		return string(hujson.String(val))
	case int:
		return strconv.Itoa(val)
	case bool:
		return strconv.FormatBool(val)
	case fields:
		for _, m := range val {
			parts = append(parts, renderEntry(m.key, m.val, l.deeper()))
		}
	case list:
		open, end = "[", "]"
		for _, v := range val {
			parts = append(parts, render(v, l.deeper()))
		}
	}
	if len(parts) == 0 {
		return open + end
	}
	if l.flat {
		return open + " " + strings.Join(parts, ", ") + " " + end
	}
	gap := l.newline + l.indent + l.unit
	return open + gap + strings.Join(parts, ","+gap) + l.newline + l.indent + end
}
