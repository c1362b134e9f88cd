package process

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
)

const (
	keptName     = 15 // TASK_COMM_LEN without the zero
	foldsNames   = false
	bootIsUnique = false // a virtual machine that is copied while it runs takes its boot id along
)

// describe reads who this process is. /proc may be that of another namespace (a container made without one of its own):
// then its numbers are other processes'. The boot id is the same in every namespace, so that the namespaces are named
// too: that of the ids, and that of the times, which moves the starts of all processes for who reads them.
func describe() self {
	var buf [128]byte
	read := func(path string) string {
		b, err := slurp(path, buf[:])
		if err != nil {
			return ""
		}
		return string(bytes.TrimSpace(b))
	}
	name, _ := os.Hostname()
	me := self{
		boot:      read("/proc/sys/kernel/random/boot_id"),
		namespace: namespace("/proc/self/ns/pid"),
		user:      strconv.Itoa(os.Getuid()),
		machine:   digest(name, read("/etc/machine-id")),
		ours:      readlink("/proc/self") == strconv.Itoa(os.Getpid()),
	}
	me.whole = me.boot != "" && me.namespace != "" && me.machine != ""
	if times := namespace("/proc/self/ns/time"); times != "" { // since Linux 5.6
		me.namespace += "." + times
	}
	return me
}

// namespace returns the number in a link like pid:[4026531836].
func namespace(path string) string {
	_, id, _ := strings.Cut(readlink(path), "[")
	return strings.TrimSuffix(id, "]")
}

func readlink(path string) string {
	var buf [64]byte
	n, err := syscall.Readlink(path, buf[:])
	if err != nil || n >= len(buf) {
		return ""
	}
	return string(buf[:n])
}

// slurp reads a small file into buf: three system calls. os.ReadFile needs seven, and every hook waits for them.
func slurp(path string, buf []byte) ([]byte, error) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	n, err := syscall.Read(fd, buf)
	_ = syscall.Close(fd)
	if err != nil {
		return nil, err
	}
	return buf[:n], nil
}

func table() func(int) (entry, State) { return lookup }

// lookup reads one process. That /proc has no such process may mean that it hides those of other users, and of programs
// that protect themselves (hidepid); a signal that is none tells whether the id is free.
func lookup(pid int) (entry, State) {
	var buf [1024]byte // the line is at most that long up to what is needed
	stat, err := slurp("/proc/"+strconv.Itoa(pid)+"/stat", buf[:])
	switch {
	case err == nil:
		return parseStat(stat)
	case (errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ESRCH)) && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH):
		return entry{}, Gone
	}
	return entry{}, Unknown
}

// parseStat reads a line of proc_pid_stat(5). The name of the program stands in parentheses, and may contain anything.
func parseStat(line []byte) (entry, State) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return entry{}, Unknown
	}
	e := entry{name: string(line[open+1 : end])}
	var state byte
	var threads uint64
	at := 3 // the number of the field, as in the manual
	for field := range bytes.FieldsSeq(line[end+1:]) {
		var err error
		switch at {
		case 3:
			state = field[0]
		case 4:
			e.parent, err = strconv.Atoi(string(field))
		case 20:
			threads, err = strconv.ParseUint(string(field), 10, 64)
		case 22:
			e.start, err = strconv.ParseUint(string(field), 10, 64)
		}
		if err != nil {
			return entry{}, Unknown
		}
		if at++; at > 22 {
			break
		}
	}
	switch {
	case at <= 22:
		return entry{}, Unknown
	case state == 'X', state == 'x', state == 'Z' && threads <= 1: // with more, only its first thread has ended
		return entry{}, Gone
	}
	return e, Alive
}

// ticks is USER_HZ, in which the kernel gives times to programs: 100 per second on every architecture that Go knows.
const ticks = 100

func (e entry) startedAt() (ms int64, ok bool) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, false
	}
	for line := range bytes.SplitSeq(b, []byte("\n")) {
		if s, is := bytes.CutPrefix(line, []byte("btime ")); is {
			boot, err := strconv.ParseInt(string(bytes.TrimSpace(s)), 10, 64)
			return boot*1000 + int64(e.start)*1000/ticks, err == nil
		}
	}
	return 0, false
}
