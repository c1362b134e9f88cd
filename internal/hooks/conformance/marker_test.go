package conformance

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"board/internal/runs"
)

// reasonOf is the text of a reminder, as the host gives it back to its model.
func reasonOf(t *testing.T, stdout string) string {
	t.Helper()
	var a struct {
		Reason   string `json:"reason"`
		FollowUp string `json:"followup_message"`
	}
	if err := json.Unmarshal([]byte(stdout), &a); err != nil || a.Reason+a.FollowUp == "" {
		t.Fatalf("no reminder: %q (%v)", stdout, err)
	}
	return a.Reason + a.FollowUp
}

// dispositions are those of all stored events, with their kinds, oldest first.
func (k *talk) dispositions() string {
	k.t.Helper()
	var out []string
	for _, r := range stored(k.t, k.look(k.t)) {
		out = append(out, r.Kind+" "+r.Disposition)
	}
	return strings.Join(out, ", ")
}

func (k *talk) counted(name string) int64 {
	k.t.Helper()
	return number(k.t, k.look(k.t), `SELECT coalesce(sum(n), 0) FROM host_events WHERE host = ? AND name = ?`, k.host, name)
}

func (k *talk) evidence() int64 {
	k.t.Helper()
	return number(k.t, k.look(k.t), `SELECT coalesce(sum(n), 0) FROM evidence`)
}

func (k *talk) wantRuns(n int) {
	k.t.Helper()
	if got := len(allRuns(k.t, k.look(k.t), k.look(k.t).Now())); got != n {
		k.t.Errorf("%d runs, want %d", got, n)
	}
}

// TestARecordedDenyIsOneRunAndOneProbe plays a recorded deny with our reason in the place of the recorded one.
func TestARecordedDenyIsOneRunAndOneProbe(t *testing.T) {
	k := newTalk(t, "gemini", "always")
	reason, asked := "", 0
	for _, e := range recording(t, "gemini", "stop_deny") {
		payload := []byte(e.Payload)
		if e.Event == "BeforeAgent" && reason != "" {
			var p map[string]any
			if err := json.Unmarshal(payload, &p); err != nil {
				t.Fatal(err)
			}
			p["prompt"] = reason
			payload, _ = json.Marshal(p)
		}
		out := k.send(t, payload, hostEnv(e.Env)...)
		what, err := printed("gemini", e.Event, out)
		if err != nil {
			t.Errorf("%s: %v", e.Event, err)
		}
		switch {
		case what == "probe":
			asked++
			reason = reasonOf(t, out)
		case what == "context" && reason != "":
			t.Errorf("the reminder that came back is answered: %s", out)
		}
	}
	all := allRuns(t, k.look(t), k.look(t).Now())
	if asked != 1 || len(all) != 1 || all[0].Probes != 1 || all[0].Outcome != runs.Completed || all[0].Basis != runs.Observed {
		t.Errorf("asked %d times, runs %+v", asked, all)
	}
	if got := k.dispositions(); !strings.Contains(got, "prompt scaffold, stop applied") {
		t.Errorf("stored %s", got)
	}
}

// cursorTurn plays a local turn that edits a file, and returns the reminder.
func cursorTurn(t *testing.T, k *talk, gen string) string {
	t.Helper()
	k.quiet("sessionStart", "", more{"is_background_agent": false})
	k.prompt(gen)
	k.quiet("afterFileEdit", gen, more{"file_path": world.repo + "/a.go"})
	return reasonOf(t, k.raw("stop", gen, more{"status": "completed", "loop_count": 0}))
}

func TestACursorFollowUpWithANewGenerationEndsTheProbedRun(t *testing.T) {
	k := newTalk(t, "cursor", "defaults")
	text := cursorTurn(t, k, "g1")
	k.want("g1", runs.Probing, runs.None)
	back := k.payload("beforeSubmitPrompt", "g2", more{"prompt": text})
	for range 2 { // and its twin
		if out := k.send(t, back); out != neutral("cursor") {
			t.Errorf("the reminder that came back prints %q", out)
		}
	}
	k.want("g1", runs.Running, runs.None)
	k.quiet("afterFileEdit", "g2", more{"file_path": world.repo + "/b.go"})
	k.quiet("postToolUse", "g2", more{"tool_name": "MCP:kanban_list", "tool_use_id": "u1"})
	k.quiet("stop", "g2", more{"status": "completed", "loop_count": 1})
	k.want("g1", runs.Ended, runs.Completed)
	k.wantRuns(1)
	if r := k.run("g1"); r.Probes != 1 || r.Edits != 1 || r.Basis != runs.Observed {
		t.Errorf("the run is %+v", r)
	}
	if k.evidence() != 1 || k.counted("scaffold") != 1 || k.counted("marker_unresolved") != 0 {
		t.Errorf("%d pieces of evidence, %d scaffold edits, %d markers unresolved", k.evidence(), k.counted("scaffold"), k.counted("marker_unresolved"))
	}
	if got := k.dispositions(); !strings.HasSuffix(got, "stop applied, prompt scaffold, edit scaffold, tool scaffold, stop applied") {
		t.Errorf("stored %s", got)
	}
	k.prompt("g3") // a person goes on, and the next turn is its own
	k.want("g3", runs.Running, runs.None)
	k.wantRuns(2)
}

func TestAPersonWhoIsFasterThanTheFollowUp(t *testing.T) {
	k := newTalk(t, "cursor", "defaults")
	text := cursorTurn(t, k, "g1")
	k.prompt("g2")
	k.want("g1", runs.Ended, runs.Completed)
	k.quiet("beforeSubmitPrompt", "g3", more{"prompt": text})
	k.quiet("afterFileEdit", "g3", more{"file_path": world.repo + "/b.go"})
	k.quiet("stop", "g3", more{"status": "completed", "loop_count": 1})
	k.want("g1", runs.Ended, runs.Completed)
	k.want("g2", runs.Running, runs.None)
	k.wantRuns(2)
	if k.evidence() != 1 {
		t.Errorf("%d pieces of evidence, want that of the first turn", k.evidence())
	}
}

func TestEventsOfAFollowUpMayComeBeforeIt(t *testing.T) {
	k := newTalk(t, "cursor", "defaults")
	text := cursorTurn(t, k, "g1")
	k.quiet("afterFileEdit", "g2", more{"file_path": world.repo + "/b.go"})
	k.quiet("stop", "g2", more{"status": "completed", "loop_count": 1})
	k.want("g1", runs.Probing, runs.None)
	k.quiet("beforeSubmitPrompt", "g2", more{"prompt": text})
	k.want("g1", runs.Ended, runs.Completed)
	k.wantRuns(1)
	if k.evidence() != 1 {
		t.Errorf("%d pieces of evidence, want that of the turn alone", k.evidence())
	}
	for _, want := range []string{"prompt scaffold", "edit scaffold", "stop adopted"} {
		if got := k.dispositions(); !strings.Contains(got, want) {
			t.Errorf("no %s in what is stored: %s", want, got)
		}
	}
}

func TestAGeminiFollowUpLeavesNoEvidence(t *testing.T) {
	k := newTalk(t, "gemini", "always")
	edit := func() {
		k.quiet("AfterTool", "", more{"tool_name": "write_file", "tool_input": more{"file_path": world.repo + "/a.txt"}})
	}
	k.prompt("")
	edit()
	text := reasonOf(t, k.raw("AfterAgent", "", more{"stop_hook_active": false}))
	k.quiet("BeforeAgent", "", more{"prompt": text})
	edit()
	if n := k.evidence(); n != 1 {
		t.Errorf("%d pieces of evidence, want 1", n)
	}
	k.quiet("AfterAgent", "", more{"stop_hook_active": true})
	k.want("#1", runs.Ended, runs.Completed)
	k.prompt("")
	edit()
	k.want("#2", runs.Running, runs.None)
	if n := k.evidence(); n != 2 {
		t.Errorf("%d pieces of evidence, want that of the next turn too", n)
	}
	k.wantRuns(2)
}

// TestAMarkerThatDoesNotResolveIsWork: what looks like our reminder is a person's prompt unless the probe is open, and of
// this session.
func TestAMarkerThatDoesNotResolveIsWork(t *testing.T) {
	for _, host := range []string{"gemini", "cursor"} {
		t.Run(host, func(t *testing.T) {
			k := newTalk(t, host, "always")
			turns := 0
			next := func() string { turns++; return fmt.Sprint("g", turns) }
			stop := map[string]string{"gemini": "AfterAgent", "cursor": "stop"}[host]
			ended := more{"stop_hook_active": false, "status": "completed", "loop_count": 0}
			if host == "cursor" {
				k.quiet("sessionStart", "", more{"is_background_agent": false})
			}
			gen := next()
			k.prompt(gen)
			text := reasonOf(t, k.raw(stop, gen, ended))
			k.quiet(promptEvent(host), next(), more{"prompt": text}) // spent by this
			mine := k.session
			for name, prompt := range map[string]string{
				"spent":            text,
				"made up":          "BOARD_STOP_V1 probe=00000001-0000-8000-8000-000000000000\nboard: go",
				"malformed":        "BOARD_STOP_V1 probe=nonsense",
				"of nobody":        "BOARD_STOP_V1 probe=",
				"in other letters": strings.ToUpper(text),
			} {
				before := k.counted("marker_unresolved")
				n := len(allRuns(t, k.look(t), k.look(t).Now()))
				if got := k.say(promptEvent(host), next(), more{"prompt": prompt}); got != promptPrints(host) {
					t.Errorf("%s: prints %s", name, got)
				}
				k.wantRuns(n + 1)
				if got := k.counted("marker_unresolved") - before; got != map[bool]int64{true: 1, false: 0}[name != "in other letters"] {
					t.Errorf("%s: counted %d times", name, got)
				}
			}
			// An open one of another session.
			k.session = "another"
			if host == "cursor" {
				k.quiet("sessionStart", "", more{"is_background_agent": false})
			}
			k.prompt("h1")
			text = reasonOf(t, k.raw(stop, "h1", ended))
			k.session = mine
			n := len(allRuns(t, k.look(t), k.look(t).Now()))
			k.say(promptEvent(host), next(), more{"prompt": text})
			k.wantRuns(n + 1)
			if strings.Contains(k.dispositions(), "conflict") {
				t.Errorf("stored %s", k.dispositions())
			}
		})
	}
}
