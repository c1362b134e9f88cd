package projects_test

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// mountFolding mounts a volume that ignores case, for the running goroutine alone, and returns a folder in it: "" where
// that takes more than this machine has, which is root, a kernel of 6.13 with tables of Unicode, and chattr.
func mountFolding(t *testing.T) string {
	t.Helper()
	at := t.TempDir()
	runtime.LockOSThread() // for good: this thread is the only one to see the volume, and ends with the test
	if syscall.Unshare(syscall.CLONE_NEWNS) != nil ||
		syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "") != nil ||
		syscall.Mount("tmpfs", at, "tmpfs", 0, "casefold") != nil {
		return ""
	}
	t.Cleanup(func() { must(t, syscall.Unmount(at, 0)) })
	dir := filepath.Join(at, "folded")
	if exec.Command("sh", "-c", `mkdir "$0" && chattr +F "$0"`, dir).Run() != nil {
		return ""
	}
	return dir
}
