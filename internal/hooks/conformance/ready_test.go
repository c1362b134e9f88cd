package conformance

import (
	"context"
	"strings"
	"testing"

	"board/internal/fault"
	"board/internal/issues"
)

// TestTheReadyCountIsWhatNextWouldGive: an Issue in progress counts as ready only where begin_work would hand it out, that
// is when its claim has lapsed: not while a run of the line lives, nor while it is reserved.
func TestTheReadyCountIsWhatNextWouldGive(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		line := number(t, k.look(t), `SELECT max(id) FROM lines`)
		insertIssues(t, k.look(t), columns{"number": 1, "title": "held", "state": "in_progress", "holder_line": line, "fence": 1, "last_line": line})
		holder := k.session
		count := func(when, session string, want int) {
			t.Helper()
			_, err := issues.New(k.look(t)).Next(context.Background(), 1)
			if next := fault.CodeOf(err) != fault.NothingReady; next != (want == 1) {
				t.Errorf("%s: next gives one: %v, want %d", when, next, want)
			}
			k.session = session
			out := k.raw("UserPromptSubmit", "t", more{"prompt": "go"})
			k.session = holder
			if !strings.Contains(out, map[int]string{0: "Board: 0 ready", 1: "Board: 1 ready"}[want]) {
				t.Errorf("%s: the context does not say %d ready: %s", when, want, out)
			}
		}
		count("while its run lives", "other-1", 0)
		k.stop("t1", true)
		count("while it is reserved", "other-2", 0)
		k.quiet("SessionEnd", "", more{"reason": "other"})
		count("once its session has ended", "other-3", 1)
	})
}
