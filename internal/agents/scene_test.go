package agents

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"board/internal/issues"
	"board/internal/runs"
	"board/internal/store"
	"board/internal/storetest"
)

// scene is a real store with the projects WEB and API in it, and what is done there as hosts, agents and people do it.
type scene struct {
	t     testing.TB
	db    *store.DB
	clock *storetest.Clock
	svc   *issues.Service
	n     int // to tell events apart
}

const (
	web = 1
	api = 2
)

func newScene(t testing.TB) *scene {
	db, clock := storetest.Open(t)
	s := &scene{t: t, db: db, clock: clock, svc: issues.New(db)}
	for id, prefix := range map[int]string{web: "WEB", api: "API"} {
		s.exec(`INSERT INTO projects (id, uuid, prefix, name, root, next_number, created_at) VALUES (?, ?, ?, ?, '/', 1, 0)`, id, prefix, prefix, prefix)
	}
	return s
}

func (s *scene) exec(query string, args ...any) {
	s.t.Helper()
	if _, err := s.db.SQL().Exec(query, args...); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) now() int64 { return s.clock.Now().UnixMilli() }

func (s *scene) wait(d time.Duration) { s.clock.Add(d) }

// observe delivers an event, now. What its kind needs is filled in.
func (s *scene) observe(o runs.Observation) runs.Result {
	s.t.Helper()
	s.n++
	if o.Key.Host == "" {
		o.Key.Host = runs.ClaudeCode
	}
	if o.ProjectID == 0 && o.Kind.Registers() {
		o.ProjectID = web
	}
	if o.Name == "" {
		o.Name = o.Kind.String()
	}
	if o.Kind == runs.OnTool || o.Kind == runs.OnEdit {
		o.CallID = strconv.Itoa(s.n)
	}
	if o.Kind == runs.OnNotice {
		o.Detail = strconv.Itoa(s.n)
	}
	o.RawTurn, o.ReceivedAt = o.Key.Turn, s.now()
	var res runs.Result
	err := s.db.Write(context.Background(), func(ctx context.Context, tx *store.Tx) (err error) {
		res, err = runs.Observe(ctx, tx, o, nil)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return res
}

// in is the key of a turn of a session of Claude Code.
func in(session, turn string) runs.Key {
	return runs.Key{Host: runs.ClaudeCode, Session: session, Turn: turn}
}

func (s *scene) prompt(k runs.Key) runs.Run {
	return s.observe(runs.Observation{Kind: runs.OnPrompt, Key: k}).Run
}

func (s *scene) tool(k runs.Key) { s.observe(runs.Observation{Kind: runs.OnTool, Key: k}) }

func (s *scene) edit(k runs.Key, project int64, paths ...string) {
	o := runs.Observation{Kind: runs.OnEdit, Key: k}
	for _, p := range paths {
		o.Edits = append(o.Edits, runs.Edit{ProjectID: project, Path: p})
	}
	s.observe(o)
}

func (s *scene) ask(k runs.Key, a runs.Ask) {
	s.observe(runs.Observation{Kind: runs.OnNotice, Key: k, Asks: a})
}

func (s *scene) stop(k runs.Key) { s.observe(runs.Observation{Kind: runs.OnStop, Key: k}) }

func (s *scene) endSession(k runs.Key) {
	s.observe(runs.Observation{Kind: runs.OnSessionEnd, Key: runs.Key{Host: k.Host, Session: k.Session}, Detail: "exit"})
}

// tidy is what every writer does first.
func (s *scene) tidy() {
	s.t.Helper()
	if err := runs.Tidy(context.Background(), s.db); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) issue(project int64, title string) (key string) {
	s.t.Helper()
	r, err := s.svc.Create(context.Background(), pat(), issues.CreateCmd{ProjectID: project, Title: title})
	if err != nil {
		s.t.Fatal(err)
	}
	return r.Issue.Key
}

// pat is the person of these tests.
func pat() issues.Actor { return issues.Actor{Person: "pat", Machine: "test"} }

// by is a run that says who it is.
func by(r runs.Run) issues.Actor {
	return issues.Actor{Agent: true, Who: runs.Who{Handle: r.Handle}}
}

// now is the run as it is stored: its revision rises with what it may do.
func (s *scene) again(r runs.Run) runs.Run {
	s.t.Helper()
	got, err := runs.ByID(context.Background(), s.db.SQL(), s.now(), r.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	return got
}

func (s *scene) begin(r runs.Run, key string) {
	s.t.Helper()
	if _, err := s.svc.BeginWork(context.Background(), by(r), issues.MoveCmd{Key: key, RunRevision: s.again(r).Revision}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) look(f Filter) View {
	s.t.Helper()
	v, err := Look(context.Background(), s.db, f)
	if err != nil {
		s.t.Fatal(err)
	}
	n := map[State]int{}
	for _, a := range v.Agents {
		n[a.State]++
	}
	for _, st := range States() {
		if n[st] != v.Counts[st] {
			s.t.Errorf("%d agents are counted as %s, and %d rows say so", v.Counts[st], st, n[st])
		}
	}
	return v
}

// agent is the row of a session, the zero one if there is none.
func (s *scene) agent(session string) Agent {
	s.t.Helper()
	v := s.look(Filter{All: true})
	i := slices.IndexFunc(v.Agents, func(a Agent) bool { return a.Session == session })
	if i < 0 {
		return Agent{}
	}
	return v.Agents[i]
}

func (s *scene) inbox(f Filter) []Item {
	s.t.Helper()
	items, _, err := Inbox(context.Background(), s.db, f)
	if err != nil {
		s.t.Fatal(err)
	}
	return items
}
