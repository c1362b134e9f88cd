package runs

import (
	"context"
	"strings"
)

// countedTurn gives a root's event without a turn id the key of a counted turn: a host, or a version of one, that sends
// none still gets runs, without correlation. A prompt opens the next one. It answers false if there is no turn that the
// event could belong to. Cursor is not counted: where it names no turn, the whole conversation is one.
func (v *observer) countedTurn(ctx context.Context) (bool, error) {
	if v.o.Key.Turn != "" || v.o.Key.Agent != "" || v.o.Key.Host == Cursor {
		return true, nil
	}
	n := v.root.Turn
	opens := n == 0 && v.registers()
	if v.o.Kind == OnPrompt && !v.o.Empty {
		again, err := v.promptAgain(ctx, n)
		if err != nil {
			return false, err
		}
		opens = !again
	}
	if opens {
		n = v.root.Turns + 1
	}
	if n == 0 {
		return false, nil
	}
	v.counts, v.o.Key.Turn = true, countedKey(n)
	if v.o.Stamp == "" { // else the event is known by its time, whatever turn it is counted to
		v.o.RawTurn = v.o.Key.Turn
	}
	return true, nil
}

// promptAgain reports whether a prompt without a turn id is the double of the one that opened counted turn n. A host that
// stamps its events is taken at its word, by their ids. Of any other, a second prompt with nothing in between is one.
func (v *observer) promptAgain(ctx context.Context, n int64) (bool, error) {
	if n == 0 || v.o.Stamp != "" {
		return false, nil
	}
	r, ok, err := runByKey(ctx, v.tx, v.root, countedKey(n))
	return ok && r.NEvents == 1 && v.o.ReceivedAt-r.LastSeenAt <= doubleWithin, err
}

// enter notes the counted turn that goes on.
func (v *observer) enter(r Run) {
	if v.counts {
		v.root.Turn = r.countedN()
		v.root.Turns = max(v.root.Turns, v.root.Turn)
	}
}

// doubleWithin is the time, in milliseconds, within which a second prompt without a turn id and without anything in
// between is taken for the double of the first. A person who types again is slower.
const doubleWithin = 2000

// counted marks the turn keys of counted turns.
const counted = "#"

func countedKey(n int64) string { return counted + itoa(n) }

// isCounted reports whether the host did not name the turn.
func (r Run) isCounted() bool { return strings.HasPrefix(r.Turn, counted) }

func (r Run) countedN() int64 {
	var n int64
	for _, d := range strings.TrimPrefix(r.Turn, counted) {
		n = n*10 + int64(d-'0')
	}
	return n
}
