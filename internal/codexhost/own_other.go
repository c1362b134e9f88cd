//go:build !unix

package codexhost

import "os/exec"

// own has nothing to do where there are no process groups.
func own(*exec.Cmd) {}
