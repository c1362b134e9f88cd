package conformance

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"board/internal/runs"
)

func TestKeysAreComparedByteForByte(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		long := strings.Repeat("k", 300)
		keys := []string{"t1", "T1", " t1", "t1 ", "t1\n", "t\u00e9", "te\u0301", "0", "00", long, long + "x", "t1\x00"}
		for _, key := range keys {
			k.tool(key, "c")
		}
		db := k.look(t)
		if n := number(t, db, `SELECT count(*) FROM runs`); n != int64(len(keys)) {
			t.Errorf("%d runs of %d keys", n, len(keys))
		}
		if n := number(t, db, `SELECT count(*) FROM runs WHERE length(turn_key) > 256`); n != 0 {
			t.Errorf("%d keys over 256 bytes", n)
		}
		if n := number(t, db, `SELECT count(*) FROM runs WHERE turn_key LIKE 'sha256:%' AND length(turn_key) = 71`); n != 2 {
			t.Errorf("%d keys stored as their digest, want 2", n)
		}
	})
}

func TestTwinsAreSilentAndChangeNothing(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		twice := func(event, turn string, fields more, first string) {
			t.Helper()
			if got := k.say(event, turn, fields); got != first {
				t.Errorf("%s prints %s, want %s", event, got, first)
			}
			db := k.look(t)
			before := fmt.Sprint(allRuns(t, db, db.Now()), stored(t, db), stretches(t, db))
			k.quiet(event, turn, fields)
			if after := fmt.Sprint(allRuns(t, db, db.Now()), stored(t, db), stretches(t, db)); before != after {
				t.Errorf("the twin of %s changes\nfrom %s\n  to %s", event, before, after)
			}
		}
		twice("SessionStart", "", more{"source": "startup"}, "-")
		twice("UserPromptSubmit", "t1", more{"prompt": "go"}, "context")
		twice("PreToolUse", "t1", more{"tool_name": "Bash", "tool_use_id": "c1"}, "-")
		twice("PostToolUse", "t1", more{"tool_name": "Bash", "tool_use_id": "c1"}, "-")
		twice("SubagentStart", "t1", child("kid1", nil), "context")
		twice("SubagentStop", "t1", child("kid1", more{"stop_hook_active": false}), "-")
		twice("SessionStart", "", more{"source": "compact"}, "context")
		twice("Stop", "t1", more{"stop_hook_active": false}, "probe")
		twice("Stop", "t1", more{"stop_hook_active": true}, "-")
		twice("SessionEnd", "", more{"reason": "other"}, "-")
	})
}

// TestThePayloadDecidesTheHost sends every fixture through the other host's adapter.
func TestThePayloadDecidesTheHost(t *testing.T) {
	for _, host := range allHosts() {
		for _, other := range allHosts() {
			if other == host {
				continue
			}
			t.Run(host+" through "+other, func(t *testing.T) {
				t.Parallel()
				fixtures := loadFixtures(t, host)
				var all []fixture
				for _, name := range slices.Sorted(maps.Keys(fixtures)) {
					all = append(all, fixtures[name])
				}
				if (host == "gemini" || host == "cursor" || host == "opencode") && os.Getenv("BOARD_SLOW") == "" {
					all = onePerEvent(all)
				}
				b := newBox(t, other, world.always)
				outs := make([]string, len(all))
				inParallel(len(all), func(i int) { outs[i] = b.send(t, all[i].payload, all[i].env...) })
				for i, out := range outs {
					if out != neutral(other) {
						t.Errorf("%s prints %q", all[i].name, out)
					}
				}
				if n := number(t, b.look(t), `SELECT (SELECT count(*) FROM lines) + (SELECT count(*) FROM events)`); n != 0 {
					t.Errorf("%d rows", n)
				}
			})
		}
	}
}

func onePerEvent(all []fixture) []fixture {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(f fixture) bool {
		event, _, _ := strings.Cut(f.name, ".")
		was := seen[event]
		seen[event] = true
		return was
	})
}

func TestArgumentsThatNobodyKnowsAreHarmless(t *testing.T) {
	for _, args := range [][]string{
		{},
		{"--host"},
		{"--host", ""},
		{"--host", "emacs"},
		{"--host", "claude-code", "--protocol", "99"},
		{"--host", "claude-code", "--protocol"},
		{"--help"},
		{"-h"},
		{"--version", "--host"},
		{"hook", "--host", "emacs"},
		{"--frobnicate"},
		{"--host=emacs", "--protocol=1"},
		{"--host", "../../etc/passwd"},
		{"--host", strings.Repeat("x", 100000)},
		{"--host", "Claude-Code", "--protocol", "1"},
	} {
		t.Run(fmt.Sprintf("%.60s", strings.Join(args, " ")), func(t *testing.T) {
			t.Parallel()
			k := newTalk(t, "claude-code", "always")
			cmd := exec.CommandContext(context.Background(), k.Program("board-hook"), args...)
			cmd.Dir, cmd.Env, cmd.Stdin = k.Repo, k.Env(), strings.NewReader(string(good(k, "t1", "go")))
			out, err := cmd.CombinedOutput()
			if err != nil || len(out) > 0 {
				t.Errorf("prints %q, %v, want nothing and 0", out, err)
			}
			if n := number(t, k.look(t), `SELECT count(*) FROM runs`); n != 0 {
				t.Errorf("%d runs", n)
			}
			for _, name := range oddNames(t, k.box) {
				t.Errorf("a file is named by what was given: %s", name)
			}
		})
	}
}

// oddNames lists the files below the home whose name holds an argument.
func oddNames(t *testing.T, b *box) []string {
	t.Helper()
	var out []string
	for path := range tree(t, b.Root) {
		name := strings.TrimPrefix(path, b.Root)
		if strings.Contains(name, "passwd") || strings.Contains(name, "emacs") || len(name) > 200 {
			out = append(out, name)
		}
	}
	return out
}

// TestInjectedTextStaysShort: many Issues with long titles in every script give a context that no host cuts.
func TestInjectedTextStaysShort(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		title := strings.Repeat("👩‍👩‍👧‍👦", 34) + "\x1b[31m\u202e"
		k.prompt("t0")
		var ready []columns
		for i := range 500 {
			ready = append(ready, columns{"number": i + 2, "title": title, "state": "todo"})
		}
		insertIssues(t, k.look(t), ready...)
		k.hold()
		change(t, k.look(t), `UPDATE issues SET title = ? WHERE number = 1`, title)
		for _, e := range []struct {
			event, turn string
			fields      more
		}{
			{"UserPromptSubmit", "t1", more{"prompt": "go"}},
			{"SubagentStart", "t1", child("kid1", nil)},
			{"SessionStart", "", more{"source": "compact"}},
			{"Stop", "t1", more{"stop_hook_active": false}},
		} {
			out := k.raw(e.event, e.turn, e.fields)
			if what, err := printed(k.host, e.event, out); err != nil || what == "-" { // printed checks the limits
				t.Errorf("%s prints %q (%v)", e.event, out, err)
			}
			if strings.ContainsAny(out, "\x1b\u202e") || strings.Contains(out, `\u001b`) || strings.Contains(out, `\u202e`) {
				t.Errorf("%s passes control characters on: %q", e.event, out)
			}
		}
	})
}

func TestANoticeRenewsTheLeaseAndNothingElse(t *testing.T) {
	k := newTalk(t, "claude-code", "always")
	k.prompt("t1")
	k.stop("t1", false)
	change(t, k.look(t), `UPDATE runs SET lease_until = lease_until - 60000`)
	before := k.run("t1")
	k.quiet("Notification", "t1", more{"notification_type": "permission_prompt", "message": "?"})
	after := k.run("t1")
	if after.State != runs.Probing || after.LeaseUntil <= before.LeaseUntil || after.Revision != 1 || after.Probes != 1 {
		t.Errorf("the run was %+v\n     and is %+v", before, after)
	}
}
