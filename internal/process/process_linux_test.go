package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestAProcessThatItsParentForgotIsGone(t *testing.T) {
	cmd, proof := stay(t)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil { // it stays a zombie
		t.Fatal(err)
	}
	if err := unix.Kill(cmd.Process.Pid, 0); err != nil {
		t.Fatalf("the zombie is not there: %v", err)
	}
	if s := Look(proof); s != Gone {
		t.Errorf("a zombie is %v", s)
	}
}

func TestStat(t *testing.T) {
	line := func(head, threads, start string) string {
		return head + " 6182 22572 0 -1 4194304 99 0 0 0 0 0 0 0 20 0 " + threads + " 0 " + start + " 3133440 412"
	}
	for _, c := range []struct {
		title, line string
		want        entry
		state       State
	}{
		{"a process", line("7 (cat) R 61", "1", "914"), entry{61, 914, "cat"}, Alive},
		{"a name that looks like more", line("7 (a) Z 1 (b) S 61", "1", "914"), entry{61, 914, "a) Z 1 (b"}, Alive},
		{"no name", line("7 () T 61", "1", "914"), entry{61, 914, ""}, Alive},
		{"a zombie", line("7 (cat) Z 61", "1", "914"), entry{}, Gone},
		{"a dead one", line("7 (cat) X 61", "0", "914"), entry{}, Gone},
		{"only its first thread has ended", line("7 (cat) Z 61", "2", "914"), entry{61, 914, "cat"}, Alive},
		{"nothing", "", entry{}, Unknown},
		{"no parentheses", line("7 cat R 61", "1", "914"), entry{}, Unknown},
		{"parentheses the wrong way", ") ( R 1", entry{}, Unknown},
		{"cut", "7 (cat) R 61 6182", entry{}, Unknown},
		{"cut before the start", strings.TrimSuffix(line("7 (cat) R 61", "1", ""), " 3133440 412"), entry{}, Unknown},
		{"no numbers", line("7 (cat) R x", "1", "914"), entry{}, Unknown},
		{"a start that is none", line("7 (cat) R 61", "1", "-914"), entry{}, Unknown},
	} {
		if e, s := parseStat([]byte(c.line)); s != c.state || e != c.want {
			t.Errorf("%s: %+v %v, want %+v %v", c.title, e, s, c.want, c.state)
		}
	}
}

// asRoot is for what root alone may do.
const asRoot = " --map-root-user"

// outside returns a command that runs the shell script below unshare(1): the test binary is $0, the arguments are $1 and
// so on. Without asRoot the user stays the same. It skips the test where that is not permitted.
func outside(t *testing.T, options, script string, args ...string) *exec.Cmd {
	t.Helper()
	list := strings.Fields(options)
	if os.Getuid() != 0 && !strings.Contains(options, asRoot) {
		list = append(list, "--map-current-user")
	}
	if out, err := exec.Command("unshare", append(list, "true")...).CombinedOutput(); err != nil {
		t.Skipf("unshare %s is not permitted here: %v %s", options, err, out)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return role(t, "unshare", append(list, append([]string{"sh", "-c", script, exe}, args...)...)...)
}

func TestAnotherNamespaceProvesNothing(t *testing.T) {
	_, ours := stay(t)
	for _, c := range []struct{ title, options string }{
		{"with its own /proc", "-pf --mount-proc"},
		{"with the /proc of another", "-pf"},
		{"of times", "-Tf"},
	} {
		t.Run(c.title, func(t *testing.T) {
			out, err := outside(t, c.options, `"$0" look "$1"; exit`, ours).Output()
			if string(out) != "unknown" || err != nil {
				t.Errorf("what is alive outside is %s inside (%v)", out, err)
			}
		})
	}
}

func TestWhatIsProvenInAnotherNamespaceProvesNothingHere(t *testing.T) {
	out, err := outside(t, "-pf --mount-proc", `sh -c '"$0" prove $$; exit' "$0"; exit`).Output()
	if err != nil || PID(string(out)) < 2 {
		t.Fatalf("a parent inside is proven as %q (%v)", out, err)
	}
	if s := Look(string(out)); s != Unknown {
		t.Errorf("%s is %v", out, s)
	}
}

// Where a container has no /proc of its own, an id in it is another process's: here that of a thread of the kernel.
func TestTheNumbersOfAnotherNamespaceAreNotRead(t *testing.T) {
	const inside = `sh -c '
		"$0" prove $$
		"$0" started $$
		proof=$(unshare --mount-proc "$0" prove $$)
		test -n "$proof" && "$0" look "$proof"
		exit' "$0"; exit`
	out, err := outside(t, "-pf"+asRoot, inside).Output()
	if string(out) != "falseunknown" || err != nil {
		t.Errorf("of the parent are known a proof, a start, and whether it is there: %q (%v)", out, err)
	}
}

// A system can hide the processes of other users as if there were none (hidepid).
func TestAHiddenProcessIsNotGone(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root may mount a /proc")
	}
	if _, err := exec.LookPath("setpriv"); err != nil {
		t.Skip(err)
	}
	const other = "65534"
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("/tmp", "process") // other users may enter it, unlike the folder of the test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	b, err := os.ReadFile(exe)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "test"), b, 0o755)
	}
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, text := stay(t)
	p, ok := parse(text)
	if !ok {
		t.Fatal("no proof")
	}
	p.user = other // as if that user had seen it
	gone := p
	gone.pid = nobody(t)
	as := `mount -t proc -o hidepid=` + "%" + ` proc /proc && exec setpriv --reuid=` + other + ` --regid=` + other + ` --clear-groups "$1" look "$2"`
	for how, want := range map[string]struct{ hidden, none State }{
		"0": {Alive, Gone},
		"1": {Unknown, Gone},
		"2": {Unknown, Gone},
	} {
		for what, c := range map[string]struct {
			proof proof
			want  State
		}{"a process of another user": {p, want.hidden}, "no process": {gone, want.none}} {
			cmd := outside(t, "-m", strings.Replace(as, "%", how, 1), filepath.Join(dir, "test"), c.proof.String())
			cmd.Dir = "/"
			if out, err := cmd.Output(); string(out) != c.want.String() || err != nil {
				t.Errorf("hidepid=%s: %s is %s, want %v (%v)", how, what, out, c.want, err)
			}
		}
	}
}

func TestAFileThatCannotBeReadIsNotEmpty(t *testing.T) {
	if b, err := slurp("/proc/"+strconv.Itoa(os.Getpid())+"/none", make([]byte, 8)); err == nil {
		t.Errorf("%q", b)
	}
	if got := readlink("/proc/self/exe/none"); got != "" {
		t.Errorf("%q", got)
	}
}
