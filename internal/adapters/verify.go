package adapters

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"

	"board/internal/runs"
)

// The last guard of every edit: what a file says without board must be what it said without board before. It is computed
// from the meaning of the text alone, by other code than the edits.

const changedMeaning = errorText("board would have changed more than its own entries: this is a defect of board, nothing is written")

func verifyJSON(t Target, server string, before, after []byte) error {
	old, err := meaning(t, server, before)
	if err != nil {
		return err
	}
	now, err := meaning(t, server, after)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(old, now) {
		return changedMeaning
	}
	return nil
}

// meaning is what a JSON file says about anything but board, whose server may have another name in another file.
func meaning(t Target, server string, data []byte) (map[string]any, error) {
	data = bytes.TrimPrefix(data, []byte(bom))
	tree := map[string]any{}
	if len(bytes.TrimSpace(data)) == 0 {
		return tree, nil
	}
	std, err := hujson.Standardize(append(bytes.Clone(data), '\n'))
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(std))
	dec.UseNumber()
	if err := dec.Decode(&tree); err != nil {
		return nil, err
	}
	without(tree, "hooks", func(events map[string]any) {
		for event := range events {
			withoutHooks(t.Host == runs.Cursor, events, event)
		}
	})
	names := []string{serverName, server}
	for _, key := range []string{"mcpServers", "mcp"} {
		without(tree, key, func(servers map[string]any) {
			for name, s := range servers {
				if server, ok := s.(map[string]any); ok && oursServer(treeArgv(server)) {
					delete(servers, name)
					names = append(names, name)
				}
			}
		})
	}
	without(tree, "permissions", func(permissions map[string]any) { withoutTexts(permissions, "allow", "mcp__", names) })
	withoutTexts(tree, "enabledMcpjsonServers", "", names)
	if t.Host == runs.Cursor {
		if v, ok := tree["version"]; ok && v == json.Number("1") { // the default, which board writes into a file of its own
			delete(tree, "version")
		}
	}
	return tree, nil
}

// without lets edit change the object of that name, and leaves an empty one out.
func without(tree map[string]any, key string, edit func(map[string]any)) {
	if m, ok := tree[key].(map[string]any); ok {
		if edit(m); len(m) == 0 {
			delete(tree, key)
		}
	}
}

func withoutHooks(flat bool, events map[string]any, event string) {
	groups, ok := events[event].([]any)
	if !ok {
		return
	}
	rest := groups[:0]
	for _, g := range groups {
		group, ok := g.(map[string]any)
		if ok && flat && oursTree(group) {
			continue
		}
		handlers, isList := group["hooks"].([]any)
		if !flat && isList {
			var others []any
			for _, h := range handlers {
				if handler, ok := h.(map[string]any); !ok || !oursTree(handler) {
					others = append(others, h)
				}
			}
			if len(others) == 0 && len(handlers) > 0 {
				continue
			}
			if len(others) > 0 {
				group["hooks"] = others
			}
		}
		rest = append(rest, g)
	}
	if events[event] = rest; len(rest) == 0 {
		delete(events, event)
	}
}

func oursTree(handler map[string]any) bool {
	if kind, ok := handler["type"]; ok && kind != "command" {
		return false
	}
	if args, ok := handler["args"].([]any); ok {
		argv := []string{text(handler["command"])}
		for _, a := range args {
			argv = append(argv, text(a))
		}
		return oursArgv(argv)
	}
	return ours(text(handler["command"]))
}

func treeArgv(server map[string]any) (argv []string) {
	command, ok := server["command"].([]any)
	if !ok {
		return tomlArgv(server)
	}
	for _, c := range command {
		argv = append(argv, text(c))
	}
	return argv
}

func withoutTexts(tree map[string]any, key, prefix string, names []string) {
	all, ok := tree[key].([]any)
	if !ok {
		return
	}
	var rest []any
	for _, v := range all {
		keep := true
		for _, n := range names {
			if n == "" {
				continue
			}
			if prefix != "" {
				n = claudeTools(n)
			}
			if s := text(v); s == n || prefix != "" && s == n+"__*" {
				keep = false
			}
		}
		if keep {
			rest = append(rest, v)
		}
	}
	if tree[key] = rest; len(rest) == 0 {
		delete(tree, key)
	}
}

func verifyTOML(before, after []byte) error {
	var trees [2]map[string]any
	for i, data := range [][]byte{before, after} {
		trees[i] = map[string]any{}
		if err := toml.Unmarshal(bytes.TrimPrefix(data, []byte(bom)), &trees[i]); err != nil {
			return err
		}
		without(trees[i], tomlServers, func(servers map[string]any) {
			for name, s := range servers {
				if server, ok := s.(map[string]any); ok && oursServer(tomlArgv(server)) {
					delete(servers, name)
				}
			}
		})
	}
	// As text a NaN is equal to itself.
	if !reflect.DeepEqual(trees[0], trees[1]) && fmt.Sprintf("%#v", trees[0]) != fmt.Sprintf("%#v", trees[1]) {
		return changedMeaning
	}
	return nil
}
