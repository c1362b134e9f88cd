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

// TestTheReadyCountKnowsOfProcesses: what the hook says in every prompt is what issues would hand out, also where the
// process of a host decides: gone, alive beyond the lease, shared by two sessions, or one of two of a session.
func TestTheReadyCountKnowsOfProcesses(t *testing.T) {
	const minute, hour = 60_000, 3_600_000
	for name, c := range map[string]struct {
		play func(k *talk, first, second *aHost)
		want int
	}{
		"a host at work": {func(*talk, *aHost, *aHost) {}, 0},
		"a host that is gone in the middle of a turn": {func(_ *talk, first, _ *aHost) { first.kill() }, 1},
		"a host that is gone between two turns": {func(k *talk, first, _ *aHost) {
			first.send(k.payload("Stop", "t1", more{"stop_hook_active": true}))
			first.kill()
		}, 1},
		"a host that waits for its person": {func(k *talk, first, _ *aHost) {
			first.send(k.payload("Stop", "t1", more{"stop_hook_active": true}))
		}, 0},
		"a host inside one tool for ten hours":      {func(k *talk, _, _ *aHost) { k.ago(10 * hour) }, 0},
		"a host inside one tool for thirteen hours": {func(k *talk, _, _ *aHost) { k.ago(13 * hour) }, 1},
		"a host of two sessions, ten hours ago": {func(k *talk, first, _ *aHost) {
			k.ago(10 * hour)
			k.other(first)
		}, 1},
		"a host of two sessions, an hour ago": {func(k *talk, first, _ *aHost) {
			k.ago(hour)
			k.other(first)
		}, 0}, // reserved
		"the second process of the session is gone": {func(k *talk, first, second *aHost) {
			first.send(k.payload("Stop", "t1", more{"stop_hook_active": true}))
			second.send(k.payload("UserPromptSubmit", "t2", more{"prompt": "go"}))
			second.kill()
		}, 0},
		"the first process is gone, and the second at work": {func(k *talk, first, second *aHost) {
			second.send(k.payload("UserPromptSubmit", "t2", more{"prompt": "go"}))
			first.kill()
		}, 0},
		"both are gone": {func(k *talk, first, second *aHost) {
			second.send(k.payload("UserPromptSubmit", "t2", more{"prompt": "go"}))
			first.kill()
			second.kill()
		}, 1},
		"the second process is gone, and the first at work five hours ago": {func(k *talk, _, second *aHost) {
			second.send(k.payload("UserPromptSubmit", "t2", more{"prompt": "go"}))
			k.ago(5 * hour)
			second.kill()
		}, 0},
		"a turn that stopped twenty minutes ago": {func(k *talk, first, _ *aHost) {
			first.send(k.payload("Stop", "t1", more{"stop_hook_active": false}))
			k.ago(20 * minute)
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newTalk(t, "claude-code", "always")
			first, second := hostProcess(t, "claude", k.box), hostProcess(t, "claude", k.box)
			first.send(k.payload("UserPromptSubmit", "t1", more{"prompt": "go"}))
			line := number(t, k.look(t), `SELECT max(id) FROM lines`)
			insertIssues(t, k.look(t), columns{"number": 1, "title": "held", "state": "in_progress", "holder_line": line, "fence": 1, "last_line": line})
			c.play(k, first, second)
			_, err := issues.New(k.look(t)).Next(context.Background(), 1)
			if next := fault.CodeOf(err) != fault.NothingReady; next != (c.want == 1) {
				t.Errorf("next gives one: %v, want %d", next, c.want)
			}
			k.session = "9" + k.session[1:]
			out := k.raw("UserPromptSubmit", "t", more{"prompt": "go"})
			if !strings.Contains(out, map[int]string{0: "Board: 0 ready", 1: "Board: 1 ready"}[c.want]) {
				t.Errorf("the context does not say %d ready: %s", c.want, out)
			}
		})
	}
}

// ago moves all that is on record of the session's runs into the past.
func (k *talk) ago(ms int64) {
	k.t.Helper()
	change(k.t, k.look(k.t), `UPDATE runs SET last_seen_at = last_seen_at - ?1, lease_until = lease_until - ?1, deadline = max(0, deadline - ?1)`, ms)
}

// other lets a host work for another session as well.
func (k *talk) other(h *aHost) {
	k.t.Helper()
	mine := k.session
	k.session = "8" + mine[1:]
	h.send(k.payload("UserPromptSubmit", "t1", more{"prompt": "go"}))
	k.session = mine
}
