package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"board/internal/projects"
	"board/internal/runs"
	"board/internal/store"
)

// second registers another repository with the talk's store, as project 2.
func (k *talk) second() string {
	k.t.Helper()
	repo, err := repository(filepath.Join(k.t.TempDir(), "other"))
	if err != nil {
		k.t.Fatal(err)
	}
	err = k.look(k.t).Write(context.Background(), func(ctx context.Context, tx *store.Tx) error {
		_, _, err := projects.Register(ctx, tx, repo, "LIB", "lib")
		return err
	})
	if err != nil {
		k.t.Fatal(err)
	}
	return repo
}

// changed is the payload of an edit by a turn.
func (k *talk) changed(turn, call, path string) []byte {
	k.t.Helper()
	switch k.host {
	case "codex":
		return k.payload("PostToolUse", turn, more{"tool_name": "apply_patch", "tool_use_id": call, "tool_input": more{
			"command": "*** Begin Patch\n*** Update File: " + path + "\n@@\n+x\n*** End Patch\n",
		}})
	case "cursor":
		return k.payload("afterFileEdit", turn, more{"file_path": path})
	}
	return k.payload("PostToolUse", turn, more{"tool_name": "Write", "tool_use_id": call, "tool_input": more{"file_path": path}})
}

func (k *talk) edits(turn, call, path string) {
	k.t.Helper()
	if out := k.send(k.t, k.changed(turn, call, path), k.env...); out != neutral(k.host) {
		k.t.Errorf("an edit prints %s", out)
	}
}

// credits lists what is credited to the runs of a store: files changed, projects with the verdict on each, and how it
// ended once the clock has passed everything. Runs are named by session and turn, so that no order shows.
func credits(t *testing.T, db *store.DB) []string {
	t.Helper()
	var out []string
	for _, r := range allRuns(t, db, db.Now()+clockPasses) {
		name := r.Session[:1] + " " + r.Turn + " "
		how := name + string(r.Outcome) + " " + string(r.Basis)
		if r.LateStart { // its prompt went elsewhere
			how += " late"
		}
		out = append(out, how)
		query(t, db, `SELECT 'P' || project_id || ' ' || path || ' ' || n FROM evidence WHERE run_id = ?`, func(scan func(...any) error) error {
			var s string
			err := scan(&s)
			out = append(out, name+s)
			return err
		}, r.ID)
		query(t, db, `SELECT 'P' || project_id || ' ' || capability FROM scopes WHERE run_id = ?`, func(scan func(...any) error) error {
			var s string
			err := scan(&s)
			out = append(out, name+s)
			return err
		}, r.ID)
	}
	slices.Sort(out)
	return out
}

func TestTurnsOfTwoSessionsInterleaved(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		in := func(session string) { k.session = session + k.session[1:] }
		in("a")
		k.prompt("t1")
		in("b")
		k.prompt("t1") // the host may use an id again in another session
		in("a")
		k.edits("t1", "c1", world.repo+"/of-a")
		in("b")
		k.edits("t1", "c1", world.repo+"/of-b")
		k.stop("t1", true)
		in("a")
		k.want("t1", runs.Running, runs.None)
		k.edits("t1", "c2", world.repo+"/of-a")
		in("b")
		k.prompt("t2")
		in("a")
		k.want("t1", runs.Running, runs.None)
		k.stop("t1", true)
		in("b")
		k.want("t2", runs.Running, runs.None)
		k.edits("t2", "c1", world.repo+"/of-b")
		want := []string{
			"a t1 P1 indeterminate", "a t1 P1 of-a 2", "a t1 completed observed",
			"b t1 P1 indeterminate", "b t1 P1 of-b 1", "b t1 completed observed",
			"b t2 P1 indeterminate", "b t2 P1 of-b 1", "b t2 lost inferred",
		}
		if got := credits(t, k.look(t)); !slices.Equal(got, want) {
			t.Errorf("credited\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

func TestATurnInTwoRepositories(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		lib := k.second()
		k.prompt("t1")
		k.edits("t1", "c1", lib+"/sub/deep/b.go")
		k.edits("t1", "c2", world.repo+"/a.go")
		k.edits("t1", "c3", lib+"/../other/sub/deep/b.go")
		k.edits("t1", "c4", filepath.Dir(lib)+"/neither.go")
		k.stop("t1", true)
		k.prompt("t2") // each its own
		k.edits("t2", "c5", lib+"/c.go")
		k.stop("t2", true)
		k.prompt("t3")
		k.stop("t3", true)
		want := []string{
			"1 t1 P1 a.go 1", "1 t1 P1 indeterminate", "1 t1 P2 indeterminate", "1 t1 P2 sub/deep/b.go 2", "1 t1 completed observed",
			"1 t2 P1 indeterminate", "1 t2 P2 c.go 1", "1 t2 P2 indeterminate", "1 t2 completed observed",
			"1 t3 P1 indeterminate", "1 t3 completed observed",
		}
		if got := credits(t, k.look(t)); !slices.Equal(got, want) {
			t.Errorf("credited\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if r := k.run("t1"); r.Outside != 1 || r.ProjectID != 1 {
			t.Errorf("%d paths outside, home %d, want 1 and 1", r.Outside, r.ProjectID)
		}
	})
}

// The ids of one turn as hosts in a cloud were seen to send them: one with a tail here and another there.
const (
	turnID = "7d0a529c-d887-44ba-93d3-7c176f9c54ab"
	editID = turnID + "-0-ab12"
	stopID = turnID + "-1-cd34"
)

// tailed plays a turn whose ids differ by a tail, and says what is wrong with what became of it.
func tailed(k *talk) (wrong []string) {
	k.t.Helper()
	if k.host == "cursor" {
		k.quiet("sessionStart", "", more{"is_background_agent": true})
	} else {
		k.env = append(k.env, "CLAUDE_CODE_REMOTE=true")
	}
	k.prompt(turnID)
	k.edits(editID, "c1", world.repo+"/a.go")
	if k.host == "cursor" {
		k.say("stop", stopID, more{"status": "completed", "loop_count": 0})
	} else {
		k.say("Stop", stopID, more{"stop_hook_active": false})
	}
	db := k.look(k.t)
	r := k.run(turnID)
	if n := number(k.t, db, `SELECT count(*) FROM evidence WHERE run_id = ?`, r.ID); n != 0 || r.Edits != 0 {
		wrong = append(wrong, "evidence")
	}
	if later := k.runAt(turnID, db.Now()+clockPasses); r.State != runs.Running || r.SawStop || later.Outcome != runs.Lost {
		wrong = append(wrong, "end")
	}
	stops := k.events("stop")
	if len(stops) != 1 || stops[0].Disposition != "unattributed" || stops[0].Run != 0 {
		wrong = append(wrong, "stop")
	}
	if n := number(k.t, db, `SELECT count(*) FROM scopes WHERE capability <> 'unsupported' OR missing <> 'execution_host'`); n != 0 || r.ExecutionHost != runs.Cloud {
		wrong = append(wrong, "capability")
	}
	if n := number(k.t, db, `SELECT count(*) FROM runs WHERE turn_key NOT IN (?, ?)`, turnID, editID); n != 0 {
		wrong = append(wrong, "runs")
	}
	return wrong
}

// TestIdsThatDifferByATailDoNotMeet: nothing is credited, the Stop belongs to nobody, and it is said that this cannot be
// judged. A build that cuts tails off meets them, and is told from ours by the same checks.
func TestIdsThatDifferByATailDoNotMeet(t *testing.T) {
	strips := stripping(t)
	for _, host := range []string{"claude-code", "cursor"} {
		t.Run(host, func(t *testing.T) {
			if wrong := tailed(newTalk(t, host, "always")); len(wrong) > 0 {
				t.Errorf("wrong: %v", wrong)
			}
			k := newTalk(t, host, "always")
			k.Bin = strips
			if wrong := tailed(k); !slices.Equal(wrong, []string{"evidence", "end", "stop"}) {
				t.Errorf("of a build that cuts tails off only this is found to be wrong: %v", wrong)
			}
		})
	}
}

// stripping builds a hook program that cuts every id to the length of a UUID, and returns its folder.
func stripping(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	overlay, err := longLimits(dir)
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join("..", "frame.go"))
	if err != nil {
		t.Fatal(err)
	}
	const whole, cut = "\treturn runs.FitKey(s)\n", "\treturn runs.FitKey(s[:min(len(s), 36)])\n"
	patched := strings.Replace(string(source), whole, cut, 1)
	if patched == string(source) {
		t.Fatal("the place where ids are read is not found")
	}
	at, err := filepath.Abs(filepath.Join("..", "frame.go"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "frame.go"), []byte(patched))
	var list struct{ Replace map[string]string }
	data, err := os.ReadFile(overlay)
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil {
		t.Fatal(err)
	}
	list.Replace[at] = filepath.Join(dir, "frame.go")
	if data, err = json.Marshal(list); err != nil {
		t.Fatal(err)
	}
	write(t, overlay, data)
	bin := filepath.Join(dir, "bin")
	if err := goBuild("-o", filepath.Join(bin, "board-hook"), "-overlay", overlay); err != nil {
		t.Fatal(err)
	}
	return bin
}

// TestRunsOfTwoProcessesOfOneSession: a conversation that is open twice. Each process's turn is its own, and neither ends,
// or is credited with, what the other does.
func TestRunsOfTwoProcessesOfOneSession(t *testing.T) {
	k := newTalk(t, "claude-code", "always")
	by := func(process string) { k.env = []string{"CLAUDE_PID=" + process} }
	by("4200000001")
	k.prompt("t1")
	by("4200000002")
	k.prompt("t2")
	by("4200000001")
	k.want("t1", runs.Running, runs.None)
	k.edits("t1", "c1", world.repo+"/first")
	by("4200000002")
	k.edits("t2", "c2", world.repo+"/second")
	k.say("SubagentStart", "t2", child("kid", nil))
	k.quiet("SessionEnd", "", more{"reason": "other"}) // of the second process alone
	k.want("t1", runs.Running, runs.None)
	k.want("t2", runs.Ended, runs.Unknown)
	k.want("agent:kid", runs.Ended, runs.Unknown)
	if got := k.stretches(); got != "1 active" {
		t.Errorf("stretches %q, want the one of both to go on", got)
	}
	by("4200000001")
	k.edits("t1", "c3", world.repo+"/first")
	k.prompt("t3") // ends the turn before it in its own process
	k.want("t1", runs.Ended, runs.Interrupted)
	k.stop("t3", true)
	want := []string{
		"1  P1 indeterminate", "1  unknown inferred",
		"1 t1 P1 first 2", "1 t1 P1 indeterminate", "1 t1 interrupted inferred",
		"1 t2 P1 indeterminate", "1 t2 P1 second 1", "1 t2 unknown inferred",
		"1 t3 P1 indeterminate", "1 t3 completed observed",
	}
	if got := credits(t, k.look(t)); !slices.Equal(got, want) {
		t.Errorf("credited\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestSiblingSessionsInOneCheckoutLeaveEachOtherAlone: whatever one of them does, not a bit of the other changes.
func TestSiblingSessionsInOneCheckoutLeaveEachOtherAlone(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		mine, other := k.session, "22222222-2222-4333-8444-555555555555"
		k.quiet("SessionStart", "", more{"source": "startup"})
		k.prompt("t1")
		k.edits("t1", "c1", world.repo+"/a.go")
		k.say("SubagentStart", "t1", child("kid", nil))
		all := func() (out string) {
			db := k.look(t)
			for _, r := range allRuns(t, db, db.Now()) {
				if r.Session == mine {
					out += fmt.Sprintf("%+v\n", r)
				}
			}
			query(t, db, `SELECT facts || last_run || prompts FROM lines WHERE session_key = ?`, func(scan func(...any) error) error {
				var s string
				err := scan(&s)
				out += s + "\n"
				return err
			}, mine)
			return out + wordsOf(t, db, mine) + fmt.Sprint(number(t, db, `SELECT sum(n) FROM evidence WHERE run_id IN (1, 2)`))
		}
		before := all()
		for _, e := range []struct {
			event, turn string
			fields      more
		}{
			{"SessionStart", "", more{"source": "startup"}},
			{"UserPromptSubmit", "t1", more{"prompt": "go"}},
			{"PostToolUse", "t1", more{"tool_name": "Bash", "tool_use_id": "c1"}},
			{"SubagentStart", "t1", child("kid", nil)},
			{"SubagentStop", "t1", child("kid", more{"stop_hook_active": false})},
			{"SessionStart", "", more{"source": "compact"}},
			{"Stop", "t1", more{"stop_hook_active": false, "background_tasks": []more{}}},
			{"UserPromptSubmit", "t2", more{"prompt": "go"}},
			{"Stop", "t9", more{"stop_hook_active": false}},
			{"SessionEnd", "", more{"reason": "other"}},
			{"SessionStart", "", more{"source": "resume"}},
			{"UserPromptSubmit", "t3", more{"prompt": "go"}},
		} {
			k.session = other
			k.raw(e.event, e.turn, e.fields)
			k.session = mine
			if after := all(); after != before {
				t.Fatalf("%s of the other changes\nfrom %s\n  to %s", e.event, before, after)
			}
		}
	})
}
