package process

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// Every word of a proof counts: what differs in it speaks of another process, or of one that cannot be seen from here.
func TestAProofHoldsOnlyWhereItWasMade(t *testing.T) {
	known(t)
	parent, ok := parse(says(t, "", "prove", strconv.Itoa(os.Getpid())))
	if !ok {
		t.Fatal("no proof")
	}
	for _, c := range []struct {
		title  string
		change func(*proof)
		want   State
	}{
		{"as it is", func(*proof) {}, Alive},
		{"the id was given to a later process", func(p *proof) { p.start-- }, Gone},
		{"the id was given to an earlier process", func(p *proof) { p.start++ }, Gone},
		{"nobody has the id", func(p *proof) { p.pid = nobody(t) }, Gone},
		{"before the machine was started anew", func(p *proof) { p.boot = "0" }, Gone},
		{"another namespace", func(p *proof) { p.namespace = "1" }, Unknown},
		{"another user", func(p *proof) { p.user = "x" }, Unknown},
		{"another machine, another boot", func(p *proof) { p.machine, p.boot = "0", "0" }, Unknown},
		{"another namespace, another boot", func(p *proof) { p.namespace, p.boot = "1", "0" }, Unknown},
		{"another user, and nobody has the id", func(p *proof) { p.user, p.pid = "x", nobody(t) }, Unknown},
	} {
		p := parent
		c.change(&p)
		if got := Look(p.String()); got != c.want {
			t.Errorf("%s: %s is %v, want %v", c.title, p, got, c.want)
		}
	}
}

// The same boot on another machine is a copy of a running machine, unless the id of the boot is unique.
func TestAnotherMachineProvesNothing(t *testing.T) {
	p := proof{pid: 2, boot: "b", namespace: none, user: "u", machine: "m"}
	me := self{boot: "b", namespace: none, user: "u", machine: "n", ours: true, whole: true}
	if s, settled := p.seenFrom(me); settled == bootIsUnique || s != Unknown {
		t.Errorf("%v, settled: %v", s, settled)
	}
	me.machine, me.whole = "m", false
	if s, settled := p.seenFrom(me); !settled || s != Unknown {
		t.Errorf("to one that does not know itself: %v, settled: %v", s, settled)
	}
}

func TestAMalformedProofProvesNothing(t *testing.T) {
	const good = "p1 12 34 b-1 40.41 1000 00ff"
	if p, ok := parse(good); !ok || p.String() != good || PID(good) != 12 {
		t.Fatalf("%q is read as %v", good, p)
	}
	for _, bad := range []string{
		"", " ", "p1", "12", "p2 12 34 b-1 40.41 1000 00ff", "p1 12 34 b-1 40.41 1000", "p1 12 34 b-1 40.41 1000 00ff x",
		"p1 12 34 b-1 40.41 1000 00ff ", " " + good, "p1  12 34 b-1 40.41 1000 00ff", "p1 12 34  40.41 1000 00ff", good + "\n",
		"p1 012 34 b-1 40.41 1000 00ff", "p1 +12 34 b-1 40.41 1000 00ff", "p1 -12 34 b-1 40.41 1000 00ff", "p1 0 34 b-1 40.41 1000 00ff",
		"p1 1 34 b-1 40.41 1000 00ff", "p1 99999999999 34 b-1 40.41 1000 00ff", "p1 12 99999999999999999999 b-1 40.41 1000 00ff",
		"p1 12 3.4 b-1 40.41 1000 00ff", "p1 12 034 b-1 40.41 1000 00ff", "p1 12 34 b/1 40.41 1000 00ff", "p1 12 34 b\x00 40.41 1000 00ff",
		"p1 12 34 bé 40.41 1000 00ff", "p1 12 34 b\xff 40.41 1000 00ff", good + strings.Repeat("0", maxProof),
	} {
		if got := Look(bad); got != Unknown || PID(bad) != 0 {
			t.Errorf("%q is %v, of the process %d", bad, got, PID(bad))
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("p1 12 34 b-1 40.41 1000 00ff")
	f.Add("p1 18446744073709551615 2 - - - -")
	f.Fuzz(func(t *testing.T, text string) {
		p, ok := parse(text)
		if ok && (p.String() != text || p.pid < 2 || len(text) > maxProof) || !ok && p != (proof{}) {
			t.Errorf("%q is read as %+v, %v", text, p, ok)
		}
		_ = Look(text)
	})
}
