package runs

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"strings"
)

// seen reports whether the id was stored before. known says that the line is not new.
func (v *observer) seen(ctx context.Context, id [16]byte, known bool) (bool, Disposition, Why, error) {
	if !known || v.line == &v.root && v.o.GivenID == "" && id == v.asked && !v.s.stored {
		return false, 0, NoReason, nil
	}
	content, ok, err := stored(ctx, v.tx, v.line.ID, id)
	if err != nil || !ok {
		return false, 0, NoReason, err
	}
	if c := v.o.content(); v.o.GivenID != "" && string(content) != string(c[:]) {
		return true, Conflicting, OtherBody, nil
	}
	return true, Duplicate, SameID, nil
}

// countedTurn gives a root's event without a turn id the key of a counted turn: a host version that sends none still
// gets runs, without correlation. A prompt opens the next one, unless nothing was seen since the last prompt: then it
// is its double. It answers false if there is no turn that the event could belong to.
func (v *observer) countedTurn(ctx context.Context) (bool, error) {
	if v.o.RawTurn != "" || v.o.Key.Turn != "" || v.o.Key.Agent != "" {
		return true, nil
	}
	newest, ok, err := runByID(ctx, v.tx, v.root.LastRun)
	if err != nil {
		return false, err
	}
	ok = ok && strings.HasPrefix(newest.Turn, counted)
	n := int64(0)
	if ok {
		n = newest.countedN()
	}
	switch {
	case v.o.Kind == OnPrompt && (!ok || newest.NEvents != 1 || v.o.ReceivedAt-newest.LastSeenAt > doubleWithin), v.o.Kind.Registers() && !ok:
		v.o.Key.Turn = countedKey(n + 1)
	case ok:
		v.o.Key.Turn = newest.Turn
	default:
		return false, nil
	}
	v.o.RawTurn = v.o.Key.Turn
	return true, nil
}

// newHandle makes the handle of a run: its id, so that no index is needed to find it, and 96 random bits.
func newHandle(id int64) (string, error) {
	var b [16]byte
	binary.BigEndian.PutUint32(b[:], uint32(id))
	if _, err := rand.Read(b[4:]); err != nil {
		return "", err
	}
	return "run_" + hex.EncodeToString(b[:]), nil
}

// idInHandle returns the id that a handle names, 0 for none.
func idInHandle(handle string) int64 {
	b, err := hex.DecodeString(strings.TrimPrefix(handle, "run_"))
	if err != nil || len(b) != 16 {
		return 0
	}
	return int64(binary.BigEndian.Uint32(b))
}

// ordinal is the number of stored events of the run of other kinds, for kinds that can come twice with the same ids.
func (r Run) ordinal(k ObservationKind) int64 {
	switch k {
	case OnStop, OnSubagentStop:
		return r.NEvents - r.NStop
	case OnSubagentStart:
		return r.NEvents - r.NStart
	case OnNotice:
		return r.NEvents - r.NNotice
	}
	return 0
}

func (r *Run) count(o Observation) {
	r.NEvents++
	switch o.Kind {
	case OnStop, OnSubagentStop:
		r.NStop++
	case OnSubagentStart:
		r.NStart++
	case OnNotice:
		r.NNotice++
	case OnTool, OnEdit:
		r.Tools++
	}
}

// doubleWithin is the time, in milliseconds, within which a second prompt without a turn id and without anything in
// between is taken for the double of the first. A person who types again is slower.
const doubleWithin = 2000

// counted marks the turn keys of counted turns.
const counted = "#"

func countedKey(n int64) string { return counted + itoa(n) }

func (r Run) countedN() int64 {
	var n int64
	for _, d := range strings.TrimPrefix(r.Turn, counted) {
		n = n*10 + int64(d-'0')
	}
	return n
}
