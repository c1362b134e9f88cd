package hooks

import (
	"bytes"
	"testing"
	"time"
)

// TestASampleOfEveryEventIsUnderstood: host check would call a command broken for a sample that its host never sends.
func TestASampleOfEveryEventIsUnderstood(t *testing.T) {
	p := Place{Session: "s", Cwd: t.TempDir(), At: time.Unix(1, 0)}
	for _, e := range Contract() {
		b, err := Sample(e, p)
		if err != nil {
			t.Fatal(err)
		}
		a, ok := adapterOf(e.Host)
		if !ok {
			t.Errorf("%s has no adapter", e.Host)
			continue
		}
		f, err := read(bytes.NewReader(b), a.want, func() {})
		if err != nil {
			t.Errorf("%s %s: %v", e.Host, e.Name, err)
			continue
		}
		in, err := a.decode(f, func(string) string { return "" })
		if err != nil || in.o.Name != e.Name || in.o.Kind == 0 || in.o.Key.Session != "s" {
			t.Errorf("%s %s: %+v %v", e.Host, e.Name, in.o, err)
		}
	}
}

func TestAnIdentityIsReadAsItWasSaid(t *testing.T) {
	if v, p, s := ParseIdentity(Identity("v1.2.3-dirty") + "\n"); v != "v1.2.3-dirty" || p != Protocol || s == 0 {
		t.Errorf("%q %q %d", v, p, s)
	}
	for _, line := range []string{"", "{}", "board-hook v1", "board v1 protocol 1 schema 1", "board-hook v1 protocol 1 schema one"} {
		if _, _, s := ParseIdentity(line); s != 0 {
			t.Errorf("%q is taken for an identity", line)
		}
	}
}
