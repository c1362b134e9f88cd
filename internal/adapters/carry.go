package adapters

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"board/internal/fault"
)

// carryTries bounds how often a plan is made anew. Every conflict is a write of somebody else that is done: two
// installations at once need two or three, and a program that writes without end is not waited for.
const carryTries = 10

// Carry plans, and applies the plan. Where somebody else wrote meanwhile, as a rule another installation, it plans anew
// from what stands there then. The changes of the returned plan are those that were made, also beside an error.
func Carry(t Target, plan func(Target) (Plan, error), backupDir string) (Plan, error) {
	return carry(t, plan, backupDir, func(string) error { return nil })
}

func carry(t Target, plan func(Target) (Plan, error), backupDir string, at func(step string) error) (Plan, error) {
	var done []Change
	var hints []string
	for try := 1; ; try++ {
		p, err := plan(t)
		if err != nil {
			p.Changes = done
			return p, err
		}
		made, err := p.carry(backupDir, at)
		if len(made) > 0 && hints == nil { // a later plan knows only of what is left to do
			hints = p.Hints
		}
		done = append(done, made...)
		if err == nil || fault.CodeOf(err) != fault.Conflict || try == carryTries {
			p.Changes, p.Hints = done, hints
			return p, err
		}
	}
}

// Hooked reports whether the plan changes what the host reports by.
func (p Plan) Hooked() bool {
	return slices.ContainsFunc(p.Changes, func(c Change) bool { return slices.Contains(c.What, Hooks) || slices.Contains(c.What, Plugin) })
}

// MarkInstalled notes in the folder of backups when the hooks of a target were written: an event that came before does
// not prove that they work. The times of the files do not tell, since hosts write into them too.
func MarkInstalled(dir string, t Target, now time.Time) error {
	path, err := t.mark(dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strconv.FormatInt(now.UnixMilli(), 10)+"\n"), private)
}

// InstalledAt is when MarkInstalled noted it, in UTC milliseconds; 0 if it did not, as where a person pasted the hooks.
func InstalledAt(dir string, t Target) int64 {
	path, err := t.mark(dir)
	if err != nil {
		return 0
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	ms, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	if err != nil {
		return 0
	}
	return ms
}

// mark is the path of the note. Its name holds a digest of where the files lie: a host has several homes, and a project
// several work trees.
func (t Target) mark(dir string) (string, error) {
	files, err := t.files()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(files[len(files)-1].path))
	return filepath.Join(dir, fmt.Sprintf("%s.%s.%s.installed", t.Host, t.Scope, hex.EncodeToString(sum[:6]))), nil
}
