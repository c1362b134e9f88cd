package conformance

import (
	"testing"

	"board/internal/runs"
)

// TestAGeminiTurnIsOnePromptThatIsNewByItsTime: a twin is none, and neither is one without text.
func TestAGeminiTurnIsOnePromptThatIsNewByItsTime(t *testing.T) {
	k := newTalk(t, "gemini", "always")
	first := good(k, "", "go")
	if got, err := printed(k.host, "BeforeAgent", k.send(t, first)); got != "context" || err != nil {
		t.Errorf("the first prompt prints %s (%v)", got, err)
	}
	if out := k.send(t, first); out != "{}" {
		t.Errorf("its twin prints %q", out)
	}
	k.quiet("BeforeAgent", "", more{"prompt": " \n"})
	k.wantRuns(1)
	stop := k.payload("AfterAgent", "", more{"stop_hook_active": true})
	k.send(t, stop)
	k.want("#1", runs.Ended, runs.Completed)
	k.prompt("")
	k.want("#2", runs.Running, runs.None)
	for _, late := range [][]byte{first, stop} { // twins that come after the next prompt are still known
		if out := k.send(t, late); out != "{}" {
			t.Errorf("a late twin prints %q", out)
		}
	}
	k.want("#2", runs.Running, runs.None)
	k.wantRuns(2)
}

func TestGeminiToolsAtTheSameTimeStayApart(t *testing.T) {
	k := newTalk(t, "gemini", "always")
	k.prompt("")
	at := more{"timestamp": "2026-12-01T04:23:33.305Z", "tool_name": "read_file"}
	k.quiet("AfterTool", "", at)
	k.quiet("AfterTool", "", at) // the same
	k.quiet("AfterTool", "", more{"timestamp": "2026-12-01T04:23:33.305Z", "tool_name": "list_directory"})
	k.quiet("AfterTool", "", more{"timestamp": "2026-12-01T04:23:33.306Z", "tool_name": "read_file"})
	if r := k.run("#1"); r.Tools != 3 {
		t.Errorf("%d tools, want 3", r.Tools)
	}
}

func TestAFailedGeminiEditIsNoEvidence(t *testing.T) {
	k := newTalk(t, "gemini", "always")
	k.prompt("")
	k.quiet("AfterTool", "", more{
		"tool_name": "replace", "tool_input": more{"file_path": world.repo + "/a.txt"}, "tool_response": more{"error": more{"message": "no match"}},
	})
	if n := k.evidence(); n != 0 {
		t.Errorf("%d pieces of evidence", n)
	}
	k.quiet("AfterTool", "", more{
		"tool_name": "replace", "tool_input": more{"file_path": world.repo + "/a.txt"}, "tool_response": more{"error": nil},
	})
	if n := k.evidence(); n != 1 {
		t.Errorf("%d pieces of evidence, want 1", n)
	}
}

// TestTheDefaultPolicyOfEachHost asks nobody by itself where an end may be an Esc, or where there is no way to ask.
func TestTheDefaultPolicyOfEachHost(t *testing.T) {
	k := newTalk(t, "gemini", "defaults")
	k.prompt("")
	k.quiet("AfterTool", "", more{"tool_name": "write_file", "tool_input": more{"file_path": world.repo + "/a.txt"}})
	k.quiet("AfterAgent", "", more{"stop_hook_active": false})
	k.want("#1", runs.Ended, runs.Completed)

	k = newTalk(t, "cursor", "defaults")
	k.quiet("sessionStart", "", more{"is_background_agent": false})
	k.prompt("g1")
	k.quiet("stop", "g1", more{"status": "completed", "loop_count": 0}) // nothing to decide
	k.want("g1", runs.Ended, runs.Completed)

	k = newTalk(t, "opencode", "always")
	k.prompt("m1")
	k.quiet("tool", "m1", more{"tool": "write", "paths": []string{"a.txt"}})
	k.quiet("stop", "m1", nil)
	k.want("m1", runs.Ended, runs.Completed)
}
