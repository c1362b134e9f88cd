package adapters

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"board/internal/runs"
)

// Codex runs the hooks of config.toml and those of hooks.json.
func TestHooksOfBoardInCodexConfigAreNamedAndNotDoubled(t *testing.T) {
	for name, text := range map[string]string{
		"as tables": "model = \"x\"\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"/old/board-hook --host codex\"\n",
		"in braces": "[hooks]\nStop = [{ hooks = [{ type = \"command\", command = \"/opt/lint\" }, { type = \"command\", command = \"board hook --host codex\" }] }]\n",
	} {
		for _, installed := range []bool{false, true} {
			target := world(t, runs.Codex, ScopeUser)
			config := at2(t, target, "config.toml")
			if installed {
				apply(t, must[Plan](t)(PlanInstall(target)))
			}
			before := []byte(text)
			if installed {
				before = append(before, '\n')
				before = append(before, read(t, config)...)
			}
			write(t, config, before, 0o600)
			if found := must[Found](t)(Inspect(target)); !slices.Equal(found.Strays, []string{config + ": Stop"}) {
				t.Errorf("%s: strays %q", name, found.Strays)
			}
			plan := must[Plan](t)(PlanInstall(target))
			if len(plan.Refused) != 1 || plan.Refused[0].Path != config || !strings.Contains(plan.Refused[0].Reason, "hooks.Stop") {
				t.Errorf("%s: refused %v", name, plan.Refused)
			}
			apply(t, plan)
			if _, err := os.Stat(at2(t, target, "hooks.json")); err == nil != installed {
				t.Errorf("%s: hooks.json is there: %v", name, err == nil)
			}
			plan = must[Plan](t)(PlanRemove(target))
			if len(plan.Refused) != 1 || !strings.Contains(plan.Refused[0].Reason, "take them out by hand") {
				t.Errorf("%s: the removal refuses %v", name, plan.Refused)
			}
			apply(t, plan)
			if _, err := os.Stat(at2(t, target, "hooks.json")); err == nil {
				t.Errorf("%s: hooks.json stays", name)
			}
			if after := read(t, config); !bytes.HasPrefix(after, []byte(text)) {
				t.Errorf("%s: it became\n%s", name, after)
			}
		}
	}
}

func TestAFileOfAPersonsThatHeldBoardAloneBecomesEmptyAndStays(t *testing.T) {
	target := world(t, runs.Codex, ScopeUser)
	path := at2(t, target, "config.toml")
	write(t, path, []byte("mcp_servers.board.command = \"/old/board\"\nmcp_servers.board.args = [\"mcp\"]\n"), 0o600)
	apply(t, must[Plan](t)(PlanRemove(target)))
	if after := read(t, path); len(after) > 0 {
		t.Errorf("it became %q", after)
	}
}

func TestWhatIsLeftForCursorIsSaidAndIsNoSignOfCursor(t *testing.T) {
	target := world(t, runs.Cursor, ScopeUser)
	none := func(string) (string, error) { return "", os.ErrNotExist }
	detected := func() bool { return slices.Contains(Detect(target.Home, target.Getenv, none), runs.Cursor) }
	if detected() {
		t.Fatal("found without a sign of it")
	}
	apply(t, must[Plan](t)(PlanInstall(target)))
	plan := must[Plan](t)(PlanRemove(target))
	if path := at2(t, target, cursorHooks); !slices.ContainsFunc(plan.Hints, func(h string) bool { return strings.HasPrefix(h, path+" stays") }) {
		t.Errorf("hints %q", plan.Hints)
	}
	apply(t, plan)
	if detected() {
		t.Error("found by what a removal left")
	}
	write(t, at2(t, target, "mcp.json"), []byte("{}"), 0o600)
	if !detected() {
		t.Error("not found by a file of its own")
	}
}
