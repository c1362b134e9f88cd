//go:build unix

package codexhost

import (
	"os/exec"
	"syscall"
)

// own puts the process into a group of its own: codex is often a script that starts the program, and both must end.
func own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
