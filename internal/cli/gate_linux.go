package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// maxAncestors bounds the walk: a chain that long is a loop of reused ids.
const maxAncestors = 64

// ancestors returns the parents of the process pid, the nearest first.
func ancestors(pid int) []int {
	var chain []int
	for pid > 1 && len(chain) < maxAncestors {
		if pid = parent(pid); pid > 0 {
			chain = append(chain, pid)
		}
	}
	return chain
}

// parent returns 0 if it is not known.
func parent(pid int) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name of the program stands in parentheses and may contain anything (proc_pid_stat(5)).
	_, rest, _ := cutLast(string(b), ")")
	f := strings.Fields(rest)
	if len(f) < 2 {
		return 0
	}
	ppid, err := strconv.Atoi(f[1])
	if err != nil {
		return 0
	}
	return ppid
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
