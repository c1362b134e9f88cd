package process

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

const (
	keptName     = 16 // MAXCOMLEN
	foldsNames   = false
	bootIsUnique = true // a random UUID. The host name follows the network that a laptop is in
)

// zombie is SZOMB of sys/proc.h: ended, and its parent did not take notice yet.
const zombie = 5

func describe() self {
	name, _ := os.Hostname()
	boot, _ := unix.Sysctl("kern.bootsessionuuid")
	me := self{boot: boot, namespace: none, user: strconv.Itoa(os.Getuid()), machine: digest(name), ours: true}
	me.whole = me.boot != "" && me.machine != ""
	return me
}

func table() func(int) (entry, State) { return lookup }

// lookup reads one process. For none the system answers with nothing at all, which unix calls EIO; a signal that is none
// tells whether the id is really free.
func lookup(pid int) (entry, State) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	switch {
	case errors.Is(err, unix.EIO), errors.Is(err, unix.ESRCH):
		if errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
			return entry{}, Gone
		}
		return entry{}, Unknown
	case err != nil, int(info.Proc.P_pid) != pid, info.Proc.P_starttime.Sec <= 0:
		return entry{}, Unknown
	case info.Proc.P_stat == zombie:
		return entry{}, Gone
	}
	at := info.Proc.P_starttime
	return entry{
		parent: int(info.Eproc.Ppid), start: uint64(at.Sec)*1e6 + uint64(at.Usec),
		name: unix.ByteSliceToString(info.Proc.P_comm[:]),
	}, Alive
}

func (e entry) startedAt() (ms int64, ok bool) { return int64(e.start / 1000), true }
