//go:build unix

package conformance

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"board/internal/adapters"
	"board/internal/hooks"
	"board/internal/runs"
)

// TestTheAnswerToEveryEventOfTheContract installs board for a host, takes the command that stands there for each event,
// runs it through a shell as the host does, in one session, and keeps all that it prints. The events come in the order
// of the contract, but the prompt comes first and the ends last, so that there is a run to speak of.
func TestTheAnswerToEveryEventOfTheContract(t *testing.T) {
	for _, host := range allHosts() {
		for _, policy := range []string{"always", "defaults"} {
			t.Run(host+"/"+policy, func(t *testing.T) {
				t.Parallel()
				b := newBox(t, host, templateOf(policy))
				commands := installed(t, b)
				var all strings.Builder
				for i, e := range inOrder(hooks.ContractOf(host)) {
					payload, err := hooks.Sample(e, hooks.Place{Session: "board-check", Cwd: world.repo, At: time.Unix(1_800_000_000+int64(i), 0)})
					if err != nil {
						t.Fatal(err)
					}
					cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", commands[e.Name])
					cmd.Dir, cmd.Env, cmd.Stdin = b.Repo, b.Env(), bytes.NewReader(payload)
					var stderr bytes.Buffer
					cmd.Stderr = &stderr
					stdout, err := cmd.Output()
					if err != nil || stderr.Len() > 0 {
						t.Errorf("%s: %v, stderr %q", e.Name, err, stderr.String())
					}
					what, err := printed(host, e.Name, string(stdout))
					may := map[string]hooks.Answer{"-": hooks.Silent, "context": hooks.Context, "probe": hooks.Question}[what]
					if err != nil || may != hooks.Silent && may != e.Answer {
						t.Errorf("%s prints a %s (%v), and may print %s", e.Name, what, err, e.Answer)
					}
					all.WriteString(entry(e.Name, string(stdout)))
				}
				golden(t, host+".contract."+policy, all.String())
			})
		}
	}
}

// installed installs board for the box's host in the box's home, and returns the command of each event.
func installed(t *testing.T, b *box) map[string]string {
	t.Helper()
	launcher := adapters.Launcher{Board: b.Program("board"), Hook: b.Program("board-hook")}
	target := adapters.Target{Host: b.host, Scope: adapters.ScopeUser, Home: b.Home, Launcher: launcher}
	plan, err := adapters.PlanInstall(target)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Apply(filepath.Join(b.Root, "backup")); err != nil {
		t.Fatal(err)
	}
	found, err := adapters.Inspect(target)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range found.Events {
		switch {
		case b.host == runs.OpenCode: // the plugin runs it, without a shell
			out[e.Name] = launcher.Hook + " --host opencode --protocol " + hooks.Protocol
		case e.State != adapters.Present || len(e.Commands) != 1:
			t.Errorf("%s is %s: %q", e.Name, e.State, e.Commands)
		default:
			out[e.Name] = e.Commands[0]
		}
	}
	return out
}

// inOrder puts the prompt first, then the starts, and the ends last.
func inOrder(rows []hooks.Event) []hooks.Event {
	rank := func(e hooks.Event) int {
		name := strings.ToLower(e.Name)
		switch {
		case e.Name == promptEvent(e.Host):
			return 1
		case name == "subagentstop", name == "subagent_stop":
			return 3
		case name == "stop", name == "afteragent":
			return 4
		case name == "stopfailure", name == "failure", name == "interrupt":
			return 5
		case name == "sessionend", name == "session_end":
			return 6
		case name == "sessionstart":
			return 0
		}
		return 2
	}
	var out []hooks.Event
	for at := range 7 {
		for _, e := range rows {
			if rank(e) == at {
				out = append(out, e)
			}
		}
	}
	return out
}

// TestAMissingProgramHarmsNoHost: what is installed stays quiet when board is gone, and answers where the host insists.
func TestAMissingProgramHarmsNoHost(t *testing.T) {
	for _, host := range []string{"gemini", "cursor"} {
		b := newBox(t, host, world.defaults)
		gone := filepath.Join(b.Root, "bin")
		if err := os.MkdirAll(gone, 0o755); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(b.Program("board-hook"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(gone, "board-hook"), data, 0o755); err != nil {
			t.Fatal(err)
		}
		b.Bin = gone
		commands := installed(t, b)
		if err := os.RemoveAll(gone); err != nil {
			t.Fatal(err)
		}
		for name, command := range commands {
			cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", command)
			cmd.Env, cmd.Stdin = b.Env(), strings.NewReader("{}")
			out, err := cmd.CombinedOutput()
			if err != nil || strings.TrimSpace(string(out)) != "{}" {
				t.Errorf("%s %s: %q, %v", host, name, out, err)
			}
		}
	}
}
