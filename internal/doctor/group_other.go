//go:build !unix

package doctor

import "os/exec"

// group has nothing to do where there are no process groups.
func group(*exec.Cmd) (end func()) { return func() {} }
