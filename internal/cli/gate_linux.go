package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// maxAncestors bounds the walk: a chain that long is a loop of reused ids.
const maxAncestors = 64

// ancestors returns the parents of the process pid, the nearest first. The first process of the system, or of a
// container, is everybody's, and none of them.
func ancestors(pid int) []int {
	var chain []int
	for len(chain) < maxAncestors {
		if pid = parent(pid); pid <= 1 {
			break
		}
		chain = append(chain, pid)
	}
	return chain
}

// parent returns 0 if it is not known.
func parent(pid int) int {
	f := statOf(pid)
	if len(f) < 2 {
		return 0
	}
	ppid, err := strconv.Atoi(f[1])
	if err != nil {
		return 0
	}
	return ppid
}

// statOf returns what /proc says of a process, from its state on; nothing if it is not known. The name of the program
// stands before that in parentheses, and may contain anything (proc_pid_stat(5)).
func statOf(pid int) []string {
	if pid <= 0 {
		return nil
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	return strings.Fields(string(b)[strings.LastIndexByte(string(b), ')')+1:])
}

// ticks is USER_HZ, in which the kernel gives times to programs: 100 per second on every architecture that Go knows.
const ticks = 100

// started returns when a process was started, in UTC milliseconds. The kernel rounds down: to the second.
func started(pid int) (ms int64, ok bool) {
	f := statOf(pid)
	if len(f) < 20 {
		return 0, false
	}
	since, err := strconv.ParseInt(f[19], 10, 64)
	if err != nil {
		return 0, false
	}
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, false
	}
	for line := range strings.SplitSeq(string(b), "\n") {
		if s, is := strings.CutPrefix(line, "btime "); is {
			boot, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
			return boot*1000 + since*1000/ticks, err == nil
		}
	}
	return 0, false
}
