package runs_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"board/internal/runs"
	"board/internal/store"
)

// notice is what a host says to its person.
func notice(detail string, asks runs.Ask) runs.Observation {
	return runs.Observation{
		Kind: runs.OnNotice, Name: "Notification", Key: runs.Key{Host: runs.ClaudeCode, Session: "s", Turn: "t1"}, RawTurn: "t1",
		Detail: detail, Asks: asks, ProjectID: 7,
	}
}

// asks says what the run of t1 waits for, and for how long.
func (s *scene) asks() string {
	s.t.Helper()
	for _, r := range s.recorded("s") {
		if r.Turn == "t1" {
			if r.Asks == runs.AsksNothing {
				return fmt.Sprintf("- %d %s", r.AsksAt, r.LastKind)
			}
			return fmt.Sprintf("%s %s %s", r.Asks, time.Duration(s.now()-r.AsksAt)*time.Millisecond, r.LastKind)
		}
	}
	return "no run"
}

func (s *scene) wantAsks(when, want string) {
	s.t.Helper()
	if got := s.asks(); got != want {
		s.t.Errorf("%s: %s, want %s", when, got, want)
	}
}

// TestWhatAHostAsksStandsUntilTheNextEvent: since its first notice, whatever the clock does.
func TestWhatAHostAsksStandsUntilTheNextEvent(t *testing.T) {
	s := newScene(t)
	ask := func(detail string, asks runs.Ask) {
		o := notice(detail, asks)
		o.ReceivedAt = s.now()
		s.deliver(o)
	}
	s.see(mevent{kind: "prompt", turn: "t1"})
	s.wantAsks("at work", "- 0 prompt")
	ask("permission_prompt", runs.AsksApproval)
	s.clock.Add(time.Minute)
	s.wantAsks("a dialog", "approval 1m0s notice")
	ask("permission_prompt", runs.AsksApproval) // the same again: its double, or another dialog meanwhile
	ask("permission_prompt_again", runs.AsksApproval)
	s.wantAsks("another notice of the kind", "approval 1m0s notice")
	ask("idle_prompt", runs.AsksAnswer)
	s.wantAsks("another question", "answer 0s notice")
	s.clock.Add(-time.Hour) // the clock steps back
	s.see(mevent{kind: "tool", turn: "t1", call: "1"})
	s.wantAsks("the next event", "- 0 tool")
	ask("permission_prompt_2", runs.AsksApproval)
	ask("auth_success", runs.AsksNothing)
	s.wantAsks("a notice that asks nothing", "- 0 notice")
	for i, e := range []mevent{{kind: "prompt", turn: "t1", call: "2"}, {kind: "edit", turn: "t1", call: "3"}, {kind: "stop", turn: "t1", flag: true}} {
		ask(fmt.Sprint("permission", i), runs.AsksApproval)
		s.wantAsks("again", "approval 0s notice")
		s.see(e)
		s.wantAsks("after a "+e.kind, "- 0 "+e.kind)
	}
}

// TestASpooledEventSpeaksOfItsOwnTime: an older one neither asks nor answers; a younger one does both.
func TestASpooledEventSpeaksOfItsOwnTime(t *testing.T) {
	s := newScene(t)
	s.see(mevent{kind: "prompt", turn: "t1"})
	spooled := func(o runs.Observation, after time.Duration) {
		o.Spooled, o.ReceivedAt = true, s.now()+after.Milliseconds()
		s.deliver(o)
	}
	tool := func(call string) runs.Observation {
		return mevent{kind: "tool", turn: "t1", call: call}.observation("s", 7)
	}
	spooled(notice("1", runs.AsksApproval), -time.Second)
	s.wantAsks("a notice from before the prompt", "- 0 prompt")
	spooled(notice("2", runs.AsksApproval), 0)
	s.clock.Add(time.Second)
	spooled(tool("1"), -2*time.Second)
	s.wantAsks("a tool from before the notice", "approval 1s notice")
	spooled(tool("2"), 0)
	s.wantAsks("a tool from after it", "- 0 tool")
}

// TestAProvenCallAnswersWhatTheHostAsked: board's own tool ran, so the dialog about it is gone.
func TestAProvenCallAnswersWhatTheHostAsked(t *testing.T) {
	s := newScene(t)
	handle := s.see(mevent{kind: "prompt", turn: "t1"}).Run.Handle
	s.write(func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO tool_calls (host, call_id, run_id, at) VALUES (?, 'call', 1, 0)`, runs.ClaudeCode)
		return err
	})
	s.deliver(notice("permission_prompt", runs.AsksApproval))
	if _, err := s.resolve(runs.Who{Handle: handle}); err != nil {
		t.Fatal(err)
	}
	s.wantAsks("a call that anybody could make", "approval 0s notice")
	s.clock.Add(-time.Minute)
	if c, err := s.resolve(runs.Who{Proof: &runs.Proof{Host: runs.ClaudeCode, CallID: "call"}}); err != nil || !c.Proven {
		t.Fatal(c, err)
	}
	s.wantAsks("a proven call", "- 0 tool")
}
