//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends what a process left behind in its group. The group was made by ownGroup: nobody else is in it.
func killGroup(leader int) { _ = syscall.Kill(-leader, syscall.SIGKILL) }
