//go:build unix

package doctor

import (
	"os/exec"
	"syscall"
)

// group puts a command into a process group of its own: what it started ends with it, and nothing of a trial stays behind.
func group(cmd *exec.Cmd) (end func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	kill := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel = kill
	return func() {
		if cmd.Process != nil {
			_ = kill() // mostly nobody is left
		}
	}
}
