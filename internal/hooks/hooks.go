// Package hooks takes the events of hosts in and gives their answers out, and harms no host: whatever goes wrong, the
// answer is the neutral one, exit status 0, and quick.
package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"time"

	"board/internal/fault"
	"board/internal/projects"
	"board/internal/runs"
	"board/internal/store"
)

// Protocol is the version of the command line and of the answers. It changes only when one of them does.
const Protocol = "1"

// Limits of the work after the input is complete.
const (
	Budget    = 500 * time.Millisecond // for everything
	storeWait = 300 * time.Millisecond // for the store, other writers included; then the event is spooled
)

// Process is what the hook process sees of the world.
type Process struct {
	Args    []string // without the program's name
	Stdin   io.Reader
	Stdout  io.Writer
	Getenv  func(string) string
	Now     func() time.Time
	Person  string
	Machine string
	Prove   func(pid int, program string) string // which process the host is, see whereabouts; nil: of this machine
}

// Main is board-hook, and `board hook`. It answers one event. There is no other exit status than 0: hosts take some as
// an order to block.
func Main(p Process) int {
	host, ok, notice := flags(p.Args)
	a, known := adapterOf(host)
	if notice != "" { // it comes as an argument, and standard input is not ours
		a, known = witnessOf(host)
		p.Stdin = strings.NewReader(notice)
	}
	var after func()
	failOpen(p.Stdout, a.neutral, func(w *watch) work {
		in, err := read(p.Stdin, a.want, w.hear)
		if !known || !ok {
			return refuse(p, host, refusal(known, ok))
		}
		if err != nil {
			return refuse(p, host, unreadable)
		}
		return func() ([]byte, error) {
			var answer []byte
			var err error
			answer, after, err = handle(context.Background(), p, a, in)
			return answer, err
		}
	}, func(reason string) { count(p, host, reason) })
	if after != nil { // the host has its answer; what is left may fail or be slow as little as the rest
		failOpen(io.Discard, "", func(*watch) work {
			return func() ([]byte, error) { after(); return nil, nil }
		}, func(reason string) { count(p, host, reason) })
	}
	return 0
}

func refusal(known, protocol bool) string {
	if !known {
		return "unknown_host"
	}
	if !protocol {
		return "identity_mismatch"
	}
	return ""
}

// refuse is the work that only counts a reason.
func refuse(p Process, host, reason string) work {
	return func() ([]byte, error) {
		count(p, host, reason)
		return nil, nil
	}
}

// count counts an event that was refused. It needs no database, and a board that was never used has nothing to count.
func count(p Process, host, reason string) {
	path, err := store.DefaultPath(p.Getenv)
	if err != nil || !store.Exists(path) {
		return
	}
	if _, known := adapterOf(host); !known {
		host = "unknown"
	}
	store.SpoolAt(path).Count(host, reason)
}

// flags reads --host H, --protocol N and --notify JSON, in both spellings. An absent protocol is 1.
func flags(args []string) (host string, protocol bool, notice string) {
	protocol = true
	for i := 0; i < len(args); i++ {
		name, value, has := bytes.Cut([]byte(args[i]), []byte("="))
		if !has && i+1 < len(args) {
			value = []byte(args[i+1])
		}
		switch string(bytes.TrimLeft(name, "-")) {
		case "host":
			host = string(value)
		case "protocol":
			protocol = string(value) == Protocol
		case "notify":
			notice = string(value)
		}
	}
	return host, protocol, notice
}

// handle stores one event and returns the answer, and what is left to do once it is printed.
func handle(ctx context.Context, p Process, a adapter, f *frame) (answer []byte, after func(), err error) {
	in, err := a.decode(f, p.Getenv)
	if err != nil {
		count(p, a.host, err.Error())
		return nil, nil, nil
	}
	path, err := store.DefaultPath(p.Getenv)
	if err != nil || !store.Exists(path) {
		return nil, nil, nil // board was never used here
	}
	in.o.ReceivedAt = p.Now().UnixMilli()
	in.whereabouts(p)
	// One deadline for all of it, the drain included: what is left of the budget after it is for the spool. Without it a
	// long queue of waiting events would use the budget up, and this one would be lost.
	ctx = store.Within(ctx, storeWait)
	db, err := store.Open(ctx, store.Options{Path: path, Now: p.Now, Hook: true, Person: p.Person, Machine: p.Machine})
	if err != nil {
		return nil, nil, unopened(p, a.host, path, in, err)
	}
	inScope := false
	err = db.Look(ctx, func(ctx context.Context, q store.Querier) error {
		inScope, err = in.locate(ctx, q)
		return err
	})
	if err != nil {
		return nil, nil, spool(p, a.host, path, in, err)
	}
	if !inScope {
		return nil, nil, nil
	}
	if in.witness {
		return nil, nil, witness(ctx, db, a, in)
	}
	if answer, err = observe(ctx, db, a, in.o); err != nil {
		in.o.AfterRun = newestRun(ctx, db)
		return nil, nil, spool(p, a.host, path, in, err)
	}
	if db.LogIsLong() {
		after = db.TrimLog
	}
	return answer, after, nil
}

// observe stores the observation and returns the whole answer. It is printed only once the transaction is committed: a
// reminder that is not on record must not be given.
func observe(ctx context.Context, db *store.DB, a adapter, o runs.Observation) ([]byte, error) {
	if err := Drain(ctx, db); err != nil {
		return nil, err
	}
	var answer []byte
	err := db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		answer = nil
		res, err := runs.Observe(ctx, tx, o, compose)
		if err != nil || res.Text == "" {
			return err
		}
		answer = a.encode(o.Name, res.Say, res.Text)
		return nil
	})
	return answer, err
}

// witness marks that a host was heard of by another way than its hooks. It makes no run.
func witness(ctx context.Context, db *store.DB, a adapter, in input) error {
	if err := Drain(ctx, db); err != nil {
		return err
	}
	return db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		return runs.CountEvent(ctx, tx, a.host, in.o.Name)
	})
}

// newestRun is what a spooled event must know to be put in order later. 0 where it cannot be read.
func newestRun(ctx context.Context, db *store.DB) (id int64) {
	_ = db.Look(ctx, func(ctx context.Context, q store.Querier) (err error) {
		id, err = runs.NewestRun(ctx, q)
		return err
	})
	return id
}

// locate finds the project of the event and of the files that it changed. It reports whether the event concerns us: it
// names a registered project, or belongs to a session that is known.
func (in *input) locate(ctx context.Context, q store.Querier) (bool, error) {
	o := &in.o
	o.Edits, o.Outside = nil, 0 // the transaction may run twice
	if !filepath.IsAbs(in.cwd) {
		in.cwd = "" // it would be resolved against the directory of this process, which says nothing
	}
	if in.cwd != "" {
		spot, err := projects.At(ctx, q, in.cwd)
		if err != nil {
			return false, err
		}
		o.ProjectID, in.spot = spot.ProjectID, spot
	}
	if err := in.settle(ctx, q); err != nil {
		return false, err
	}
	for _, path := range in.paths {
		if !filepath.IsAbs(path) {
			path = filepath.Join(in.cwd, path)
		}
		if !filepath.IsAbs(path) {
			o.Outside++
			continue
		}
		id, rel, ok, err := projects.Locate(ctx, q, path)
		switch {
		case err != nil:
			return false, err
		case ok:
			o.Kind = runs.OnEdit
			o.Edits = append(o.Edits, runs.Edit{ProjectID: id, Path: rel})
		default:
			o.Outside++
		}
	}
	if o.ProjectID != 0 || len(o.Edits) > 0 || o.Homeless {
		in.head()
		return true, nil
	}
	return runs.KnownSession(ctx, q, o.Key.Host, o.Key.Session)
}

// settle finds the project of a workspace by its folders. Where they belong to more than one there is no home.
func (in *input) settle(ctx context.Context, q store.Querier) error {
	if len(in.roots) == 0 {
		return nil
	}
	o := &in.o
	o.ProjectID, o.Homeless = 0, false
	for _, root := range in.roots {
		if !filepath.IsAbs(root) {
			continue
		}
		spot, err := projects.At(ctx, q, root)
		id := spot.ProjectID
		switch {
		case err != nil:
			return err
		case id != 0 && o.ProjectID != 0 && id != o.ProjectID:
			o.ProjectID, o.Homeless = 0, true
			return nil
		case id != 0:
			o.ProjectID, in.spot = id, spot
		}
	}
	return nil
}

// unopened handles a store that does not open. Only a store that may open later gets the event spooled.
func unopened(p Process, host, path string, in input, err error) error {
	switch fault.CodeOf(err) {
	case fault.NotFound: // removed since it was looked for
		return nil
	case fault.StoreNewer:
		count(p, host, "identity_mismatch")
		return nil
	case fault.StoreBusy, fault.IdentityMismatch, fault.StoreReadonly:
		return spool(p, host, path, in, err)
	}
	count(p, host, string(fault.CodeOf(err)))
	return nil
}

// spool keeps an event that could not be stored, for the next writer. Its project is known only if the store could be
// read: paths of directories that may belong to no project are not written anywhere.
func spool(p Process, host, path string, in input, cause error) error {
	if in.witness {
		return cause
	}
	if in.cwd == "" && len(in.roots) > 0 {
		in.cwd = in.roots[0]
	}
	if in.o.ProjectID == 0 && len(in.o.Edits) == 0 && in.cwd != "" {
		identity, _, err := projects.Identify(in.cwd)
		if err != nil {
			identity = in.cwd // it may be a registered directory without a repository
		}
		in.o.Place = runs.PlaceOf(identity)
		if len(in.paths) > 0 {
			count(p, host, "edit_paths_dropped") // the paths may be of no project of ours
		}
	}
	if in.o.Whereabouts != nil { // whether it registers a run will be known when this process is gone
		in.o.Whereabouts(&in.o)
	}
	body, err := json.Marshal(in.o)
	if err == nil {
		err = store.SpoolAt(path).Put(in.o.ReceivedAt, body)
	}
	if err != nil {
		count(p, host, "lost_"+string(fault.CodeOf(cause)))
		return nil
	}
	count(p, host, "spooled_"+string(fault.CodeOf(cause)))
	return nil
}

// Drain stores the events that wait in the spool, in the order of their receipt. Every writer calls it before its own
// change. Each event is stored once, whoever drains it and however often that is killed. Past the deadline of ctx the
// answer is a StoreBusy fault.
func Drain(ctx context.Context, db *store.DB) error {
	const batch = 32 // small enough that one is done within a hook's time on a busy machine
	for {
		items, err := db.Spool().Waiting(batch)
		if err != nil || len(items) == 0 {
			return err
		}
		if store.Over(ctx) {
			return fault.New(fault.StoreBusy, "try again", "many events wait to be stored")
		}
		err = db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
			for _, it := range items {
				if err := drain1(ctx, tx, it); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		db.Spool().Done(items)
	}
}

func drain1(ctx context.Context, tx *store.Tx, it store.Item) error {
	fresh, err := tx.Take(ctx, it)
	if err != nil || !fresh {
		return err
	}
	var o runs.Observation
	if json.Unmarshal(it.Body, &o) != nil || o.Kind == 0 || o.Key.Session == "" {
		return runs.CountEvent(ctx, tx, "unknown", "spool_unreadable") // half a file: a full disk, or not ours
	}
	o.Spooled = true
	if o.Place != "" {
		id, err := projects.ByPlace(ctx, tx, o.Place, runs.PlaceOf)
		if err != nil {
			return err
		}
		o.ProjectID, o.Place = id, ""
	}
	_, err = runs.Observe(ctx, tx, o, nil)
	return err
}

// PersonOf names the person whose session this is, by the environment alone: looking the user up costs more than it is
// worth here.
func PersonOf(getenv func(string) string) string {
	for _, name := range []string{"BOARD_PERSON", "USER", "LOGNAME", "USERNAME"} {
		if v := getenv(name); v != "" {
			return v
		}
	}
	return "unknown"
}
