package adapters

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"board/internal/runs"
)

func TestCommandsOfBoardAreKnownByWhatTheyRun(t *testing.T) {
	for command, want := range map[string]bool{
		"/opt/bin/board-hook --host claude-code --protocol 1":                                                 true,
		"board-hook --host codex":                                                                             true,
		"/opt/bin/board-hook --host=codex":                                                                    true,
		"/opt/bin/board hook --host claude-code":                                                              true,
		"board hook --host claude-code":                                                                       true,
		"'/opt/my tools/board-hook' --host codex --protocol 1":                                                true,
		`"/opt/my tools/board-hook" --host codex`:                                                             true,
		`'/opt/it'\''s/board-hook' --host codex`:                                                              true,
		`/opt/my\ tools/board-hook --host codex`:                                                              true,
		`C:\Users\x\board-hook.exe --host codex`:                                                              true,
		`"C:\Program Files\board\board-hook.exe" --host codex`:                                                true,
		`& "C:\Program Files\board\board.exe" hook --host codex`:                                              true,
		"C:/board/board-hook.exe --host cursor":                                                               true,
		"exec /opt/bin/board-hook --host gemini":                                                              true,
		"BOARD_DB=/x /opt/bin/board-hook --host gemini":                                                       true,
		"[ -x /opt/bin/board-hook ] && /opt/bin/board-hook --host gemini --protocol 1 || printf '{}\\n'":      true,
		"[ -x /o/board-hook ] || { printf '{}\\n'; exit 0; }; exec /o/board-hook --host gemini":               true,
		"if [ -x /o/board-hook ]; then exec /o/board-hook --host gemini; fi; printf '{}\\n'":                  true,
		"command -v board >/dev/null 2>&1 && exec board hook --host cursor || printf '{}\\n'":                 true,
		"[ -x '/o/it'\\''s/board-hook' ] && '/o/it'\\''s/board-hook' --host claude-code --protocol 1 || true": true,

		"":                                                                  false,
		"node /x/dashboard/hook.js":                                         false,
		"~/board-notes/run.sh --host x":                                     false,
		"surfboard hook --host claude-code":                                 false,
		"/opt/surfboard-hook --host codex":                                  false,
		"/opt/other/board lint":                                             false,
		"/opt/other/board lint --host x":                                    false,
		"board-hook":                                                        false,
		"board-hook --version":                                              false,
		"echo board-hook --host claude-code":                                false,
		"echo done; board-hook --host codex":                                false,
		"make lint && board-hook --host codex || true":                      false,
		"board-hook --host codex; rm -rf /tmp/x":                            false,
		"cat board-hook --host codex":                                       false,
		"sh -c 'board-hook --host codex'":                                   false,
		"# board-hook --host codex":                                         false,
		"timeout 5 board-hook --host codex":                                 false,
		"printf 'board-hook --host x'":                                      false,
		"[ -x /opt/bin/board-hook ] || printf '{}\\n'":                      false,
		"board-hook-wrapper --host codex":                                   false,
		"/opt/board-hook/run --host codex":                                  false,
		"'unterminated board-hook --host codex":                             false,
		"$HOME/board-hook.sh --host codex":                                  false,
		"python3 /usr/lib/board hook --host codex":                          false,
		"board --host codex hook":                                           false,
		"board-hook --hostname codex":                                       false,
		"C:\\tools\\dashboard.exe hook --host codex":                        false,
		"[ -x /opt/bin/board-hook ] && /opt/x --host gemini || printf '{}'": false,
	} {
		if got := ours(command); got != want {
			t.Errorf("%s: %v, runs %q", command, got, commands(command))
		}
	}
}

// awkward are directories of a launcher.
func awkward() []string {
	return []string{"plain", "my tools (x86)", "it's", `a "b" c`, "$HOME", "`id`", "a;b&c|d", "*?[x]", "ünïcode", "-dash", "back\\slash", "a\tb", "~", "!x", "%PATH%", "#x"}
}

// shells of this machine that hosts or accounts use.
func shells(t *testing.T) (list []string) {
	t.Helper()
	for _, s := range []string{"sh", "bash", "dash", "zsh", "fish", "ksh", "busybox"} {
		if p, err := exec.LookPath(s); err == nil {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		t.Fatal("there is no shell")
	}
	return list
}

func TestTheProgramGetsTheSameArgumentsInEveryShell(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("POSIX shells")
	}
	for _, dir := range awkward() {
		hook := filepath.Join(t.TempDir(), dir, "board-hook")
		write(t, hook, []byte("#!/bin/sh\nfor a in \"$0\" \"$@\"; do printf '<%s>' \"$a\"; done\n"), 0o755)
		for _, shell := range shells(t) {
			for _, host := range runs.Hosts() {
				for _, scope := range []Scope{ScopeUser, ScopeProject} {
					target := Target{Host: host, Scope: scope, Launcher: Launcher{Hook: hook}}
					args := []string{"-c", hookCommand(target)}
					if filepath.Base(shell) == "busybox" {
						args = append([]string{"sh"}, args...)
					}
					cmd := exec.Command(shell, args...)
					cmd.Env = []string{"HOME=/nowhere", "PATH=/usr/bin:/bin"}
					out, err := cmd.CombinedOutput()
					want := fmt.Sprintf("<%s><--host><%s><--protocol><1>", hook, host)
					if err != nil || string(out) != want {
						t.Errorf("%s, %s: %v\n%s\ngot  %s\nwant %s", shell, host, err, hookCommand(target), out, want)
					}
				}
			}
		}
	}
}

func TestAGuardedCommandAnswersForAProgramThatDoesNotRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("POSIX shells")
	}
	for name, make := range map[string]func(path string){
		"missing":        func(string) {},
		"not executable": func(path string) { write(t, path, []byte("x"), 0o644) },
		"no program":     func(path string) { write(t, path, []byte("\x00\x01\x02 no program\n"), 0o755) },
		"killed":         func(path string) { write(t, path, []byte("#!/bin/sh\nkill -9 $$\n"), 0o755) },
		"a directory":    func(path string) { must0(t, os.MkdirAll(path, 0o755)) },
		"exit 2":         func(path string) { write(t, path, []byte("#!/bin/sh\nexit 2\n"), 0o755) },
	} {
		hook := filepath.Join(t.TempDir(), "board-hook")
		make(hook)
		for _, shell := range shells(t) {
			if base := filepath.Base(shell); base == "busybox" || base == "fish" && name == "a directory" { // fish gives up there
				continue
			}
			for _, host := range runs.Hosts() {
				for _, scope := range []Scope{ScopeUser, ScopeProject} {
					target := Target{Host: host, Scope: scope, Launcher: Launcher{Hook: hook}}
					want := ""
					if host == runs.Gemini || host == runs.Cursor {
						want = "{}\n"
					} else if scope == ScopeUser {
						continue // plain: the host itself takes no notice
					}
					cmd := exec.Command(shell, "-c", hookCommand(target))
					cmd.Stdin = strings.NewReader("{}")
					out, err := cmd.Output()
					if err != nil || string(out) != want {
						t.Errorf("%s, %s in %s (%s scope): %v, %q", name, host, shell, scope, err, out)
					}
				}
			}
		}
	}
}

func TestOnWindowsPathsHaveForwardSlashesAndQuotesOnlyWhereTheyMust(t *testing.T) {
	for hook, want := range map[string]string{
		`C:\board\board-hook.exe`:                 "C:/board/board-hook.exe --host cursor --protocol 1",
		`C:\Program Files (x86)\b\board-hook.exe`: `"C:/Program Files (x86)/b/board-hook.exe" --host cursor --protocol 1`,
	} {
		target := Target{Host: runs.Cursor, Scope: ScopeUser, Windows: true, Launcher: Launcher{Hook: hook}}
		if got := hookCommand(target); got != want || !ours(got) {
			t.Errorf("%s: %s (known again: %v)", hook, got, ours(got))
		}
	}
}

func TestProgram(t *testing.T) {
	for command, want := range map[string]string{
		"[ -x '/a b/board-hook' ] && '/a b/board-hook' --host gemini --protocol 1 || printf '{}\\n'": "/a b/board-hook",
		"/opt/other/board lint": "",
	} {
		if got := Program(command); got != want {
			t.Errorf("%s runs %q, want %q", command, got, want)
		}
	}
}
