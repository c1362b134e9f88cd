package process

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary be the processes that the tests look at. $ROLE says which:
//
//	prove PID     prints its proof of PID
//	named NAME    prints its parent, and its proof of the program NAME
//	look PROOF    prints what is known of the process of PROOF
//	below ARG...  has a child that is started with ARG...
//	stay          has a child prove it, prints that, and is there until its standard input ends
func TestMain(m *testing.M) {
	if os.Getenv("ROLE") == "" {
		os.Exit(m.Run())
	}
	os.Exit(play(os.Args[1:]))
}

func play(args []string) int {
	switch args[0] {
	case "prove":
		pid, _ := strconv.Atoi(args[1])
		_, _ = os.Stdout.WriteString(Prove(pid))
	case "named":
		_, _ = os.Stdout.WriteString(strconv.Itoa(os.Getppid()) + " " + ProveNamed(args[1]))
	case "look":
		_, _ = os.Stdout.WriteString(Look(args[1]).String())
	case "below", "stay":
		if args[0] == "stay" {
			args = []string{"", "prove", strconv.Itoa(os.Getpid())}
		}
		exe, _ := os.Executable()
		child := exec.Command(exe, args[1:]...)
		child.Stderr = os.Stderr
		out, err := child.Output()
		if err != nil {
			return 1
		}
		_, _ = os.Stdout.Write(append(out, '\n'))
		if args[0] == "" {
			_, _ = io.Copy(io.Discard, os.Stdin)
		}
	}
	return 0
}

func role(t testing.TB, program string, args ...string) *exec.Cmd {
	t.Helper()
	if program == "" {
		var err error
		if program, err = os.Executable(); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), "ROLE=1"), os.Stderr
	return cmd
}

func says(t testing.TB, program string, args ...string) string {
	t.Helper()
	out, err := role(t, program, args...).Output()
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// stay starts a process that stays, and returns it with its proof.
func stay(t testing.TB) (cmd *exec.Cmd, proof string) {
	t.Helper()
	cmd = role(t, "", "stay")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return cmd, strings.TrimSpace(line)
}

// known skips a test where the system has nothing to tell.
func known(t testing.TB) {
	t.Helper()
	if !here().whole {
		t.Skip("nothing is known of processes on this system")
	}
}

func TestAProcessIsProvenByThoseBelowItAlone(t *testing.T) {
	known(t)
	me := strconv.Itoa(os.Getpid())
	for what, proof := range map[string]string{
		"a child":      says(t, "", "prove", me),
		"a grandchild": says(t, "", "below", "prove", me),
	} {
		if PID(proof) != os.Getpid() || Look(proof) != Alive || len(proof) > maxProof {
			t.Errorf("%s of %s proves %q, which is %v", what, me, proof, Look(proof))
		}
	}
	sibling, proof := stay(t)
	other := strconv.Itoa(sibling.Process.Pid)
	if PID(proof) != sibling.Process.Pid || Look(proof) != Alive {
		t.Errorf("a child proves itself as %q, which is %v", proof, Look(proof))
	}
	if proof := says(t, "", "prove", other); proof != "" {
		t.Errorf("a sibling is proven: %s", proof)
	}
	for _, pid := range []int{sibling.Process.Pid, os.Getpid(), 1, 0, -1, 1 << 40} {
		if proof := Prove(pid); proof != "" {
			t.Errorf("%d is no ancestor, and proven: %s", pid, proof)
		}
	}
}

func TestTheNearestAncestorWithTheNameIsProven(t *testing.T) {
	known(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := func(name string) string {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.Link(exe, path); err != nil {
			b, err := os.ReadFile(exe)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, b, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	const long = "a-program-with-a-long-name"
	for _, c := range []struct {
		title, program, name string
		found                bool
	}{
		{"its name", "codex", "codex", true},
		{"its name, as Windows has it", "codex", "codex.exe", true},
		{"a longer name than the system keeps", long, long, true},
		{"the beginning of its name", "codex", "code", false},
		{"more than its name", "code", "codex", false},
		{"no name", "codex", "", false},
		{"no name, as Windows has it", "codex", ".exe", false},
		{"a path", "codex", "/codex", false},
	} {
		t.Run(c.title, func(t *testing.T) {
			// All three are of the program: the one that asks, its parent, and the one above.
			parent, proof, _ := strings.Cut(says(t, program(c.program), "below", "below", "named", c.name), " ")
			if want := map[bool]string{true: parent, false: "0"}[c.found]; strconv.Itoa(PID(proof)) != want {
				t.Errorf("%q is proven as %q, want the process %s", c.name, proof, want)
			}
		})
	}
}

func TestAProcessThatWasKilledIsGone(t *testing.T) {
	known(t)
	cmd, proof := stay(t)
	if s := Look(proof); s != Alive {
		t.Fatalf("a process that stays is %v", s)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if s := Look(proof); s != Gone {
		t.Errorf("a process that was killed is %v", s)
	}
}

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

// nobody returns the id of a process that has ended.
func nobody(t *testing.T) int {
	t.Helper()
	cmd := role(t, "", "")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
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

func TestAncestors(t *testing.T) {
	known(t)
	chain := Ancestors(os.Getpid())
	if len(chain) == 0 || chain[0] != os.Getppid() || slices.Contains(chain, os.Getpid()) {
		t.Errorf("ancestors %v of %d, whose parent is %d", chain, os.Getpid(), os.Getppid())
	}
	if slices.ContainsFunc(chain, func(pid int) bool { return pid <= 1 }) {
		t.Errorf("ancestors %v: everybody has the first process", chain)
	}
	child, _ := stay(t)
	if got, want := Ancestors(child.Process.Pid), append([]int{os.Getpid()}, chain...); !slices.Equal(got, want) {
		t.Errorf("a child has the ancestors %v, want %v", got, want)
	}
	for _, pid := range []int{0, -1, 1 << 40, nobody(t)} {
		if got := Ancestors(pid); got != nil {
			t.Errorf("%d has the ancestors %v", pid, got)
		}
	}
}

func TestStarted(t *testing.T) {
	known(t)
	at, ok := Started(os.Getpid())
	if age := time.Since(time.UnixMilli(at)); !ok || age < -time.Second || age > time.Hour {
		t.Errorf("this process was started %v ago (%v)", age, ok)
	}
	for _, pid := range []int{0, nobody(t)} {
		if at, ok := Started(pid); ok {
			t.Errorf("%d was started at %d", pid, at)
		}
	}
}

// Every hook proves, and every list looks at all sessions.
func TestALookCostsLittle(t *testing.T) {
	known(t)
	_, proof := stay(t)
	top := Ancestors(os.Getpid())
	for what, c := range map[string]struct {
		most float64
		do   func()
	}{
		"a look":  {8, func() { Look(proof) }},
		"a proof": {float64(8 * (len(top) + 2)), func() { Prove(top[len(top)-1]) }},
	} {
		if n := testing.AllocsPerRun(50, c.do); n > c.most && runtime.GOOS == "linux" {
			t.Errorf("%s allocates %v times, more than %v", what, n, c.most)
		}
	}
}

func BenchmarkLook(b *testing.B) {
	known(b)
	_, proof := stay(b)
	b.ReportAllocs()
	for b.Loop() {
		Look(proof)
	}
}

func BenchmarkProve(b *testing.B) {
	known(b)
	b.ReportAllocs()
	for b.Loop() {
		Prove(os.Getppid())
	}
}

func BenchmarkDescribe(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		describe()
	}
}
