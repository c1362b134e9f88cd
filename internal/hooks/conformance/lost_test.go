package conformance

import (
	"fmt"
	"slices"
	"testing"
)

func (k *talk) wantLost(when string, want ...string) {
	k.t.Helper()
	var got []string
	query(k.t, k.look(k.t), `SELECT host || ' ' || version || ' ' || n || ' ' || in_row FROM lost_stops ORDER BY host, version`, func(scan func(...any) error) error {
		var s string
		err := scan(&s)
		got = append(got, s)
		return err
	})
	if !slices.Equal(got, want) {
		k.t.Errorf("%s: %v, want %v", when, got, want)
	}
}

// TestStopsThatNeverMeetTheirTurnAreCounted: five in a row, by the version of the host; the next one that does ends it.
func TestStopsThatNeverMeetTheirTurnAreCounted(t *testing.T) {
	for host, c := range map[string]struct{ version, name, env string }{
		"claude-code": {"2-1-332", "claude-code", "AI_AGENT=claude-code_2-1-332_harness"},
		"codex":       {"", "codex", "AI_AGENT=none"},
	} {
		t.Run(host, func(t *testing.T) {
			k := newTalk(t, host, "always")
			k.env = []string{c.env}
			lost := func(n, row int) string { return fmt.Sprintf("%s %s %d %d", c.name, c.version, n, row) }
			for i := range 5 {
				turn := fmt.Sprint("t", i)
				k.prompt(turn)
				if got := k.stop(turn+"-0-ab12", false); got != "-" {
					t.Errorf("a Stop of nobody prints %s", got)
				}
				k.wantLost(turn, lost(i+1, i+1))
			}
			k.stop("t4", true)
			k.wantLost("one that meets its turn", lost(5, 0))
			k.prompt("t5")
			k.stop("t6", true) // before its prompt
			k.wantLost("an early one", lost(6, 1))
			k.prompt("t6")
			k.wantLost("once its prompt comes", lost(5, 0))
		})
	}
}

// TestACommandOfThePersonLosesNoStop plays what Claude Code sends for !cmd.
func TestACommandOfThePersonLosesNoStop(t *testing.T) {
	k := newTalk(t, "claude-code", "always")
	for range 3 {
		play(t, k.box, "i_bang")
	}
	k.wantLost("in sessions of nothing else", "claude-code  2 0") // the doubles are doubles
	k.prompt("t1")
	k.stop("t1", true)
	for i := range 6 {
		k.stop(fmt.Sprint("bang", i), false)
	}
	k.wantLost("after a turn", "claude-code  8 0")
}

// TestWhatIsNoTurnsStopIsNotLost: of hosts and moments that name no turn, or of a subagent.
func TestWhatIsNoTurnsStopIsNotLost(t *testing.T) {
	k := newTalk(t, "gemini", "always")
	k.quiet("AfterAgent", "", more{"stop_hook_active": false})
	k.wantLost("Gemini names no turns")
	k = newTalk(t, "claude-code", "always")
	k.prompt("t1")
	k.quiet("Stop", "t1", child("kid", more{"stop_hook_active": false}))
	k.quiet("SubagentStop", "t1", child("kid2", more{"stop_hook_active": false}))
	k.quiet("StopFailure", "t9", more{"error": "rate_limit"})
	k.wantLost("ends of subagents, and failures")
}
