package stress

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"board/internal/lab"
)

const (
	racers = 50
	rounds = 200
)

// agent is one session with a server process, and so a connection, of its own.
type agent struct {
	session string
	run     string // short handle
	client  *lab.Client
}

func agents(t *testing.T, w *lab.World, n int) []*agent {
	t.Helper()
	all := make([]*agent, n)
	for i := range all {
		a := &agent{session: fmt.Sprintf("s%d", i), run: fmt.Sprintf("r%d", i+1)}
		register(t, w, a.session)
		var err error
		if a.client, err = w.Serve(context.WithoutCancel(t.Context())); err != nil { // it outlives the test, to be closed
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := a.client.Close(); err != nil {
				t.Errorf("board mcp: %v", err)
			}
		})
		all[i] = a
	}
	return all
}

// call lets all agents call a tool at the same moment.
func call(t *testing.T, all []*agent, tool string, args func(i int) map[string]any) []lab.Answer {
	t.Helper()
	answers, errs := make([]lab.Answer, len(all)), make([]error, len(all))
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	for i, a := range all {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-start
			answers[i], errs[i] = a.client.Tool(tool, args(i), proof(a.session))
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
	for i, err := range errs {
		if err != nil {
			t.Fatalf("%s of %s: %v", tool, all[i].session, err)
		}
		if s := answers[i].Text; strings.Contains(s, "locked") || strings.Contains(s, "store_busy") {
			t.Fatalf("%s was told of the database's locks: %s", all[i].session, s)
		}
	}
	return answers
}

func TestOneIssueHasOneWinner(t *testing.T) {
	w := newWorld(t)
	initProject(t, w)
	if out := w.Board(t.Context(), "add", "The prize"); out.Err != nil {
		t.Fatal(out.Stderr)
	}
	all := agents(t, w, racers)
	wins := map[string]int{}
	began := time.Now()
	for round := range rounds {
		answers := call(t, all, "kanban_begin_work", func(int) map[string]any { return map[string]any{"issue_key": "TEST-1"} })
		var winner *agent
		for i, a := range answers {
			if a.IsError {
				continue
			}
			if winner != nil {
				t.Fatalf("round %d: %s and %s won", round, winner.session, all[i].session)
			}
			winner = all[i]
		}
		if winner == nil {
			t.Fatalf("round %d: nobody won; the first was told: %s", round, answers[0].Text)
		}
		wins[winner.run]++
		for i, a := range answers {
			if a.IsError && (!strings.Contains(a.Text, "held_by_other") || !strings.Contains(a.Text, winner.run)) {
				t.Fatalf("round %d: %s was not told that %s holds it: %s", round, all[i].session, winner.run, a.Text)
			}
		}
		if a, err := winner.client.Tool("kanban_unclaim", map[string]any{"issue_key": "TEST-1"}, proof(winner.session)); err != nil || a.IsError {
			t.Fatalf("round %d: unclaim: %v %s", round, err, a.Text)
		}
	}
	t.Logf("%d processes, %d rounds of %d ms: one winner each, %d losers told the holder; %d different winners",
		racers, rounds, time.Since(began).Milliseconds()/rounds, rounds*(racers-1), len(wins))
}

func TestEveryReadyIssueHasOneWinner(t *testing.T) {
	w := newWorld(t)
	initProject(t, w)
	const prizes = 10
	for i := range prizes {
		if out := w.Board(t.Context(), "add", fmt.Sprintf("Prize %d", i)); out.Err != nil {
			t.Fatal(out.Stderr)
		}
	}
	all := agents(t, w, racers)
	began := time.Now()
	for round := range rounds {
		answers := call(t, all, "kanban_begin_work", func(int) map[string]any { return map[string]any{} })
		var winners []*agent
		holder := map[string]*agent{}
		keys := map[string]string{}
		for i, a := range answers {
			if a.IsError {
				if !strings.Contains(a.Text, "nothing_ready") {
					t.Fatalf("round %d: %s: %s", round, all[i].session, a.Text)
				}
				continue
			}
			key := keyOf(a.Text)
			if other := holder[key]; other != nil {
				t.Fatalf("round %d: %s and %s both won %s", round, other.session, all[i].session, key)
			}
			holder[key], keys[all[i].session] = all[i], key
			winners = append(winners, all[i])
		}
		if len(winners) != prizes {
			t.Fatalf("round %d: %d Issues were ready and %d were taken", round, prizes, len(winners))
		}
		for i, a := range call(t, winners, "kanban_unclaim", func(i int) map[string]any { return map[string]any{"issue_key": keys[winners[i].session]} }) {
			if a.IsError {
				t.Fatalf("round %d: unclaim by %s: %s", round, winners[i].session, a.Text)
			}
		}
	}
	t.Logf("%d processes, %d rounds of %d ms, %d ready Issues each: one winner each", racers, rounds, time.Since(began).Milliseconds()/rounds, prizes)
}

// keyOf reads the key from the first line of an answer: board: run … issue KEY.
func keyOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	f := strings.Fields(line)
	return f[len(f)-1]
}

// The first programs that a person and their hosts start may meet a database that nobody has made yet.
func TestManyProcessesMeetNoDatabase(t *testing.T) {
	w := newWorld(t)
	const processes, times = 40, 50
	for round := range times {
		w.DB = fmt.Sprintf("%s/round-%d/board.db", w.Root, round)
		outs := make([]lab.Output, processes)
		var done sync.WaitGroup
		start := make(chan struct{})
		for i := range processes {
			done.Go(func() {
				<-start
				outs[i] = w.Board(t.Context(), "init", "--prefix", "TEST", "--no-input")
			})
		}
		close(start)
		done.Wait()
		for i, out := range outs {
			if out.Err != nil {
				t.Fatalf("round %d, process %d: %v: %s", round, i, out.Err, out.Stderr)
			}
		}
		if out := w.Board(t.Context(), "add", "It works"); out.Err != nil || !strings.Contains(out.Stdout, "TEST-1") {
			t.Fatalf("round %d: after that: %v %q %q", round, out.Err, out.Stdout, out.Stderr)
		}
	}
	t.Logf("%d processes, %d rounds: all succeeded", processes, times)
}
