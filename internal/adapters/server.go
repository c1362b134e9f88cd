package adapters

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/tailscale/hujson"

	"board/internal/runs"
)

// serverName is the name under which board's server is entered. A person may have entered it under another one, which is
// then kept.
const serverName = "board"

// serverPart is the entry of board's MCP server in a JSON file.
type serverPart struct{ t Target }

// key is the object that holds the servers.
func (p serverPart) key() string {
	if p.t.Host == runs.OpenCode {
		return "mcp"
	}
	return "mcpServers"
}

func (p serverPart) value() fields {
	board := p.t.Launcher.Board
	switch p.t.Host {
	case runs.OpenCode:
		return fields{{"type", "local"}, {"command", list{board, "mcp"}}}
	case runs.Gemini: // without trust, headless sessions do not offer the tools at all
		env := fields{}
		for _, name := range whereTheStoreIs() { // one that is not set becomes empty, which counts as not set
			env = append(env, member{name, "$" + name})
		}
		return fields{{"command", board}, {"args", list{"mcp"}}, {"env", env}, {"trust", true}}
	}
	return fields{{"type", "stdio"}, {"command", board}, {"args", list{"mcp"}}}
}

func (p serverPart) snippet() fields { return fields{{p.key(), fields{{serverName, p.value()}}}} }

// whereTheStoreIs returns the variables that say which database is used. Codex and Gemini keep the environment from their
// servers: without these the tools would use another database than the hooks.
func whereTheStoreIs() []string { return []string{"BOARD_DB", "XDG_DATA_HOME"} }

// chosen reports whether a person may have decided otherwise about a field: then it stays as it is.
func chosen(field string) bool {
	switch field {
	case "trust", "default_tools_approval_mode", "env", "env_vars":
		return true
	}
	return false
}

// permits reports whether a field is what lets the tools run: it is reported as that, not with the server.
func permits(field string) bool { return field == "trust" || field == "default_tools_approval_mode" }

// scan returns the names under which board stands, and whether the name board is taken by something else.
func (p serverPart) scan(d *jsonDoc) (names []string, taken bool, err error) {
	v, err := d.find(p.key())
	if err != nil || v == nil {
		return nil, false, err
	}
	if _, err := object(v, p.key()); err != nil {
		return nil, false, err
	}
	for _, m := range elems(v) {
		switch {
		case oursServer(p.argv(m.value)):
			names = append(names, m.key)
		case m.key == serverName:
			taken = true
		}
	}
	return names, taken, nil
}

// argv is the command of a server, nil where there is none.
func (p serverPart) argv(v *hujson.Value) (argv []string) {
	for _, m := range elems(v) {
		switch m.key {
		case "command":
			if _, ok := m.value.Value.(*hujson.Array); !ok {
				argv = append([]string{str(m.value)}, argv...)
				continue
			}
			for _, e := range elems(m.value) {
				argv = append(argv, str(e.value))
			}
		case "args":
			for _, e := range elems(m.value) {
				argv = append(argv, str(e.value))
			}
		}
	}
	return argv
}

func (p serverPart) install(d *jsonDoc, _ *bool) error {
	names, taken, err := p.scan(d)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		if taken {
			return fmt.Errorf("%s.%s is a server that is not board's", p.key(), serverName)
		}
		return d.put(p.value(), p.key(), serverName)
	}
	keep := keepName(names)
	for i := len(names) - 1; i >= 0; i-- {
		if names[i] != keep {
			if err := d.drop(p.key(), names[i]); err != nil {
				return err
			}
		}
	}
	v, err := d.find(p.key(), keep)
	if err != nil {
		return err
	}
	have, err := object(v, p.key()+"."+keep)
	if err != nil {
		return err
	}
	for _, f := range p.value() {
		switch old := have[f.key]; {
		case old == nil:
			if optional(f.key) {
				continue
			}
			err = d.put(f.val, p.key(), keep, f.key)
		case chosen(f.key) || reflect.DeepEqual(decode(d.text, old), plain(f.val)):
			continue
		default:
			err = d.replace([]any{p.key(), keep, f.key}, f.val)
		}
		if err != nil {
			return err
		}
		if v, err = d.find(p.key(), keep); err != nil { // the text has moved
			return err
		}
		if have, err = object(v, p.key()+"."+keep); err != nil {
			return err
		}
	}
	return nil
}

// optional reports whether a host assumes what board would write when the field is absent.
func optional(field string) bool { return field == "type" }

// keepName is the entry that stays where there are several.
func keepName(names []string) string {
	for _, n := range names {
		if n == serverName {
			return n
		}
	}
	return names[0]
}

func (p serverPart) remove(d *jsonDoc, _ *bool) error {
	for {
		names, _, err := p.scan(d)
		if err != nil || len(names) == 0 {
			return err
		}
		if err := d.drop(p.key(), names[len(names)-1]); err != nil {
			return err
		}
	}
}

// listPart is a text in a list of a JSON file: what lets board's tools run.
type listPart struct {
	path   []string
	want   string
	ours   func(string) bool
	unless func(*jsonDoc) bool // it is not needed; nil: it always is
}

// claudeTools is the rule that allows every tool of a server. Without it claude -p refuses them all.
func claudeTools(server string) string {
	return "mcp__" + strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '-' || r == '_' || strings.ContainsRune(plainPath[:62], r)) {
			return r
		}
		return '_'
	}, server)
}

func (p listPart) snippet() fields {
	val := any(list{p.want})
	for i := len(p.path) - 1; i > 0; i-- {
		val = fields{{p.path[i], val}}
	}
	return fields{{p.path[0], val}}
}

// scan returns the places of board's texts in the list.
func (p listPart) scan(d *jsonDoc) (at []int, err error) {
	v, err := d.find(steps(p.path)...)
	if err != nil || v == nil {
		return nil, err
	}
	if _, ok := v.Value.(*hujson.Array); !ok {
		return nil, notList(name(p.path))
	}
	for i, e := range elems(v) {
		if p.ours(str(e.value)) {
			at = append(at, i)
		}
	}
	return at, nil
}

func (p listPart) install(d *jsonDoc, shifted *bool) error {
	at, err := p.scan(d)
	if err != nil {
		return err
	}
	for i := len(at) - 1; i > 0; i-- {
		if err := d.drop(append(steps(p.path), at[i])...); err != nil {
			return err
		}
	}
	if len(at) > 0 || p.unless != nil && p.unless(d) {
		return nil
	}
	return d.push(p.want, p.path...)
}

func (p listPart) remove(d *jsonDoc, _ *bool) error {
	for {
		at, err := p.scan(d)
		if err != nil || len(at) == 0 {
			return err
		}
		if err := d.drop(append(steps(p.path), at[len(at)-1])...); err != nil {
			return err
		}
	}
}
