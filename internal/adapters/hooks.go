package adapters

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/tailscale/hujson"

	"board/internal/hooks"
	"board/internal/runs"
)

// hookPart is the "hooks" object of a host's JSON file: event → list of groups of handlers, or, for Cursor, event → list
// of handlers.
type hookPart struct {
	t    Target
	rows []hooks.Event
}

// flat reports whether handlers stand directly in the list of their event.
func (p hookPart) flat() bool { return p.t.Host == runs.Cursor }

// value is what is written for one row: a group, or for Cursor a handler.
func (p hookPart) value(e hooks.Event) fields {
	command, seconds := hookCommand(p.t), int(e.Timeout/time.Second)
	if p.flat() {
		f := fields{{"command", command}, {"timeout", seconds}}
		if e.Matcher != "" {
			f = append(f, member{"matcher", e.Matcher})
		}
		if e.Answer == hooks.Question {
			f = append(f, member{"loop_limit", 1})
		}
		return f
	}
	handler := fields{{"type", "command"}, {"command", command}, {"timeout", seconds}}
	if p.t.Host == runs.Gemini { // milliseconds, and a name to be shown and switched off by
		handler = fields{{"name", geminiName}, {"type", "command"}, {"command", command}, {"timeout", int(e.Timeout / time.Millisecond)}}
	}
	group := fields{{"hooks", list{handler}}}
	if e.Matcher != "" {
		group = append(fields{{"matcher", e.Matcher}}, group...)
	}
	return group
}

const geminiName = "board"

// snippet is everything that is written, for a person to paste.
func (p hookPart) snippet() fields {
	events := fields{}
	for _, e := range p.rows {
		events = append(events, member{e.Name, list{p.value(e)}})
	}
	return fields{{"hooks", events}}
}

// entry is one handler of board in the file.
type entry struct {
	event   string
	path    []any // to the handler
	alone   bool  // nothing else is in its group
	exact   bool  // as value writes it, group and all
	matches bool  // its group has the matcher that it should have
	last    bool  // no foreign handler of the event comes after it
	command string
}

// group is the path to what is written or removed as one.
func (e entry) unit() []any {
	if e.alone {
		return e.path[:3]
	}
	return e.path
}

// scan finds board's handlers, in the order of the file. A shape that it does not know is an error where a row of the
// contract is to be written, and is passed over elsewhere.
func (p hookPart) scan(d *jsonDoc) (found []entry, err error) {
	v, err := d.find("hooks")
	if err != nil || v == nil {
		return nil, err
	}
	if _, err := object(v, "hooks"); err != nil {
		return nil, err
	}
	for _, m := range elems(v) {
		row := slices.IndexFunc(p.rows, func(e hooks.Event) bool { return e.Name == m.key })
		var want fields
		if row >= 0 {
			want = p.value(p.rows[row])
		}
		entries, err := p.scanEvent(d, m.key, m.value, want)
		if err != nil && row >= 0 {
			return nil, err
		}
		found = append(found, entries...)
	}
	return found, nil
}

func (p hookPart) scanEvent(d *jsonDoc, event string, v *hujson.Value, want fields) (found []entry, err error) {
	where := "hooks." + event
	if _, ok := v.Value.(*hujson.Array); !ok {
		return nil, notList(where)
	}
	foreign := -1 // the last handler that is not ours
	for i, g := range elems(v) {
		group, err := object(g.value, fmt.Sprintf("%s[%d]", where, i))
		if err != nil {
			return nil, err
		}
		if p.flat() {
			if command, ok := oursHandler(group); ok {
				found = append(found, entry{event: event, path: []any{"hooks", event, i}, alone: true, exact: same(d, g.value, want), matches: true, command: command})
			} else {
				foreign = len(found)
			}
			continue
		}
		handlers := group["hooks"]
		if handlers == nil {
			return nil, fmt.Errorf("%s[%d] has no list of hooks", where, i)
		}
		if _, ok := handlers.Value.(*hujson.Array); !ok {
			return nil, notList(fmt.Sprintf("%s[%d].hooks", where, i))
		}
		all := elems(handlers)
		for k, h := range all {
			handler, err := object(h.value, fmt.Sprintf("%s[%d].hooks[%d]", where, i, k))
			if err != nil {
				return nil, err
			}
			command, ok := oursHandler(handler)
			if !ok {
				foreign = len(found)
				continue
			}
			found = append(found, entry{
				event: event, path: []any{"hooks", event, i, "hooks", k}, command: command, alone: len(all) == 1,
				exact:   same(d, g.value, want),
				matches: want != nil && matcher(str(group["matcher"])) == matcher(text(want.get("matcher"))),
			})
		}
	}
	for i := range found {
		found[i].last = foreign <= i
	}
	return found, nil
}

// matcher brings the spellings of "every tool" together.
func matcher(m string) string {
	if m == "*" {
		return ""
	}
	return m
}

func text(val any) string {
	s, _ := val.(string)
	return s
}

// same reports whether a value says what board would write.
func same(d *jsonDoc, v *hujson.Value, want fields) bool {
	if want == nil {
		return false
	}
	have, ok := decode(d.text, v).(map[string]any)
	if ok && matcher(text(have["matcher"])) == "" {
		delete(have, "matcher")
	}
	return ok && reflect.DeepEqual(have, plain(want))
}

// oursHandler reports whether a handler is board's, and its command line.
func oursHandler(handler map[string]*hujson.Value) (string, bool) {
	if kind := handler["type"]; kind != nil && str(kind) != "command" {
		return "", false
	}
	command := str(handler["command"])
	if args := handler["args"]; args != nil { // started without a shell
		argv := []string{command}
		for _, a := range elems(args) {
			argv = append(argv, str(a.value))
		}
		return command, oursArgv(argv)
	}
	return command, ours(command)
}

// install brings the file to the form of today. It goes step by step, reading the file anew after each, until there is
// nothing left to do. An entry of ours is rewritten where it stands: Codex trusts handlers by their place in the list, so
// that moving ours would cost others their trust.
func (p hookPart) install(d *jsonDoc, shifted *bool) error {
	if v, err := d.find("hooks"); err != nil {
		return err
	} else if v == nil {
		if d.blank && d.fresh && p.flat() {
			if err := d.put(p.snippet().get("hooks"), "hooks"); err != nil {
				return err
			}
			return d.put(1, "version") // after the hooks: that order is how a removal knows the file as board's
		}
		return d.put(p.snippet().get("hooks"), "hooks")
	}
	for {
		again, err := p.step(d, shifted)
		if err != nil || !again {
			return err
		}
	}
}

// step makes one change, and reports whether it did.
func (p hookPart) step(d *jsonDoc, shifted *bool) (bool, error) {
	found, err := p.scan(d)
	if err != nil {
		return false, err
	}
	for _, e := range slices.Backward(found) {
		if keep := p.keep(found, e.event); keep == nil || !reflect.DeepEqual(keep.path, e.path) {
			*shifted = *shifted || !e.last
			return true, d.drop(e.unit()...)
		}
	}
	for _, row := range p.rows {
		e := p.keep(found, row.Name)
		switch {
		case e == nil:
			return true, d.push(p.value(row), "hooks", row.Name)
		case e.exact:
		case e.alone:
			return true, d.replace(e.unit(), p.value(row))
		default: // in a group with others: the handler alone is compared and written
			handler := p.value(row).get("hooks").(list)[0].(fields)
			v, err := d.find(e.path...)
			if err != nil {
				return false, err
			}
			if !same(d, v, handler) {
				return true, d.replace(e.path, handler)
			}
		}
	}
	return false, nil
}

// keep is the entry of an event that stays: the first that can be made right where it stands.
func (p hookPart) keep(found []entry, event string) *entry {
	if !slices.ContainsFunc(p.rows, func(e hooks.Event) bool { return e.Name == event }) {
		return nil
	}
	for i := range found {
		if found[i].event == event && (found[i].alone || found[i].matches) {
			return &found[i]
		}
	}
	return nil
}

// cursorEmpty is what stays of a file of Cursor's that board made: the editor unloads hooks when the file changes, not
// when it goes.
const (
	cursorHooks = "hooks.json"
	cursorEmpty = "{\n  \"hooks\": {},\n  \"version\": 1\n}\n"
)

// remove takes every handler of board out.
func (p hookPart) remove(d *jsonDoc, shifted *bool) error {
	made := false
	if p.flat() && d.origin() == freshFile {
		list := elems(&d.root)
		made = len(list) == 2 && list[0].key == "hooks" && list[1].key == "version"
	}
	for {
		found, err := p.scan(d)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			break
		}
		e := found[len(found)-1]
		*shifted = *shifted || !e.last
		if err := d.drop(e.unit()...); err != nil {
			return err
		}
	}
	if made && len(elems(&d.root)) == 1 {
		return d.splice(0, len(d.text), cursorEmpty)
	}
	return nil
}
