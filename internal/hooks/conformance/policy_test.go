package conformance

import (
	"context"
	"strings"
	"testing"

	"board/internal/runs"
	"board/internal/store"
)

// hold gives the session's root line an Issue in progress.
func (k *talk) hold() {
	k.t.Helper()
	line := number(k.t, k.look(k.t), `SELECT id FROM lines WHERE session_key = ? AND agent_key = ''`, k.session)
	insertIssues(k.t, k.look(k.t), columns{"number": 1, "title": "Say goodbye", "state": "in_progress", "holder_line": line, "fence": 1})
}

// unattended makes the talk one of a host that nobody watches. It returns the fields that say so.
func (k *talk) unattended() more {
	if k.host == "codex" {
		return more{"permission_mode": "bypassPermissions"}
	}
	k.env = append(k.env, "CLAUDE_CODE_SESSION_ATTENDED=0")
	return more{"permission_mode": "default"}
}

func with(a, b more) more {
	out := more{}
	for _, m := range []more{a, b} {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

func eachHostByDefault(t *testing.T, test func(t *testing.T, k *talk)) {
	for _, host := range []string{"claude-code", "codex"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			test(t, newTalk(t, host, "defaults"))
		})
	}
}

func TestAnUnattendedTurnIsNotAskedForNothing(t *testing.T) {
	eachHostByDefault(t, func(t *testing.T, k *talk) {
		mode := k.unattended()
		k.say("UserPromptSubmit", "t1", with(mode, more{"prompt": "go"}))
		k.tool("t1", "c1")
		if got := k.say("Stop", "t1", with(mode, more{"stop_hook_active": false})); got != "-" {
			t.Errorf("prints %s", got)
		}
		k.want("t1", runs.Ended, runs.Completed)
	})
}

func TestAnUnattendedTurnIsAskedAboutItsIssue(t *testing.T) {
	eachHostByDefault(t, func(t *testing.T, k *talk) {
		mode := k.unattended()
		k.say("UserPromptSubmit", "t1", with(mode, more{"prompt": "go"}))
		k.hold()
		out := k.raw("Stop", "t1", with(mode, more{"stop_hook_active": false}))
		if got, err := printed(k.host, "Stop", out); got != "probe" || err != nil || !strings.Contains(out, " issue SHOP-1\\n") {
			t.Errorf("prints %s (%v), want the probe with its Issue", out, err)
		}
	})
}

func TestAnUnattendedTurnIsAskedAboutEditsWithoutAnIssue(t *testing.T) {
	eachHostByDefault(t, func(t *testing.T, k *talk) {
		mode := k.unattended()
		k.say("UserPromptSubmit", "t1", with(mode, more{"prompt": "go"}))
		if out := k.send(t, edit(k, world.repo+"/a.txt"), k.env...); out != "" {
			t.Errorf("the edit prints %s", out)
		}
		if got := k.say("Stop", "t1", with(mode, more{"stop_hook_active": false})); got != "probe" {
			t.Errorf("prints %s", got)
		}
	})
}

func TestASessionThatDidNotReactIsLeftAloneUntilSomethingHappens(t *testing.T) {
	eachHostByDefault(t, func(t *testing.T, k *talk) {
		ask := func(turn, want string) {
			t.Helper()
			if got := k.stop(turn, false); got != want {
				t.Errorf("the Stop of %s prints %s, want %s", turn, got, want)
			}
			if want == "probe" {
				k.stop(turn, true)
			}
		}
		k.prompt("t1")
		ask("t1", "probe") // the first turn
		k.prompt("t2")
		k.tool("t2", "c1")
		ask("t2", "-")
		k.prompt("t3")
		k.send(t, []byte(strings.Replace(string(edit(k, world.repo+"/a.txt")), `"t1"`, `"t3"`, 1)))
		ask("t3", "probe") // an edit happened
		k.prompt("t4")
		ask("t4", "-")
		k.hold()
		k.prompt("t5")
		ask("t5", "probe") // every turn that holds an Issue
		k.prompt("t6")
		ask("t6", "probe")
		change(t, k.look(t), `DELETE FROM issues`)
		k.prompt("t7")
		ask("t7", "-")
		change(t, k.look(t), `UPDATE lines SET facts = json_set(facts, '$.probed_at', facts ->> 'probed_at' - 21 * 60 * 1000)`)
		k.prompt("t8")
		ask("t8", "probe") // 20 minutes later
	})
}

func TestAProbeWithEffectDoesNotSilenceTheNext(t *testing.T) {
	eachHostByDefault(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		k.stop("t1", false)
		db := k.look(t)
		line := number(t, db, `SELECT id FROM lines WHERE agent_key = ''`)
		err := db.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error { return runs.MarkWrite(ctx, tx, line) })
		if err != nil {
			t.Fatal(err)
		}
		k.stop("t1", true)
		k.prompt("t2")
		if got := k.stop("t2", false); got != "probe" {
			t.Errorf("prints %s", got)
		}
	})
}

func TestTurnsThatAreNeverAsked(t *testing.T) {
	notification := more{"prompt": "<task-notification>\n<task-id>b1</task-id>"}
	no := more{"stop_hook_active": false}
	for name, play := range map[string]func(k *talk) string{
		"a turn without a prompt (!cmd)": func(k *talk) string { return k.say("Stop", "t1", no) },
		"plan mode": func(k *talk) string {
			k.say("UserPromptSubmit", "t1", more{"prompt": "go", "permission_mode": "plan"})
			return k.say("Stop", "t1", with(no, more{"permission_mode": "plan"}))
		},
		"a host-made turn without a tool": func(k *talk) string {
			if k.host == "codex" {
				return "-" // it makes none
			}
			k.say("UserPromptSubmit", "t1", notification)
			return k.say("Stop", "t1", no)
		},
		"an interrupted turn": func(k *talk) string {
			if k.host != "codex" {
				return "-" // nothing tells it
			}
			k.prompt("t1")
			k.quiet("Interrupt", "t1", nil)
			return k.say("Stop", "t1", no)
		},
		"a failed turn": func(k *talk) string {
			if k.host == "codex" {
				return "-"
			}
			k.prompt("t1")
			k.quiet("StopFailure", "t1", more{"error": "rate_limit"})
			return k.say("Stop", "t1", no)
		},
		"new background work": func(k *talk) string {
			if k.host == "codex" {
				return "-" // it lists no tasks
			}
			k.prompt("t1")
			return k.say("Stop", "t1", with(no, more{"background_tasks": []more{{"id": "b1", "type": "shell", "status": "running"}}}))
		},
		"more new background work": func(k *talk) string {
			if k.host == "codex" {
				return "-"
			}
			k.prompt("t1")
			k.quiet("Stop", "t1", with(no, more{"background_tasks": []more{{"id": "b1", "type": "shell", "status": "running"}}}))
			return k.say("Stop", "t1", with(no, more{"background_tasks": []more{{"id": "b1", "type": "shell", "status": "running"}, {"id": "b2", "type": "shell", "status": "running"}}}))
		},
		"after a board decision": func(k *talk) string {
			k.prompt("t1")
			k.tool("t1", "c1")
			change(k.t, k.look(k.t), `UPDATE runs SET facts = json_set(facts, '$.decided', 1)`)
			k.quiet("PostToolUse", "t1", more{"tool_name": "mcp__board__kanban_pause", "tool_use_id": "c2"})
			return k.say("Stop", "t1", no)
		},
		"a subagent": func(k *talk) string {
			k.say("SubagentStart", "t1", child("kid1", nil))
			return k.say("SubagentStop", "t1", child("kid1", no))
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachHost(t, func(t *testing.T, k *talk) {
				if got := play(k); got != "-" {
					t.Errorf("prints %s", got)
				}
				if n := number(t, k.look(t), `SELECT count(*) FROM runs WHERE facts ->> 'probes' > 0`); n != 0 {
					t.Error("a probe is on record")
				}
			})
		})
	}
}

func TestTurnsThatAreAskedAllTheSame(t *testing.T) {
	no := more{"stop_hook_active": false}
	for name, play := range map[string]func(k *talk) string{
		"another tool ran after a board decision": func(k *talk) string {
			k.prompt("t1")
			k.tool("t1", "c1")
			change(k.t, k.look(k.t), `UPDATE runs SET facts = json_set(facts, '$.decided', 1)`)
			k.tool("t1", "c2")
			return k.say("Stop", "t1", no)
		},
		"a host-made turn that worked": func(k *talk) string {
			if k.host == "codex" {
				return "probe"
			}
			k.say("UserPromptSubmit", "t1", more{"prompt": "<task-notification>done"})
			k.tool("t1", "c1")
			return k.say("Stop", "t1", no)
		},
		"a prompt that only quotes a notification": func(k *talk) string {
			k.say("UserPromptSubmit", "t1", more{"prompt": "what does <task-notification> mean?"})
			return k.say("Stop", "t1", no)
		},
		"background work of an earlier turn": func(k *talk) string {
			tasks := more{"background_tasks": []more{{"id": "b1", "type": "shell", "status": "running"}}}
			if k.host == "codex" {
				return "probe"
			}
			k.prompt("t1")
			k.quiet("Stop", "t1", with(no, tasks))
			k.prompt("t2")
			return k.say("Stop", "t2", with(no, tasks))
		},
		"a second Stop after background work": func(k *talk) string {
			if k.host == "codex" {
				return "probe"
			}
			k.prompt("t1")
			k.quiet("Stop", "t1", with(no, more{"background_tasks": []more{{"id": "b1", "type": "shell", "status": "running"}}}))
			k.want("t1", runs.Waiting, runs.None)
			k.tool("t1", "c1")
			return k.say("Stop", "t1", with(no, more{"background_tasks": []more{}}))
		},
		"scheduled work": func(k *talk) string {
			k.prompt("t1")
			return k.say("Stop", "t1", with(no, more{"session_crons": []more{{"id": "c1", "schedule": "* * * * *"}}}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachHost(t, func(t *testing.T, k *talk) {
				if got := play(k); got != "probe" {
					t.Errorf("prints %s, want the probe", got)
				}
			})
		})
	}
}
