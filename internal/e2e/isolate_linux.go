package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"unsafe"
)

// isolated runs the suite again in a network namespace that has only loopback, and says whether it could. A host that asks
// for anything outside gets nothing there.
func isolated(ctx context.Context, o options) (ran bool, err error) {
	if os.Getuid() != 0 {
		return false, nil // a user namespace changes who the hosts think they are
	}
	self, err := os.Executable()
	if err != nil {
		return false, err
	}
	cmd := exec.CommandContext(ctx, self, append(os.Args[1:len(os.Args):len(os.Args)], "-inside", "-bin", o.bin, "-cache", o.cache)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGTERM}
	if err := cmd.Start(); errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOSYS) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	if err := cmd.Wait(); err != nil {
		return true, errors.New("see above")
	}
	return true, nil
}

// loopback brings up the only interface of the namespace.
func loopback() error {
	s, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer func() { _ = syscall.Close(s) }()
	var request struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}
	copy(request.name[:], "lo")
	request.flags = syscall.IFF_UP | syscall.IFF_RUNNING
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, uintptr(s), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request))); e != 0 {
		return e
	}
	return nil
}
