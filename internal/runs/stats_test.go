package runs_test

import (
	"context"
	"testing"
	"time"

	"board/internal/runs"
	"board/internal/store"
)

// TestAProbeIsAnsweredByABoardWriteOfItsLineBeforeTheNextPrompt follows five turns of one session.
func TestAProbeIsAnsweredByABoardWriteOfItsLineBeforeTheNextPrompt(t *testing.T) {
	s := newScene(t)
	want := func(when string, p runs.Probes) {
		t.Helper()
		s.write(func(ctx context.Context, tx *store.Tx) error {
			got, err := runs.ProbesOf(ctx, tx)
			if got[runs.ClaudeCode] != p {
				t.Errorf("%s: %+v, want %+v", when, got[runs.ClaudeCode], p)
			}
			return err
		})
	}
	write := func(line int64) {
		s.write(func(ctx context.Context, tx *store.Tx) error { return runs.MarkWrite(ctx, tx, line) })
	}
	turn := func(name string) (line int64) {
		s.clock.Add(time.Hour) // no session is left alone for so long
		line = s.see(mevent{kind: "prompt", turn: name}).Line.ID
		if r := s.see(mevent{kind: "stop", turn: name}); r.Say != runs.Reminder {
			t.Fatalf("turn %s is not asked", name)
		}
		return line
	}
	want("before anything", runs.Probes{})
	line := turn("t1")
	want("asked", runs.Probes{Sent: 1, Open: 1})
	write(line)
	write(line) // a second write is no second answer
	want("answered", runs.Probes{Sent: 1, Answered: 1})
	s.see(mevent{kind: "stop", turn: "t1", flag: true})
	turn("t2")
	want("asked again", runs.Probes{Sent: 2, Answered: 1, Open: 1})
	turn("t3")
	want("the next prompt came first", runs.Probes{Sent: 3, Answered: 1, NoEffect: 1, Open: 1})
	s.see(mevent{kind: "prompt", turn: "t4"})
	write(line) // too late: nobody was asked in this turn
	want("a write of a later turn", runs.Probes{Sent: 3, Answered: 1, NoEffect: 2})
}

func TestHostEventsCountWhatWasSeen(t *testing.T) {
	s := newScene(t)
	s.see(mevent{kind: "prompt", turn: "t1"})
	s.write(func(ctx context.Context, tx *store.Tx) error {
		list, err := runs.HostEvents(ctx, tx)
		if len(list) != 1 || list[0].Host != runs.ClaudeCode || list[0].N != 1 || list[0].LastAt != tx.Now {
			t.Errorf("%+v", list)
		}
		return err
	})
}
