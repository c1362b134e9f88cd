package runs_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"board/internal/runs"
)

// lost lists what is counted of Stops that belong to no run: version, all, and those in a row.
func (s *scene) lost() []string {
	s.t.Helper()
	return s.texts(`SELECT host || ' ' || version || ' ' || n || ' ' || in_row FROM lost_stops ORDER BY host, version`)
}

// versioned delivers an event of a session of one version of a host.
func (s *scene) versioned(version, session string, e mevent) runs.Result {
	s.t.Helper()
	e.receivedAt = s.now()
	o := e.observation(session, 7)
	o.Version = version
	return s.deliver(o)
}

func (s *scene) wantLost(when string, want ...string) {
	s.t.Helper()
	if got := s.lost(); !slices.Equal(got, want) {
		s.t.Errorf("%s: %v, want %v", when, got, want)
	}
}

// TestLostStopsInARow: turns whose Stop comes under another id, one after the other, until one has its own again.
func TestLostStopsInARow(t *testing.T) {
	s := newScene(t)
	first := s.now()
	for i := range 5 {
		s.versioned("2", "s", mevent{kind: "prompt", turn: fmt.Sprint("t", i)})
		s.versioned("2", "s", mevent{kind: "stop", turn: fmt.Sprintf("t%d-0-ab12", i), flag: true})
		s.clock.Add(time.Second)
	}
	s.wantLost("five in a row", "claude-code 2 5 5")
	if got := s.texts(`SELECT row_at || '' FROM lost_stops`); !slices.Equal(got, []string{fmt.Sprint(first)}) {
		t.Errorf("the row began at %v, want %d", got, first)
	}
	s.versioned("2", "s", mevent{kind: "stop", turn: "t4-0-ab12", flag: true})
	s.wantLost("its twin", "claude-code 2 5 5")
	s.versioned("2", "s", mevent{kind: "prompt", turn: "t5"})
	s.versioned("2", "s", mevent{kind: "tool", turn: "t5", call: "c"})
	s.wantLost("other events", "claude-code 2 5 5")
	s.versioned("2", "s", mevent{kind: "stop", turn: "t5", flag: true})
	s.wantLost("one that has its run", "claude-code 2 5 0")
}

// TestAVersionIsBlamedForItself: another one in use beside it loses nothing, and gains nothing for it.
func TestAVersionIsBlamedForItself(t *testing.T) {
	s := newScene(t)
	lose := func(version, session string) {
		s.versioned(version, session, mevent{kind: "prompt", turn: "t"})
		s.versioned(version, session, mevent{kind: "stop", turn: "t-1-cdef", flag: true})
	}
	find := func(version, session string) {
		s.versioned(version, session, mevent{kind: "prompt", turn: "t"})
		s.versioned(version, session, mevent{kind: "stop", turn: "t", flag: true})
	}
	lose("1", "a")
	lose("2", "b")
	lose("2", "c")
	find("1", "d")
	s.wantLost("the first has one that is found", "claude-code 1 1 0", "claude-code 2 2 2")
	find("3", "e")
	s.wantLost("a third comes", "claude-code 1 1 0", "claude-code 2 2 2")
	lose("3", "f")
	s.clock.Add(25 * time.Hour)
	lose("3", "g")
	find("3", "h")
	s.wantLost("the second was not met for a day", "claude-code 1 1 0", "claude-code 2 2 0", "claude-code 3 2 0")
	o := mevent{kind: "stop", turn: "x", flag: true}.observation("i", 7)
	o.Key.Host = runs.Codex
	s.deliver(mevent{kind: "prompt", turn: "y"}.observation("i", 7))
	s.deliver(o)
	s.wantLost("of a session that another host has not", "claude-code 1 1 0", "claude-code 2 2 0", "claude-code 3 2 0", "codex  1 1")
}

// TestALostStopIsTakenBackOnceItsRunComes: it was early, not lost.
func TestALostStopIsTakenBackOnceItsRunComes(t *testing.T) {
	s := newScene(t)
	s.versioned("2", "s", mevent{kind: "prompt", turn: "t1"})
	s.versioned("2", "s", mevent{kind: "stop", turn: "t2", flag: true})
	s.versioned("3", "s", mevent{kind: "stop", turn: "t3", flag: true})
	s.wantLost("early", "claude-code 2 1 1", "claude-code 3 1 0") // of one open turn not more than one
	s.versioned("2", "s", mevent{kind: "prompt", turn: "t2"})
	s.wantLost("its prompt comes", "claude-code 2 0 0", "claude-code 3 1 0")
}

// TestAStopIsLostOnlyWhereATurnWaitsForOne: !cmd in Claude Code makes Stops without a prompt, as often as a person likes,
// and after an Esc, of which nothing tells, too. Another host whose Stops come before any turn has lost the prompts as well.
func TestAStopIsLostOnlyWhereATurnWaitsForOne(t *testing.T) {
	for name, before := range map[string][]mevent{
		"nothing":               nil,
		"a turn that completed": {{kind: "prompt", turn: "t1"}, {kind: "stop", turn: "t1", flag: true}},
		"one that was asked":    {{kind: "prompt", turn: "t1"}, {kind: "stop", turn: "t1"}},
		"one that failed":       {{kind: "prompt", turn: "t1"}, {kind: "failure", turn: "t1"}},
		"an interrupted one":    {{kind: "prompt", turn: "t1"}, {kind: "interrupt", turn: "t1"}},
		"one that goes on":      {{kind: "prompt", turn: "t1"}},
	} {
		s := newScene(t)
		for _, e := range before {
			s.versioned("2", "s", e)
		}
		for i := range 5 {
			s.versioned("2", "s", mevent{kind: "stop", turn: fmt.Sprint("bang", i)})
			s.versioned("2", "s", mevent{kind: "stop", turn: fmt.Sprint("bang", i), flag: true})
		}
		want := "claude-code 2 10 0"
		if name == "one that goes on" {
			want = "claude-code 2 10 1"
		}
		s.wantLost("after "+name, want)
	}
	s := newScene(t)
	for i := range 5 {
		o := mevent{kind: "stop", turn: fmt.Sprint("t", i), flag: true}.observation("s", 7)
		o.Key.Host = runs.Codex
		s.deliver(o)
	}
	s.wantLost("without a prompt", "codex  5 5")
}
