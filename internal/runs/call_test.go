package runs_test

import (
	"testing"

	"board/internal/fault"
	"board/internal/runs"
)

// TestACallThatTwoRunsAnnouncedProvesNeither: nobody must be handed the run of somebody else.
func TestACallThatTwoRunsAnnouncedProvesNeither(t *testing.T) {
	s := newScene(t)
	announce := func(session string) {
		s.deliver(runs.Observation{
			Kind: runs.OnTool, Name: "PreToolUse", Key: runs.Key{Host: runs.ClaudeCode, Session: session, Turn: "t"}, RawTurn: "t",
			CallID: "same", OwnTool: true, Announces: true, ProjectID: 7,
		})
	}
	who := runs.Who{Proof: &runs.Proof{Host: runs.ClaudeCode, CallID: "same"}, ProjectID: 7}
	announce("a")
	announce("a") // told twice
	if c, err := s.resolve(who); err != nil || !c.Proven || c.Run.Session != "a" {
		t.Fatalf("one run announced it: %+v (%v)", c, err)
	}
	announce("b")
	if c, err := s.resolve(who); fault.CodeOf(err) != fault.RunUnknown {
		t.Errorf("two did: %+v (%v)", c, err)
	}
	announce("a")
	if _, err := s.resolve(who); fault.CodeOf(err) != fault.RunUnknown {
		t.Errorf("and the first one again: %v", err)
	}
}
