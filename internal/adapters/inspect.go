package adapters

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"board/internal/hooks"
	"board/internal/runs"
)

// Inspect reads what stands in the configuration, and writes nothing. A file that it does not understand is no error: the
// state of what belongs there is Unread.
func Inspect(t Target) (Found, error) {
	found := Found{Target: t, Permission: ItemState{State: NotNeeded}, Plugin: PluginState{State: NotNeeded}, ServerName: ""}
	files, err := t.files()
	if err != nil {
		return found, err
	}
	for _, e := range hooks.ContractOf(t.Host) {
		s := EventState{Event: e, State: Missing}
		if !knows(t.Version, MinVersion(e.Host, e.Name)) {
			s.State = NotNeeded
		}
		found.Events = append(found.Events, s)
	}
	for _, f := range files {
		at, err := locate(f.path)
		s := FileState{Path: f.path, Exists: at.exists, What: f.what}
		if at.linked {
			s.Target = at.path
		}
		if at.exists {
			s.Mode = at.info.Mode().Perm()
		}
		// Somebody else's file that cannot be written can still be read.
		unread := f.inspect(t, at, &found)
		switch {
		case err != nil:
			s.Fault = err.Error()
		case unread != nil:
			s.Fault = unread.Error()
		}
		found.Files = append(found.Files, s)
	}
	found.TrustNoted = t.noted(found.TrustKeys)
	found.Blocked = t.blocked(found)
	return found, nil
}

// inspect adds what one file says.
func (f file) inspect(t Target, at place, found *Found) error {
	switch {
	case f.own:
		found.Plugin = t.inspectPlugin(f, at)
		for i := range found.Events {
			if e := &found.Events[i]; e.State != NotNeeded {
				e.State = found.Plugin.State
			}
		}
		return nil
	case f.toml != nil:
		d, err := parseTOML(at.data)
		if err != nil {
			found.Server = ItemState{State: Unread, Path: f.path}
			found.Permission = found.Server
			return err
		}
		f.toml.inspect(d, f.path, found)
		for _, event := range d.hookEvents() {
			found.Strays = append(found.Strays, f.path+": "+event)
		}
		return nil
	}
	d, err := parseJSON(at.data)
	if err == nil && f.check != nil {
		err = f.check(d)
	}
	var first error
	for _, p := range f.parts {
		e := err
		switch p := p.(type) {
		case hookPart:
			if e == nil {
				e = p.inspect(d, f.path, found)
			}
			if e != nil {
				for i := range found.Events {
					found.Events[i].State = Unread
				}
			}
		case serverPart:
			if e == nil {
				e = p.inspect(d, f.path, found)
			}
			if e != nil {
				found.Server = ItemState{State: Unread, Path: f.path}
			}
		case listPart:
			found.Permission, e = p.inspect(d, f.path, e, found.Permission)
		}
		if first == nil {
			first = e
		}
	}
	return first
}

func (t Target) inspectPlugin(f file, at place) PluginState {
	s := PluginState{State: Missing, Path: f.path, Doubles: t.pluginDoubles(f.path)}
	want, err := plugin(t)
	if err != nil {
		s.State = Unread
		return s
	}
	s.Want = pluginVersion(want)
	if !at.exists {
		return s
	}
	switch s.Version = pluginVersion(at.data); {
	case s.Version == "":
		s.State = Foreign
	case !bytes.Equal(at.data, want):
		s.State = Older
	case len(s.Doubles) > 0:
		s.State = Twice
	default:
		s.State = Present
	}
	return s
}

func (p hookPart) inspect(d *jsonDoc, path string, found *Found) error {
	entries, err := p.scan(d)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for i := range found.Events {
		s := &found.Events[i]
		seen[s.Name] = true
		s.Commands = nil
		exact := false
		for _, e := range entries {
			if e.event != s.Name {
				continue
			}
			s.Commands = append(s.Commands, e.command)
			exact = p.right(d, e, s.Event)
			if p.t.Host == runs.Codex {
				found.TrustKeys = append(found.TrustKeys, trustKey(path, e))
			}
		}
		switch {
		case len(s.Commands) > 1:
			s.State = Twice
		case len(s.Commands) == 1 && !exact:
			s.State = Older
		case len(s.Commands) == 1:
			s.State = Present
		}
	}
	for _, e := range entries {
		if !seen[e.event] {
			found.Strays = append(found.Strays, path+": "+e.event)
		}
	}
	return nil
}

// right reports whether an entry needs no change.
func (p hookPart) right(d *jsonDoc, e entry, row hooks.Event) bool {
	if e.exact || e.alone {
		return e.exact
	}
	v, err := d.find(e.path...)
	return err == nil && e.matches && same(d, v, p.value(row).get("hooks").(list)[0].(fields))
}

// trustKey is the name of a handler in Codex's [hooks.state].
func trustKey(path string, e entry) string {
	group, handler := e.path[2].(int), e.path[4].(int)
	return path + ":" + snake(e.event) + ":" + strconv.Itoa(group) + ":" + strconv.Itoa(handler)
}

// snake spells an event as Codex does in keys: user_prompt_submit.
func snake(event string) string {
	var b strings.Builder
	for i, r := range event {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func (p serverPart) inspect(d *jsonDoc, path string, found *Found) error {
	names, taken, err := p.scan(d)
	if err != nil {
		return err
	}
	found.Server.Path = path
	switch {
	case len(names) == 0 && taken:
		found.Server.State = Foreign
	case len(names) == 0:
		found.Server.State = Missing
	}
	if p.t.Host == runs.Gemini {
		found.Permission = ItemState{State: found.Server.State, Path: path}
	}
	if len(names) == 0 {
		return nil
	}
	found.ServerName = keepName(names)
	v, err := d.find(p.key(), found.ServerName)
	if err != nil {
		return err
	}
	have, err := object(v, p.key()+"."+found.ServerName)
	if err != nil {
		return err
	}
	found.Server.State, found.Server.Command = Present, p.argv(v)
	for _, f := range p.value() {
		old := have[f.key]
		absent := old == nil && !optional(f.key) && !permits(f.key)
		if absent || old != nil && !chosen(f.key) && !reflect.DeepEqual(decode(d.text, old), plain(f.val)) {
			found.Server.State = Older
		}
	}
	if p.t.Host == runs.Gemini {
		found.Permission.State = Missing
		if trust := have["trust"]; trust != nil && decode(d.text, trust) == true {
			found.Permission.State = Present
		}
	}
	if len(names) > 1 {
		found.Server.State = Twice
	}
	return nil
}

// inspect combines with what another list of the same file needs.
func (p listPart) inspect(d *jsonDoc, path string, err error, so ItemState) (ItemState, error) {
	s := ItemState{State: Present, Path: path}
	if err == nil {
		var at []int
		if at, err = p.scan(d); err == nil {
			switch {
			case len(at) == 0 && (p.unless == nil || !p.unless(d)):
				s.State = Missing
			case len(at) > 1:
				s.State = Twice
			}
		}
	}
	if err != nil {
		s.State = Unread
	}
	if so.State == Missing || so.State == Unread {
		s = so
	}
	return s, err
}

func (p tomlServer) inspect(d *tomlDoc, path string, found *Found) {
	found.Server, found.Permission = ItemState{State: Missing, Path: path}, ItemState{State: Missing, Path: path}
	names, taken, err := p.scan(d)
	switch {
	case err != nil:
		found.Server.State, found.Permission.State = Unread, Unread
		return
	case len(names) == 0 && taken:
		found.Server.State = Foreign
		return
	case len(names) == 0:
		return
	}
	found.ServerName = keepName(names)
	server := d.tree[tomlServers].(map[string]any)[found.ServerName].(map[string]any)
	found.Server.State, found.Server.Command = Present, tomlArgv(server)
	for _, f := range p.value() {
		old, ok := server[f.key]
		if !ok && !permits(f.key) || ok && !chosen(f.key) && !reflect.DeepEqual(old, plain(f.val)) {
			found.Server.State = Older
		}
	}
	if len(names) > 1 {
		found.Server.State = Twice
	}
	if server["default_tools_approval_mode"] == "approve" {
		found.Permission.State = Present
	}
}

// String is for messages of tests and logs.
func (e EventState) String() string { return fmt.Sprintf("%s %s: %s", e.Host, e.Name, e.State) }
