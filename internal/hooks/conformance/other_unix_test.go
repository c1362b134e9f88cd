//go:build unix

package conformance

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"board/internal/lab"
)

// nobody is a user without rights.
const nobody = 65534

// readOnly takes the right to write from everybody, for the store and its folder.
func readOnly(t *testing.T, b *box) {
	t.Helper()
	for dir := filepath.Dir(b.DB); dir != "/"; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.Mode().Perm() == 0o700 {
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if dir == b.Root {
			break
		}
	}
	up := filepath.Dir(b.Root) // of the test's own temporary folder
	if err := os.Chmod(up, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(b.DB, 0o444); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(b.DB)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
}

// asOther delivers a payload; by root's hand as a user without rights.
func asOther(t *testing.T, k *talk, payload []byte) lab.Output {
	t.Helper()
	cmd := exec.Command(k.Program("board-hook"), "--host", k.host, "--protocol", "1")
	cmd.Dir, cmd.Env, cmd.Stdin = "/", k.Env(k.env...), bytes.NewReader(payload)
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	return lab.Output{Stdout: out.String(), Stderr: errs.String(), Code: cmd.ProcessState.ExitCode(), Err: err}
}
