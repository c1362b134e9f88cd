package runs

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"strings"
)

// On some hosts the reminder comes back as a prompt. That prompt is told from a person's by the probe that it names, and
// by nothing else; it and what follows it are scaffolding: the probed run goes on, and nothing of it is evidence.

// newProbe makes the id of a probe: its run's id, so that no index is needed to find it, in a UUID of a version that
// leaves the rest to its maker.
func newProbe(runID int64) (string, error) {
	var b [16]byte
	if _, err := rand.Read(b[4:]); err != nil {
		return "", err
	}
	binary.BigEndian.PutUint32(b[:], uint32(runID))
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80
	return hex.EncodeToString(b[:]), nil
}

// FormatProbe writes the id of a probe as a UUID.
func FormatProbe(id string) string {
	if len(id) != 32 {
		return ""
	}
	return id[:8] + "-" + id[8:12] + "-" + id[12:16] + "-" + id[16:20] + "-" + id[20:]
}

// ParseProbe reads what FormatProbe wrote; it is "unknown" for anything else.
func ParseProbe(s string) string {
	id := strings.ReplaceAll(s, "-", "")
	if _, err := hex.DecodeString(id); err != nil || s == "" || FormatProbe(id) != s {
		return "unknown"
	}
	return id
}

// answers finds the run whose open probe a prompt answers.
func (v *observer) answers(ctx context.Context) (Run, bool, error) {
	id, err := hex.DecodeString(v.o.Marker)
	if v.o.Kind != OnPrompt || err != nil || len(id) != 16 || v.root.ID == 0 || v.o.Key.Agent != "" {
		return Run{}, false, nil
	}
	r, ok, err := runByID(ctx, v.tx, int64(binary.BigEndian.Uint32(id)))
	if err != nil || !ok || r.LineID != v.root.ID || r.ProbeID != v.o.Marker || r.ProbeSpent {
		return Run{}, false, err
	}
	return r, true, nil
}

// find returns the run that an observation belongs to: the one that it answers, that of its key, or the one whose
// reminder came back under its key. named is false where there is no turn that it could belong to.
func (v *observer) find(ctx context.Context) (r Run, found, named bool, err error) {
	if v.o.Marker != "" {
		if r, found, err = v.answers(ctx); err != nil || found {
			v.scaffold = found
			if v.o.Key.Turn == "" {
				v.counts, v.o.Key.Turn = true, r.Turn
			}
			return r, found, true, err
		}
	}
	if named, err = v.countedTurn(ctx); err != nil || v.line.ID == 0 {
		return Run{}, false, named, err
	}
	if r, found, err = runByKey(ctx, v.tx, *v.line, v.o.Key.Turn); err != nil || found {
		v.scaffold = found && v.counts && r.ProbeSpent && v.o.Kind.Registers()
		return r, found, named, err
	}
	if v.root.Aliased == 0 || v.line != &v.root || v.o.Key.Turn == "" {
		return Run{}, false, named, nil
	}
	if r, found, err = runByID(ctx, v.tx, v.root.Aliased); err != nil || !found || r.Alias != v.o.Key.Turn {
		return Run{}, false, named, err
	}
	v.scaffold = true
	return r, true, named, nil
}

// scaffolding handles what the answer to the reminder does: a sign of life of the probed run, and nothing else.
func (v *observer) scaffolding(r *Run) (Disposition, Why, Say, error) {
	if v.o.Kind == OnPrompt && v.o.Marker == r.ProbeID && !r.ProbeSpent {
		r.ProbeSpent = true
		v.root.Aliased = r.ID
		if !v.counts {
			r.Alias = v.o.Key.Turn
		}
		v.enter(*r)
	}
	return Scaffold, NoReason, Nothing, nil
}
