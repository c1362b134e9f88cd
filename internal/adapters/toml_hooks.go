package adapters

import (
	"fmt"
	"slices"
	"strings"
)

// hookEvents returns the events for which a config.toml of Codex itself runs board. Codex takes hooks from there as from
// hooks.json, and runs both.
func (d *tomlDoc) hookEvents() (list []string) {
	events, _ := d.tree["hooks"].(map[string]any)
	for event, v := range events {
		groups, _ := v.([]any)
		for _, g := range groups {
			handlers, _ := at(g, "hooks").([]any)
			if slices.ContainsFunc(handlers, func(h any) bool {
				handler, ok := h.(map[string]any)
				return ok && oursTree(handler)
			}) {
				list = append(list, event)
				break
			}
		}
	}
	slices.Sort(list)
	return list
}

// tomlHooks refuses what somebody wrote into config.toml by hand, nil if there is nothing. It is not taken out: groups of
// hooks are spread over many headers there, and Codex counts them to know what it trusts.
func (t Target) tomlHooks(files []file, install bool) *Refusal {
	for _, f := range files {
		if f.toml == nil {
			continue
		}
		at, _ := locate(f.path) // one that board may not write can still be read
		d, err := parseTOML(at.data)
		if err != nil {
			return nil
		}
		events := d.hookEvents()
		if len(events) == 0 {
			return nil
		}
		r := &Refusal{Path: f.path, What: []What{Hooks}}
		r.Reason = fmt.Sprintf("hooks of its own run board-hook (hooks.%s): take them out by hand", strings.Join(events, ", hooks."))
		if install {
			r.Reason += ", or every event is told twice: those of an installation are in hooks.json"
		}
		return r
	}
	return nil
}
