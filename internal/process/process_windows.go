package process

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

const (
	keptName     = windows.MAX_PATH
	foldsNames   = true
	bootIsUnique = false
)

// describe leaves the boot out: the system has no id of it that is honest, and needs none here. The time at which a process
// was created is absolute, so that no process of an earlier boot is taken for one of this.
func describe() self {
	name, _ := os.Hostname()
	me := self{boot: none, namespace: none, machine: digest(name, machineGUID()), ours: true}
	if u, err := windows.GetCurrentProcessToken().GetTokenUser(); err == nil {
		me.user = u.User.Sid.String()
	}
	me.whole = me.user != "" && me.machine != ""
	return me
}

func machineGUID() string {
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, `SOFTWARE\Microsoft\Cryptography`, registry.QUERY_VALUE|registry.WOW64_64KEY)
	if err != nil {
		return ""
	}
	defer func() { _ = key.Close() }()
	id, _, err := key.GetStringValue("MachineGuid")
	if err != nil {
		return ""
	}
	return id
}

// table reads the list of all processes, which alone says who started whom, and with what program. A parent that has ended
// is still named there, by an id that may be another's now: above compares their times.
func table() func(int) (entry, State) {
	listed := map[int]entry{}
	if all, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0); err == nil {
		defer func() { _ = windows.CloseHandle(all) }()
		var p windows.ProcessEntry32
		p.Size = uint32(unsafe.Sizeof(p))
		for err = windows.Process32First(all, &p); err == nil; err = windows.Process32Next(all, &p) {
			listed[int(p.ProcessID)] = entry{parent: int(p.ParentProcessID), name: windows.UTF16ToString(p.ExeFile[:])}
		}
	}
	return func(pid int) (entry, State) {
		e, s := lookup(pid)
		e.parent, e.name = listed[pid].parent, listed[pid].name
		return e, s
	}
}

// lookup reads one process, without its parent and its name. One that has ended is there as long as somebody holds it.
func lookup(pid int) (entry, State) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(pid))
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) { // there is none with this id
		return entry{}, Gone
	}
	if err != nil {
		return entry{}, Unknown
	}
	defer func() { _ = windows.CloseHandle(h) }()
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &created, &exited, &kernel, &user); err != nil {
		return entry{}, Unknown
	}
	ended, err := windows.WaitForSingleObject(h, 0)
	switch {
	case err != nil:
		return entry{}, Unknown
	case ended == windows.WAIT_OBJECT_0:
		return entry{}, Gone
	}
	return entry{start: uint64(created.HighDateTime)<<32 | uint64(created.LowDateTime)}, Alive
}

func (e entry) startedAt() (ms int64, ok bool) {
	created := windows.Filetime{HighDateTime: uint32(e.start >> 32), LowDateTime: uint32(e.start)}
	return created.Nanoseconds() / 1e6, true
}
