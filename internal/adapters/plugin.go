package adapters

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"

	assets "board/assets/adapters"
	"board/internal/runs"
)

const (
	pluginFile   = "board.ts"
	pluginSource = "opencode/board.ts"
	pluginHook   = `"@BOARD_HOOK@"`
)

// A copy of the plugin is known as board's by its first words, and its age by the stamp that it also sends with events.
const pluginTitle = "// board's plugin for opencode."

var pluginStamp = regexp.MustCompile(`(?m)^const STAMP = "([^"]+)"`)

// plugin is the file that is installed for opencode.
func plugin(t Target) ([]byte, error) {
	source, err := assets.Files.ReadFile(pluginSource)
	if err != nil {
		return nil, err
	}
	hook, err := json.Marshal(filepath.ToSlash(t.Launcher.Hook))
	if err != nil {
		return nil, err
	}
	return bytes.ReplaceAll(source, []byte(pluginHook), hook), nil
}

// pluginVersion is the stamp in a copy of the plugin, "" for a file that is not board's.
func pluginVersion(data []byte) string {
	if m := pluginStamp.FindSubmatch(data); m != nil && bytes.HasPrefix(data, []byte(pluginTitle)) {
		return string(m[1])
	}
	return ""
}

// pluginDoubles are the other places from which opencode would load the plugin a second time.
func (t Target) pluginDoubles(path string) (list []string) {
	if t.Host != runs.OpenCode {
		return nil
	}
	config, err := t.env("XDG_CONFIG_HOME", filepath.Join(t.Home, ".config"))
	if err != nil {
		return nil
	}
	dirs := []string{filepath.Join(config, "opencode")}
	if t.Project != "" {
		dirs = append(dirs, filepath.Join(t.Project, ".opencode"))
	}
	for _, dir := range dirs {
		for _, sub := range []string{"plugin", "plugins"} {
			files, err := filepath.Glob(filepath.Join(dir, sub, "*.[tj]s"))
			if err != nil {
				continue
			}
			for _, f := range files {
				if data, err := os.ReadFile(f); f != path && err == nil && pluginVersion(data) != "" {
					list = append(list, f)
				}
			}
		}
	}
	return list
}
