package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"board/internal/process"
	"board/internal/store"
)

// A person is locked out by nothing but a process of a host that is proven to be above, or, where nothing was proven, by
// an id that Claude Code gave.
func TestWhoIsBelowAHost(t *testing.T) {
	proof := process.Prove(os.Getppid())
	started, known := process.Started(os.Getppid())
	if proof == "" || !known {
		t.Skip("nothing is known of processes on this system")
	}
	words := strings.Fields(proof)
	with := func(i int, word string) string {
		changed := append([]string{}, words...)
		changed[i] = word
		return strings.Join(changed, " ")
	}
	me := strconv.Itoa(os.Getppid())
	for _, c := range []struct {
		title, proof, pid, host, machine string
		began, lease                     int64 // since the start of the process, and from now, in ms
		state                            string
		shell                            int // who asks, this process if not given
		below                            bool
	}{
		{title: "its process is proven to be above", proof: proof, below: true},
		{title: "the same, after the lease", proof: proof, lease: -1, below: true},
		{title: "the same, on another host", proof: proof, host: "codex", below: true},
		{title: "the same, under the name that the machine had", proof: proof, machine: "old", below: true},
		{title: "the same, in a run that ended", proof: proof, state: "ended"},
		{title: "another process had the id", proof: with(2, "1"), pid: me},
		{title: "another namespace", proof: with(4, "1"), pid: me},
		{title: "another user", proof: with(5, "x"), pid: me},
		{title: "another machine", proof: with(6, "0"), pid: me},
		{title: "its process is proven, and not above", proof: proof, pid: me, shell: os.Getppid()},
		{title: "a proof that is none", proof: "p0", pid: me},

		{title: "no proof: the id of one above", pid: me, below: true},
		{title: "no proof: it was started after the run", pid: me, began: -1},
		{title: "no proof: the lease is over", pid: me, lease: -1},
		{title: "no proof: another machine", pid: me, machine: "other"},
		{title: "no proof: the id of another host", pid: me, host: "codex"},
		{title: "no proof: in a run that ended", pid: me, state: "ended"},
		{title: "no proof: one that is not above", pid: me, shell: os.Getppid()},
		{title: "no proof: an id that is no number", pid: "x"},
		{title: "nothing is named"},
	} {
		t.Run(c.title, func(t *testing.T) {
			a, db := withRun(t)
			if c.host == "" {
				c.host = "claude-code"
			}
			if c.machine == "" {
				c.machine = a.Machine
			}
			if c.shell != 0 {
				a.Pid = c.shell
			}
			if c.state == "" {
				c.state = "running"
			}
			if _, err := db.SQL().Exec(`UPDATE runs SET facts = iif(?1 = '', json_remove(facts, '$.host_proof'), json_set(facts, '$.host_proof', ?1)),
				host_process = ?2, machine = ?3, state = ?4, started_at = ?5, lease_until = ?6`,
				c.proof, c.pid, c.machine, c.state, started+c.began, db.Now()+c.lease*1000+500); err != nil {
				t.Fatal(err)
			}
			if _, err := db.SQL().Exec(`UPDATE lines SET host = ?`, c.host); err != nil {
				t.Fatal(err)
			}
			below, err := a.belowHost(t.Context(), &session{app: a, db: db})
			if below != c.below || err != nil {
				t.Errorf("below a host: %v, want %v (%v)", below, c.below, err)
			}
		})
	}
}

// Runs are kept for ever, and every command that writes asks.
func TestTheGateReadsLiveRunsAlone(t *testing.T) {
	_, db := withRun(t)
	rows, err := db.SQL().Query("EXPLAIN QUERY PLAN "+hostProcessQuery, 0, "", "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var plan strings.Builder
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		plan.WriteString(detail + "\n")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(plan.String(), "SCAN r USING INDEX runs_live\n") || !strings.Contains(plan.String(), "SEARCH l USING INTEGER PRIMARY KEY") {
		t.Errorf("the plan is\n%s", plan.String())
	}
}

// withRun is board in the shell of an agent, and its store, in which one run of Claude Code is live.
func withRun(t *testing.T) (*app, *store.DB) {
	t.Helper()
	dir := t.TempDir()
	env := Env{
		Getenv: func(name string) string {
			return map[string]string{"HOME": filepath.Join(dir, "home"), "BOARD_DB": filepath.Join(dir, "board.db")}[name]
		},
		Cwd: dir, Now: time.Now, Person: "ada", Machine: "vm", Pid: os.Getpid(),
	}
	payload, err := json.Marshal(map[string]string{
		"session_id": "s", "prompt_id": "p", "cwd": dir, "hook_event_name": "UserPromptSubmit", "prompt": "go", "permission_mode": "default",
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range []struct{ stdin, args string }{
		{"", "init --prefix WEB --no-input"},
		{string(payload), "hook --host claude-code --protocol 1"},
	} {
		e, out := env, &bytes.Buffer{}
		e.Args, e.Stdin, e.Stdout, e.Stderr = strings.Fields(run.args), strings.NewReader(run.stdin), out, out
		if code := Run(context.Background(), e); code != 0 {
			t.Fatalf("board %s: %d %s", run.args, code, out)
		}
	}
	a := &app{Env: env}
	db, err := a.openWrite(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	var n int
	if err := db.SQL().QueryRow("SELECT count(*) FROM runs WHERE state = 'running'").Scan(&n); err != nil || n != 1 {
		t.Fatalf("%d live runs (%v)", n, err)
	}
	return a, db
}
