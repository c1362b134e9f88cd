package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"board/internal/hooks"
	"board/internal/store"
)

// hookProgram is board-hook as its main is, of the build that $HOOK_VERSION says.
func hookProgram() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		v := os.Getenv("HOOK_VERSION")
		if v == "" {
			v = "v1.2.3"
		}
		fmt.Println(hooks.Identity(v))
		os.Exit(0)
	}
	os.Exit(hooks.Main(hooks.Process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Getenv: os.Getenv, Now: time.Now, Person: "ada", Machine: machine(),
	}))
}

// codexProgram answers hooks/list as Codex does, for the user's hooks.json. $TRUST says what it thinks of each hook.
func codexProgram() {
	path := filepath.Join(os.Getenv("CODEX_HOME"), "hooks.json")
	trust := os.Getenv("TRUST")
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var m struct {
			ID     int
			Method string
		}
		_ = json.Unmarshal(in.Bytes(), &m)
		switch m.Method {
		case "initialize":
			fmt.Println(`{"id":0,"result":{"userAgent":"board/0.171.0 (test)"}}`)
		case "hooks/list":
			var file struct {
				Hooks map[string][]struct{ Hooks []struct{ Command string } }
			}
			b, _ := os.ReadFile(path)
			_ = json.Unmarshal(b, &file)
			list := []map[string]any{}
			if trust == "none" { // hooks are switched off
				file.Hooks = nil
			}
			for name, groups := range file.Hooks {
				for g, group := range groups {
					for h, hook := range group.Hooks {
						list = append(list, map[string]any{
							"key": fmt.Sprintf("%s:%s:%d:%d", path, name, g, h), "eventName": strings.ToLower(name[:1]) + name[1:], "command": hook.Command,
							"source": "user", "sourcePath": path, "enabled": true, "trustStatus": trust,
						})
					}
				}
			}
			out, _ := json.Marshal(map[string]any{"id": 1, "result": map[string]any{"data": []any{map[string]any{"hooks": list}}}})
			fmt.Println(string(out))
		}
	}
	os.Exit(0)
}

// installPrograms makes $BIN, $TOOLS and $CODEX out of the programs of the test. Nothing else of this machine is on the
// PATH that scripts about hosts set: a host that is really installed here must not be found.
func installPrograms(e *testscript.Env) error {
	dirs := map[string][]string{
		"BIN": {"board", "board-hook"}, "CODEX": {"codex"}, "TOOLS": {"sh", "bash", "git", "cat", "sleep"},
	}
	for name, programs := range dirs {
		dir := filepath.Join(e.WorkDir, "home", ".local", strings.ToLower(name))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		for _, p := range programs {
			at, err := lookIn(e.Getenv("PATH"), p)
			if err != nil {
				if name == "TOOLS" {
					continue
				}
				return err
			}
			if err := os.Symlink(at, filepath.Join(dir, filepath.Base(at))); err != nil {
				return err
			}
		}
		e.Setenv(name, dir)
	}
	return nil
}

func lookIn(path, program string) (string, error) {
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	for _, dir := range filepath.SplitList(path) {
		if st, err := os.Stat(filepath.Join(dir, program)); err == nil && !st.IsDir() {
			return filepath.Join(dir, program), nil
		}
	}
	return "", fmt.Errorf("there is no %s on %s", program, path)
}

// cmdEvent sends what the host sends, with a session of its own, in which fields were replaced.
func cmdEvent(ts *testscript.TestScript, neg bool, args []string) {
	now := time.Now
	if args[0] == "-ago" {
		ago, err := time.ParseDuration(args[1])
		ts.Check(err)
		now = func() time.Time { return time.Now().Add(-ago) }
		args = args[2:]
	}
	e := hooks.Event{Host: args[0], Name: args[1]}
	payload, err := hooks.Sample(e, hooks.Place{Session: "script", Cwd: ts.MkAbs("."), At: now()})
	ts.Check(err)
	if len(args) > 2 {
		fields := map[string]any{}
		ts.Check(json.Unmarshal(payload, &fields))
		ts.Check(json.Unmarshal([]byte(os.Expand(args[2], ts.Getenv)), &fields))
		payload, err = json.Marshal(fields)
		ts.Check(err)
	}
	var out bytes.Buffer
	hooks.Main(hooks.Process{
		Args: []string{"--host", e.Host, "--protocol", "1"}, Stdin: bytes.NewReader(payload), Stdout: &out, Getenv: ts.Getenv, Now: now, Person: "ada", Machine: machine(),
	})
	if neg {
		ts.Fatalf("event cannot be negated")
	}
}

// cmdInterrupt runs board until a file is there, or until it has printed something, and presses Ctrl-C then.
func cmdInterrupt(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	program, err := lookIn(ts.Getenv("PATH"), "board")
	ts.Check(err)
	cmd := exec.CommandContext(ctx, program, args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "BOARD_DB", "USER"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	printed := &noticed{to: ts.Stdout()}
	cmd.Stdout, cmd.Stderr = printed, ts.Stderr()
	ts.Check(cmd.Start())
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil || ctx.Err() != nil || args[0] == "-" && printed.any.Load() {
			break
		}
		<-tick.C
	}
	ts.Check(cmd.Process.Signal(os.Interrupt))
	if err := cmd.Wait(); neg || cmd.ProcessState.ExitCode() != want {
		ts.Fatalf("it ends with %v", err)
	}
}

// noticed is a writer that knows whether something was written.
type noticed struct {
	to  io.Writer
	any atomic.Bool
}

func (n *noticed) Write(b []byte) (int, error) {
	defer n.any.Store(true)
	return n.to.Write(b)
}

func cmdSnap(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(ts.MkAbs(args[0]))))
}

func cmdSame(ts *testscript.TestScript, neg bool, args []string) {
	a, b := tree(ts, ts.MkAbs(args[0])), tree(ts, ts.MkAbs(args[1]))
	var diff []string
	for p, content := range a {
		if other, ok := b[p]; !ok || other != content {
			diff = append(diff, p)
		}
	}
	for p := range b {
		if _, ok := a[p]; !ok {
			diff = append(diff, p)
		}
	}
	if (len(diff) > 0) != neg {
		ts.Fatalf("differences: %v", diff)
	}
}

// tree returns the content of every file below dir, and the mode of it.
func tree(ts *testscript.TestScript, dir string) map[string]string {
	out := map[string]string{}
	ts.Check(filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		rel, rerr := filepath.Rel(dir, p)
		out[rel] = string(b)
		return errors.Join(err, rerr)
	}))
	return out
}

func cmdDamage(ts *testscript.TestScript, _ bool, args []string) {
	b, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	for i := len(b) / 3; i < len(b)*2/3; i++ {
		b[i] = 0xa5
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b, 0o600))
}

// cmdHold begins a writing transaction that ends with unhold, or with the script.
func cmdHold(ts *testscript.TestScript, _ bool, args []string) {
	db, err := store.Open(context.Background(), store.Options{Path: ts.MkAbs(args[0]), Now: time.Now})
	ts.Check(err)
	tx, err := db.SQL().BeginTx(context.Background(), nil)
	ts.Check(err)
	held := ts.Value("held").(*[]func())
	*held = append(*held, func() { _ = tx.Rollback(); _ = db.Close() })
	ts.Defer(func() { cmdUnhold(ts, false, nil) })
}

func cmdUnhold(ts *testscript.TestScript, _ bool, _ []string) {
	held := ts.Value("held").(*[]func())
	for _, release := range *held {
		release()
	}
	*held = nil
}
