package conformance

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

// copied makes a home whose store is a copy of another home's, as it is between two events.
func copied(t *testing.T, from *box) *box {
	t.Helper()
	b := newBox(t, from.host, from.DB)
	log, err := os.ReadFile(from.DB + "-wal")
	if err == nil {
		write(t, b.DB+"-wal", log)
	} else if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return b
}

// orders plays the events of two runs in every order in which each run's own stay in theirs: from what was played so far,
// each of the two that may be next. It returns how many orders there were.
func orders(t *testing.T, b *box, events [2][][]byte, order string, check func(b *box, order string)) (n int) {
	t.Helper()
	if len(events[0])+len(events[1]) == 0 {
		check(b, order)
		return 1
	}
	for run, list := range events {
		if len(list) == 0 {
			continue
		}
		next, left := copied(t, b), events
		next.send(t, list[0])
		left[run] = list[1:]
		n += orders(t, next, left, order+fmt.Sprint(run+1), check)
	}
	return n
}

// TestTwoRunsInTwoProjectsInEveryOrder: a prompt, an edit in each of two projects and a Stop of two runs, of one session
// and of two. What is credited is the same in all of them.
func TestTwoRunsInTwoProjectsInEveryOrder(t *testing.T) {
	for name, sessions := range map[string][2]string{"one session": {"1", "1"}, "two sessions": {"1", "2"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newTalk(t, "codex", "always")
			lib := k.second()
			var events [2][][]byte
			var want []string
			for i, s := range sessions {
				k.session = s + k.session[1:]
				turn := fmt.Sprint("t", i+1)
				events[i] = [][]byte{
					k.payload("UserPromptSubmit", turn, more{"prompt": "go"}),
					k.changed(turn, "c1", world.repo+"/same.go"),
					k.changed(turn, "c2", lib+"/"+turn),
					k.payload("Stop", turn, more{"stop_hook_active": true}),
				}
				for _, credit := range []string{"P1 indeterminate", "P1 same.go 1", "P2 indeterminate", "P2 " + turn + " 1", "completed observed"} {
					want = append(want, s+" "+turn+" "+credit)
				}
			}
			if err := k.look(t).Close(); err != nil { // to be copied
				t.Fatal(err)
			}
			k.db = nil
			n := orders(t, k.box, events, "", func(b *box, order string) {
				if got := credits(t, b.look(t)); !slices.Equal(got, want) {
					t.Errorf("in the order %s\n%s\nwant\n%s", order, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			})
			if n != 70 {
				t.Errorf("%d orders, want 70", n)
			}
		})
	}
}
