package adapters

import (
	"strconv"
	"strings"

	"board/internal/runs"
)

// MinVersion is the first version of a host that knows an event, "" where every version that has hooks is believed to. The
// versions of Claude Code are from its change log; Cursor's are an estimate, on the safe side: one
// unknown name makes its CLI drop the whole file without a word.
func MinVersion(host, event string) string {
	switch host {
	case runs.ClaudeCode:
		switch event {
		case "SubagentStart":
			return "2.0.43"
		case "StopFailure":
			return "2.1.78"
		}
	case runs.Cursor:
		switch event {
		case "sessionStart", "sessionEnd", "postToolUse":
			return "2.4"
		}
	}
	return ""
}

// knows reports whether a host of this version has what came with version least. A version that is not known, or not
// read, is taken for a current one.
func knows(version, least string) bool {
	have, ok := numbers(version)
	need, _ := numbers(least)
	if !ok {
		return true
	}
	for i, n := range need {
		switch {
		case i >= len(have):
			return n == 0
		case have[i] != n:
			return have[i] > n
		}
	}
	return true
}

// numbers reads the leading numbers of a version, whatever stands around them: "2.1.332 (Claude Code)",
// "2026.07.17-3e2a980".
func numbers(version string) (list []int, ok bool) {
	version = strings.TrimLeft(version, "v ")
	end := strings.IndexFunc(version, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end >= 0 {
		version = version[:end]
	}
	for _, part := range strings.Split(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil, false
		}
		list = append(list, n)
	}
	return list, true
}
