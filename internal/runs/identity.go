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
	if v.o.GivenID != "" {
		return v.seenGiven(ctx, id)
	}
	if !known || v.line == &v.root && id == v.asked && !v.s.stored {
		return false, 0, NoReason, nil
	}
	_, ok, err := stored(ctx, v.tx, v.line.ID, id)
	if err != nil || !ok {
		return false, 0, NoReason, err
	}
	return true, Duplicate, SameID, nil
}

// seenGiven is seen for an id that a plugin gave: it names one event of the whole session, and must always say the same.
func (v *observer) seenGiven(ctx context.Context, id [16]byte) (bool, Disposition, Why, error) {
	if v.rootWas.ID == 0 {
		return false, 0, NoReason, nil
	}
	content, ok, err := storedGiven(ctx, v.tx, v.o.Key.Host, v.o.Key.Session, id)
	if err != nil || !ok {
		return false, 0, NoReason, err
	}
	if c := v.o.given(); string(content) != string(c[:]) {
		return true, Conflicting, OtherBody, nil
	}
	return true, Duplicate, SameID, nil
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
