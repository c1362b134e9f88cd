// Package process says what can be proven of the processes of this machine: which of them are above this one, and whether
// one that was met before is still there.
package process

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// State is what is known of a process.
type State int

// The states of a process. Only proof makes one alive or gone.
const (
	Unknown State = iota
	Alive
	Gone
)

// String returns the state in one lower-case word.
func (s State) String() string {
	switch s {
	case Alive:
		return "alive"
	case Gone:
		return "gone"
	}
	return "unknown"
}

// entry is what the system says of a process.
type entry struct {
	parent int
	start  uint64 // in the unit and from the zero of the system; it never changes, and a child's is not less than its parent's
	name   string // the file name of its program, as far as the system keeps it
}

// self is what gives a process id its meaning, as seen by this process.
type self struct {
	boot, namespace, user, machine string // none where the system has no such thing

	whole bool // all of that is known
	ours  bool // the system's list of processes is there, and counts as this process does
}

// none stands in a proof for what the system does not have.
const none = "-"

// here is read once: nothing of it changes for a process, but its host name, and that it had when it proved.
var here = sync.OnceValue(describe)

// look returns what is known of a process now.
func look(pid int) (entry, State) {
	if pid <= 0 || pid > math.MaxInt32 || !here().ours {
		return entry{}, Unknown
	}
	return lookup(pid)
}

// maxAncestors bounds the walk: a chain that long is a loop of reused ids.
const maxAncestors = 64

// above walks up from a process, as far as the chain can be proven.
func above(pid int) iter.Seq2[int, entry] {
	if !here().ours {
		return func(func(int, entry) bool) {}
	}
	return climb(pid, table())
}

func climb(pid int, read func(int) (entry, State)) iter.Seq2[int, entry] {
	return func(yield func(int, entry) bool) {
		if pid <= 0 || pid > math.MaxInt32 {
			return
		}
		e, s := read(pid)
		for range maxAncestors {
			if s != Alive || e.parent <= 1 || e.parent > math.MaxInt32 {
				return
			}
			var up entry
			up, s = read(e.parent)
			if s != Alive || up.start > e.start { // the parent ended meanwhile, and its id is a younger process's
				return
			}
			if !yield(e.parent, up) {
				return
			}
			e = up
		}
	}
}

// Ancestors returns the ids of the processes above the process pid, the nearest first, as far as they are known. The first
// process of the system, or of a container, is everybody's ancestor and not among them.
func Ancestors(pid int) []int {
	var all []int
	for p := range above(pid) {
		all = append(all, p)
	}
	return all
}

// Started returns when a process was started, in UTC milliseconds by the clock of the system; ok is false if that is not
// known. Linux rounds down to the second. Where the clock was set meanwhile it is not what the clock said then: a proof
// does not use it.
func Started(pid int) (ms int64, ok bool) {
	e, s := look(pid)
	if s != Alive {
		return 0, false
	}
	return e.startedAt()
}

// Prove returns the proof of the process pid if that is an ancestor of this process: a line of plain text of at most 200
// bytes that names one process for ever. It is empty if pid is no ancestor, or that cannot be known.
func Prove(pid int) string {
	for p, e := range above(os.Getpid()) {
		if p == pid {
			return prove(p, e)
		}
	}
	return ""
}

// ProveNamed returns the proof of the nearest ancestor whose program has the file name name, as "codex"; a trailing .exe
// is ignored. It is empty if there is none, or that cannot be known. Systems keep the first 15 (Linux) or 16 (macOS) bytes.
func ProveNamed(name string) string {
	for p, e := range above(os.Getpid()) {
		if sameProgram(e.name, name) {
			return prove(p, e)
		}
	}
	return ""
}

func sameProgram(kept, name string) bool {
	kept, name = bare(kept), bare(name)
	if len(name) > keptName {
		name = name[:keptName]
	}
	return name != "" && (kept == name || foldsNames && strings.EqualFold(kept, name))
}

func bare(name string) string {
	if cut := len(name) - len(".exe"); cut > 0 && strings.EqualFold(name[cut:], ".exe") {
		return name[:cut]
	}
	return name
}

// Look returns what is known now of the process of a proof. Alive: it is that very process. Gone: it has ended, whoever
// bears its id now; also if its parent did not take notice yet, or the machine was started anew. Unknown: the proof is
// of another machine, user or namespace of ids, or malformed, or the system does not tell.
func Look(proof string) State {
	p, ok := parse(proof)
	if !ok {
		return Unknown
	}
	if s, settled := p.seenFrom(here()); settled {
		return s
	}
	e, s := look(p.pid)
	if s == Alive && e.start != p.start {
		return Gone
	}
	return s
}

// seenFrom returns what a proof says to a process without a look at the list of processes, if that settles it.
func (p proof) seenFrom(me self) (s State, settled bool) {
	switch {
	case !me.whole, p.namespace != me.namespace, p.user != me.user:
		return Unknown, true
	case p.machine != me.machine && !(bootIsUnique && p.boot == me.boot):
		return Unknown, true
	case p.boot != me.boot:
		return Gone, true
	}
	return Unknown, false
}

// PID returns the process id that a proof names, 0 if it is malformed.
func PID(proof string) int {
	p, _ := parse(proof)
	return p.pid
}

// proof is the line that Prove returns, read. The machine is a digest: the ids of machines are not for publication
// (machine-id(5)), and a host name may hold anything.
type proof struct {
	pid   int
	start uint64

	boot, namespace, user, machine string
}

// form is the first word of a proof. What has another one was written by another board, and proves nothing to this one.
const form = "p1"

// maxProof is the most bytes of a proof.
const maxProof = 200

func prove(pid int, e entry) string {
	me := here()
	if !me.whole {
		return ""
	}
	text := proof{pid, e.start, me.boot, me.namespace, me.user, me.machine}.String()
	if _, ok := parse(text); !ok { // the system said something that no proof can hold
		return ""
	}
	return text
}

func (p proof) String() string {
	return strings.Join([]string{
		form, strconv.Itoa(p.pid), strconv.FormatUint(p.start, 10), p.boot, p.namespace, p.user, p.machine,
	}, " ")
}

// parse reads what String returns, and nothing else. A malformed proof has the zero value.
func parse(text string) (p proof, ok bool) {
	if len(text) > maxProof {
		return proof{}, false
	}
	var words [7]string
	rest, more := text, true
	for i := range words {
		if !more {
			return proof{}, false
		}
		words[i], rest, more = strings.Cut(rest, " ")
		if words[i] == "" || strings.ContainsFunc(words[i], notInProof) {
			return proof{}, false
		}
	}
	pid, pidOK := number(words[1])
	start, startOK := number(words[2])
	if more || words[0] != form || !pidOK || !startOK || pid <= 1 || pid > math.MaxInt32 {
		return proof{}, false
	}
	return proof{int(pid), start, words[3], words[4], words[5], words[6]}, true
}

func notInProof(r rune) bool {
	return !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '-' || r == '.')
}

// number reads a number in the one way in which it is written.
func number(s string) (uint64, bool) {
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil && (s[0] != '0' || s == "0")
}

// digest names a machine without telling its names. The system is among them: two of them can run on one machine, and do
// not count processes alike. It is empty if no name is known.
func digest(names ...string) string {
	all := strings.Join(names, "\n")
	if strings.Trim(all, "\n") == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("machine\n" + runtime.GOOS + "\n" + all))
	return hex.EncodeToString(sum[:8])
}
