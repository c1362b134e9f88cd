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
//	started PID   prints whether it is known when PID was started
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
	case "started":
		pid, _ := strconv.Atoi(args[1])
		_, ok := Started(pid)
		_, _ = os.Stdout.WriteString(strconv.FormatBool(ok))
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

// nobody returns the id of a process that has ended.
func nobody(t *testing.T) int {
	t.Helper()
	cmd := role(t, "", "")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
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

func TestTheWalkUpEndsWhereNothingIsProven(t *testing.T) {
	for _, c := range []struct {
		title string
		top   entry
		state State
		want  []int
	}{
		{"at the first process", entry{parent: 1, start: 5}, Alive, []int{20, 30}},
		{"where no parent is named", entry{parent: 0, start: 5}, Alive, []int{20, 30}},
		{"where the parent is younger", entry{parent: 1, start: 7}, Alive, []int{20}},
		{"where the parent is as old", entry{parent: 1, start: 6}, Alive, []int{20, 30}},
		{"where the parent is gone", entry{parent: 1, start: 5}, Gone, []int{20}},
		{"where the parent is hidden", entry{parent: 1, start: 5}, Unknown, []int{20}},
	} {
		var got []int
		for pid := range climb(10, func(pid int) (entry, State) {
			switch pid {
			case 10:
				return entry{parent: 20, start: 9}, Alive
			case 20:
				return entry{parent: 30, start: 6}, Alive
			case 30:
				return c.top, c.state
			}
			return entry{}, Unknown
		}) {
			got = append(got, pid)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.title, got, c.want)
		}
	}
	n := 0
	for range climb(10, func(int) (entry, State) { return entry{parent: 10}, Alive }) {
		n++
	}
	if n != maxAncestors {
		t.Errorf("in a circle: %d steps", n)
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
