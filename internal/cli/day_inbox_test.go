package cli

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTheInboxOfADayIsRight(t *testing.T) {
	days, events := uint64(3), 290
	if testing.Short() { // the race detector makes a minute of a second
		days, events = 1, 50
	}
	for seed := range days {
		d := newDay(t, seed)
		for d.events < events {
			turns := d.turns()
			turns[d.rng.IntN(len(turns))](d.agents[d.rng.IntN(len(d.agents))])
		}
		d.finish()
		got, want := d.inbox(), d.want()
		if !slices.IsSortedFunc(got, func(a, b waiting) int { return cmp.Compare(a.Since, b.Since) }) {
			t.Errorf("seed %d: not the oldest first: %+v", seed, got)
		}
		shown := slices.SortedFunc(slices.Values(got), oldestFirst)
		same := func(a, b waiting) bool {
			return a.Code == b.Code && a.About == b.About && a.Since/1000 == b.Since/1000 && (b.command == "" || a.command == b.command)
		}
		if !slices.EqualFunc(shown, want, same) {
			t.Fatalf("seed %d, %d events:\n got %+v\nwant %+v", seed, d.events, shown, want)
		}
		for _, w := range got {
			d.answer(w)
		}
		for _, w := range d.inbox() {
			if w.Code != "your_turn" && w.Code != "needs_approval" { // only their agents can be answered, where they are
				t.Errorf("seed %d: still waits after its command: %+v", seed, w)
			}
		}
	}
}

// answer runs the command of a line, and looks whether it did what it says.
func (d *day) answer(w waiting) {
	d.t.Helper()
	words := strings.Fields(w.command)
	if len(words) < 2 || words[0] != "board" {
		d.t.Fatalf("%+v: no command line", w)
	}
	d.now = d.now.Add(time.Second)
	status, out := d.try(words[1:]...)
	if w.Code == "closure_waiting" && status == 5 { // its session went on editing: that is shown first
		if !strings.Contains(out, "more edits") {
			d.t.Errorf("%+v: %s", w, out)
		}
		status, out = d.try(words[1:]...)
	}
	if status != 0 {
		d.t.Fatalf("%+v: exit %d: %s", w, status, out)
	}
	state := func(key string) string {
		var doc struct{ Data struct{ State string } }
		if err := json.Unmarshal([]byte(d.board("show", key, "--json")), &doc); err != nil {
			d.t.Fatal(err)
		}
		return doc.Data.State
	}
	switch w.Code {
	case "closure_waiting":
		if got := state(w.About); got != "done" {
			d.t.Errorf("%+v: %s", w, got)
		}
	case "needs_answer":
		if got := state(w.About); got != "in_progress" {
			d.t.Errorf("%+v: %s", w, got)
		}
	case "lost_with_issue":
		if got := state(w.About); got != "todo" {
			d.t.Errorf("%+v: %s", w, got)
		}
	case "edits_without_issue":
		key := strings.Split(strings.TrimSpace(out), "\t")[0]
		if got := state(key); got != "todo" {
			d.t.Errorf("%+v made %q: %s", w, key, got)
		}
	default:
		if !strings.Contains(out, w.About) {
			d.t.Errorf("%+v shows %q", w, out)
		}
	}
}
