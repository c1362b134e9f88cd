package stress

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"board/internal/lab"
)

// Where a program was when it was killed.
const (
	beforeOpen = "before open"
	opened     = "opened, before the transaction"
	inside     = "inside the transaction"
	unprinted  = "between commit and print"
	printed    = "after print"
	gone       = "gone before the signal"
)

// phases that must each be hit.
func phases() []string { return []string{beforeOpen, inside, unprinted, printed} }

// victim is a program that is about to be killed.
type victim struct {
	cmd    *exec.Cmd
	db     string
	stdout io.Reader
	pipe   int // its descriptor
	junk   int // bytes in it that are not the program's
	start  time.Time
}

// stopPoint says when to kill: after a while by chance, or when the program is seen where chance did not hit it. It looks
// from outside, so that the programs have no code for this test.
type stopPoint func(v *victim)

func after(d time.Duration) stopPoint {
	return func(v *victim) {
		for time.Since(v.start) < d { // a sleep is too coarse for a program that takes milliseconds
			time.Sleep(20 * time.Microsecond)
		}
	}
}

// insideTx waits until the program has the write lock of the log.
func insideTx(v *victim) {
	v.poll(func() bool { return v.hasWriteLock() })
}

// afterTx waits until the program had the write lock and gave it back.
func afterTx(v *victim) {
	insideTx(v)
	v.poll(func() bool { return !v.hasWriteLock() })
}

// afterPrint waits until something was printed.
func afterPrint(v *victim) {
	v.poll(func() bool {
		n, err := unix.IoctlGetInt(v.pipe, unix.TIOCINQ)
		return err == nil && n > 0
	})
}

// atOnce kills without waiting.
func atOnce(*victim) {}

// poll asks without a pause until ok, or the program is over.
func (v *victim) poll(ok func() bool) {
	for time.Since(v.start) < lab.Limit && !ok() && v.alive() {
		continue
	}
}

// alive reports whether the program runs; one that ended and was not waited for is a zombie.
func (v *victim) alive() bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", v.cmd.Process.Pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

// hasWriteLock asks the kernel who holds the write lock of SQLite's log: byte 120 of the shared-memory file. This process
// must not have the database open: closing the file would drop its own locks.
func (v *victim) hasWriteLock() bool {
	f, err := os.OpenFile(v.db+"-shm", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	l := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: 120, Len: 1}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &l); err != nil {
		return false
	}
	return l.Type != syscall.F_UNLCK && int(l.Pid) == v.cmd.Process.Pid
}

func (v *victim) hasOpened() bool {
	dir := fmt.Sprintf("/proc/%d/fd", v.cmd.Process.Pid)
	fds, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, fd := range fds {
		if to, err := os.Readlink(filepath.Join(dir, fd.Name())); err == nil && strings.HasPrefix(to, v.db) {
			return true
		}
	}
	return false
}

// kill freezes the program at the stop point, looks at it, and ends it with SIGKILL. It returns what it had printed, and
// where it was as far as can be seen without the database.
func (v *victim) kill(t *testing.T, at stopPoint) (stdout, phase string) {
	t.Helper()
	at(v)
	if err := v.cmd.Process.Signal(syscall.SIGSTOP); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	v.poll(v.stopped)
	switch {
	case !v.alive():
		phase = gone
	case v.hasWriteLock():
		phase = inside
	case v.hasOpened():
		phase = opened
	default:
		phase = beforeOpen
	}
	if err := v.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	out, err := io.ReadAll(v.stdout)
	if err != nil {
		t.Fatal(err)
	}
	_ = v.cmd.Wait() // it says "killed"
	return string(out[v.junk:]), phase
}

func (v *victim) stopped() bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", v.cmd.Process.Pid))
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(rest, "T") || strings.HasPrefix(rest, "Z")
}

// launch starts a program with stdin, which stays open: a host does not close it either. If stuffed, its output is a full
// pipe, so that it waits where it prints.
func launch(t *testing.T, w *lab.World, stuffed bool, stdin string, name string, args ...string) *victim {
	t.Helper()
	v := &victim{cmd: w.Command(t.Context(), name, args...), db: w.DB}
	in, err := v.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, end, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.Close() })
	v.stdout, v.pipe, v.cmd.Stdout = out, int(out.Fd()), end
	if stuffed {
		if v.junk, err = unix.FcntlInt(end.Fd(), unix.F_SETPIPE_SZ, os.Getpagesize()); err != nil {
			t.Fatal(err)
		}
		if _, err := end.Write(make([]byte, v.junk)); err != nil {
			t.Fatal(err)
		}
	}
	v.start = time.Now()
	if err := v.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := end.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, stdin); err != nil && !errors.Is(err, syscall.EPIPE) {
		t.Fatal(err)
	}
	return v
}

// enough hits of a phase: then chance goes on.
const enough = 10

// campaign kills n programs. They die at a moment of chance within the time that an undisturbed one takes, but in the
// second half a phase that chance has not hit enough is aimed at. run launches and kills one and says where it was; it is
// told whether it is to be killed before it prints.
func campaign(t *testing.T, n int, lifetime time.Duration, run func(i int, at stopPoint, mute bool) string) map[string]int {
	t.Helper()
	hits := map[string]int{}
	aim := map[string]stopPoint{beforeOpen: atOnce, inside: insideTx, unprinted: afterTx, printed: afterPrint}
	for i := range n {
		at, mute := after(time.Duration(rand.Int64N(int64(lifetime)))), false
		if rare := slices.MinFunc(phases(), func(a, b string) int { return hits[a] - hits[b] }); i >= n/2 && hits[rare] < enough {
			at, mute = aim[rare], rare == unprinted
		}
		where := run(i, at, mute)
		if hits[where]++; where == gone {
			lifetime -= lifetime / 30 // the machine is less busy than it was: aim earlier
		}
	}
	for _, p := range phases() {
		if hits[p] == 0 {
			t.Errorf("no program was killed %s", p)
		}
	}
	if alive := n - hits[gone]; alive*10 < n*6 {
		t.Errorf("%d of %d were alive when the signal came, expected 60 %%", alive, n)
	}
	for _, p := range slices.Sorted(maps.Keys(hits)) {
		t.Logf("%4d %s", hits[p], p)
	}
	return hits
}
