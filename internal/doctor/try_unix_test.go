//go:build unix

package doctor

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestATrialLeavesNoProcessBehind: a hook that hangs mostly waits for a child, which would stay for as long as it likes.
func TestATrialLeavesNoProcessBehind(t *testing.T) {
	for name, script := range map[string]string{
		"it waits for its child":   `sleep 300 >"$0" & wait`,
		"it ends before its child": `sleep 300 >"$0" &`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pipe := filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			closed := make(chan error, 1)
			go func() { // the pipe ends when nobody has it open any more
				f, err := os.Open(pipe)
				if err == nil {
					_, err = io.ReadAll(f)
				}
				closed <- err
			}()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, _, _ = spawn(ctx, []string{"/bin/sh", "-c", script, pipe}, "", os.Environ(), nil)
			select {
			case err := <-closed:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(20 * time.Second):
				t.Error("what it started still runs")
			}
		})
	}
}
