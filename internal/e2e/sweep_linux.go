package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// sweep ends the processes that work in a folder, and waits for their end: hosts start some of their children in groups of
// their own, and a host whose terminal was closed still writes. Nobody but the suite has anything in the folder.
func sweep(folder string) error {
	for range 100 {
		left := workingIn(folder)
		if len(left) == 0 {
			return nil
		}
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("processes that cannot be ended: %v", workingIn(folder))
}

// waitGone waits until nobody works in a folder any more.
func waitGone(folder string, patience time.Duration) {
	for end := time.Now().Add(patience); time.Now().Before(end) && len(workingIn(folder)) > 0; {
		time.Sleep(20 * time.Millisecond)
	}
}

func workingIn(folder string) (pids []int) {
	found, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		return nil
	}
	for _, link := range found {
		dir, err := os.Readlink(link)
		if err != nil || dir != folder && !strings.HasPrefix(dir, folder+"/") {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link))); err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}
