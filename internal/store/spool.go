package store

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// Bounds of the spool.
const (
	maxSpooled      = 10_000   // files; a further event is dropped and counted
	maxSpooledBytes = 64 << 10 // of one event
)

// Spool is the folder beside the database where events wait that could not be stored, one normalised event a file, and
// where refused events are counted. It works when the database does not.
type Spool struct{ dir string }

// SpoolAt returns the spool of the database at path.
func SpoolAt(path string) Spool { return Spool{dir: path + ".spool"} }

// Dir is the folder.
func (s Spool) Dir() string { return s.dir }

// Put stores one event, whole or not at all. at is the time of its receipt in UTC milliseconds: events are drained in
// its order.
func (s Spool) Put(at int64, body []byte) error {
	if len(body) > maxSpooledBytes {
		return fmt.Errorf("event of %d bytes is too large to spool", len(body))
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	names, err := s.list()
	if err != nil {
		return err
	}
	if len(names) >= maxSpooled {
		return errors.New("the spool is full")
	}
	var r [8]byte
	if _, err := rand.Read(r[:]); err != nil {
		return err
	}
	name := fmt.Sprintf("%015d-%s", at, hex.EncodeToString(r[:]))
	tmp := filepath.Join(s.dir, name+".part")
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, werr := f.Write(body)
	if err := errors.Join(werr, f.Close()); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return os.Rename(tmp, filepath.Join(s.dir, name+".json"))
}

// Item is one waiting event.
type Item struct {
	Token string // names the file; recorded when the event is stored
	Body  []byte
}

// Waiting returns at most limit waiting events in the order of their receipt.
func (s Spool) Waiting(limit int) ([]Item, error) {
	names, err := s.list()
	if err != nil || len(names) == 0 {
		return nil, err
	}
	var out []Item
	for _, n := range names[:min(limit, len(names))] {
		b, err := os.ReadFile(filepath.Join(s.dir, n))
		if errors.Is(err, fs.ErrNotExist) {
			continue // another writer drained it
		}
		if err != nil { // it must not keep the others, and everybody who drains them, waiting for ever
			s.setAside(n)
			continue
		}
		out = append(out, Item{Token: strings.TrimSuffix(n, ".json"), Body: b})
	}
	return out, nil
}

// setAside takes an entry that cannot be read out of the way, and counts it. It stays for a person to look at.
func (s Spool) setAside(name string) {
	_ = os.Rename(filepath.Join(s.dir, name), filepath.Join(s.dir, name+".bad"))
	s.Count("unknown", "spool_unreadable")
}

func (s Spool) list() ([]string, error) {
	d, err := os.Open(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	all, err := d.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	names := all[:0]
	for _, n := range all {
		if strings.HasSuffix(n, ".json") {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	return names, nil
}

// Done removes events that are stored.
func (s Spool) Done(items []Item) {
	for _, it := range items {
		_ = os.Remove(filepath.Join(s.dir, it.Token+".json")) // found again, it is recognised by its token
	}
}

// Take records in tx that the item is being stored. It answers false if that happened before: the drain that did so
// was killed before it could remove the file.
func (tx *Tx) Take(ctx context.Context, it Item) (bool, error) {
	res, err := tx.ExecContext(ctx, `INSERT INTO spool_done (token, at) VALUES (?, ?) ON CONFLICT DO NOTHING`, it.Token, tx.Now)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// Count adds one to the count of events that were refused for a reason. It uses no database: one byte is appended to
// a file of that name, which is atomic for any number of processes; the size of the file is the count.
func (s Spool) Count(host, reason string) {
	if os.MkdirAll(s.dir, 0o700) != nil {
		return
	}
	f, err := os.OpenFile(filepath.Join(s.dir, "refused."+host+"."+reason), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return // nothing left to tell anybody
	}
	_, _ = f.Write([]byte{'.'})
	_ = f.Close()
}

// Refused returns the counts by host and reason.
func (s Spool) Refused() map[[2]string]int64 {
	out := map[[2]string]int64{}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return out
	}
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), "refused.")
		host, reason, ok2 := strings.Cut(rest, ".")
		info, err := e.Info()
		if ok && ok2 && err == nil {
			out[[2]string{host, reason}] = info.Size()
		}
	}
	return out
}
