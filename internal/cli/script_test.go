package cli

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/rogpeppe/go-internal/testscript"

	"board/internal/store"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"board":      func() { os.Exit(Run(context.Background(), Process("v1.2.3", time.Now))) },
		"board-hook": hookProgram,
		"codex":      codexProgram,
	})
}

// TestScript runs the program as people do. Beside the usual commands of testscript the scripts have
//
//	exit N board ARG...     runs a program that must exit with N; an argument in double quotes is a Go string
//	tty N ARG...            runs board as if at a terminal; both outputs are in $WORK/screen, and without colours in
//	                        $WORK/screen.txt
//	tty -type LINE N ARG... the same, and the person types LINE
//	newer FROM TO           copies a database, and gives it the schema of a board to come
//	agent NAME prompt       a prompt of the session NAME of Claude Code arrives; its run is remembered
//	agent NAME pid          the same, and the host names a parent of the scripts' process as its own
//	agent NAME reused       the same, but that was a process that had the id before
//	agent NAME TOOL JSON    the agent calls a tool of the board; stdout of the script is not touched
//	event HOST NAME [JSON]  the host sends an event of that name, in the current directory; JSON replaces its fields
//	event -ago D HOST NAME  the same, but that was so long ago
//	same DIR FROM           the files below DIR are those of the copy FROM, to the byte
//	snap DIR TO             copies a folder
//	damage FROM TO          copies a database, and writes over its middle
//	interrupt FILE N ARG... runs board, and presses Ctrl-C when FILE is there, or for - once it has printed something;
//	                        it must exit with N
//	hold FILE, unhold       takes the lock of a writer, and gives it back
//
// $BIN holds both programs as a person installs them, $TOOLS what a shell needs, $CODEX a program that answers as Codex.
//
// Short, as under the race detector, only those run in which things go on at the same time: every command of a script is a
// process of its own, into which the detector looks alone, and which it makes ten times slower.
func TestScript(t *testing.T) {
	p := scripts()
	if testing.Short() {
		for _, name := range []string{"hook", "host_mend", "presence"} {
			p.Files = append(p.Files, filepath.Join(p.Dir, name+".txtar"))
		}
		p.Dir = ""
	}
	testscript.Run(t, p)
}

func scripts() testscript.Params {
	return testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("BOARD_DB", filepath.Join(e.WorkDir, "data", "board.db"))
			e.Setenv("USER", "ada")
			e.Setenv("TERM", "xterm")
			e.Setenv("COLUMNS", "80")
			e.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			if err := installPrograms(e); err != nil {
				return err
			}
			for name, content := range map[string]string{"nul": "a\x00b\n", "huge": strings.Repeat("long ", 20_000)} {
				if err := os.WriteFile(filepath.Join(e.WorkDir, name), []byte(content), 0o644); err != nil {
					return err
				}
			}
			e.Values["runs"] = map[string]*agentRun{}
			e.Values["held"] = new([]func())
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit": cmdExit, "tty": cmdTTY, "newer": cmdNewer, "agent": cmdAgent, "event": cmdEvent, "same": cmdSame, "snap": cmdSnap,
			"damage": cmdDamage, "hold": cmdHold, "unhold": cmdUnhold, "interrupt": cmdInterrupt,
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("no condition %s", cond)
		},
	}
}

func cmdExit(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	words := args[1:]
	for i, w := range words {
		if strings.HasPrefix(w, `"`) {
			words[i], err = strconv.Unquote(w)
			ts.Check(err)
		}
	}
	got := 0
	err = ts.Exec(words[0], words[1:]...)
	if ee := (*exec.ExitError)(nil); errors.As(err, &ee) {
		got = ee.ExitCode()
	} else {
		ts.Check(err)
	}
	if neg || got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func cmdTTY(ts *testscript.TestScript, neg bool, args []string) {
	typed := ""
	if args[0] == "-type" {
		typed, args = strings.ReplaceAll(args[1], `\n`, "\n")+"\n", args[2:]
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	width, err := strconv.Atoi(ts.Getenv("COLUMNS"))
	ts.Check(err)
	var screen bytes.Buffer
	got := Run(context.Background(), Env{
		Args: args[1:], Stdin: strings.NewReader(typed), Stdout: &screen, Stderr: &screen, StdinTTY: true, StdoutTTY: true, StderrTTY: true, Width: width, Height: 40,
		Getenv: ts.Getenv, Environ: []string{"PATH=" + ts.Getenv("PATH"), "HOME=" + ts.Getenv("HOME"), "TRUST=" + ts.Getenv("TRUST")}, Executable: filepath.Join(ts.Getenv("BIN"), "board"),
		Version: "v1.2.3", Cwd: ts.MkAbs("."), Now: time.Now, Person: "ada", Machine: machine(), Pid: os.Getpid(),
	})
	ts.Check(os.WriteFile(filepath.Join(ts.Getenv("WORK"), "screen"), screen.Bytes(), 0o600))
	ts.Check(os.WriteFile(filepath.Join(ts.Getenv("WORK"), "screen.txt"), []byte(ansi.Strip(screen.String())), 0o600))
	if neg || got != want {
		ts.Fatalf("exit status %d, want %d\n%s", got, want, screen.String())
	}
}

func cmdNewer(ts *testscript.TestScript, _ bool, args []string) {
	b, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	binary.BigEndian.PutUint32(b[60:], 999) // user_version, in the header of the file format
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b, 0o600))
}

// agentRun is what an agent knows of itself.
type agentRun struct{ id, revision string }

func cmdAgent(ts *testscript.TestScript, neg bool, args []string) {
	known := ts.Value("runs").(map[string]*agentRun)
	name := args[0]
	switch args[1] {
	case "prompt", "pid", "reused":
		turn := strconv.Itoa(len(ts.MkAbs(".")) + int(time.Now().UnixNano()%1e9))
		getenv := ts.Getenv
		if args[1] != "prompt" {
			getenv = func(k string) string {
				if k == "CLAUDE_PID" {
					return strconv.Itoa(os.Getppid())
				}
				return ts.Getenv(k)
			}
		}
		payload, err := json.Marshal(map[string]string{
			"session_id": name, "prompt_id": turn, "cwd": ts.MkAbs("."), "hook_event_name": "UserPromptSubmit", "prompt": "go", "permission_mode": "default",
		})
		ts.Check(err)
		out := inProcess(ts, getenv, time.Now, string(payload), "hook", "--host", "claude-code", "--protocol", "1")
		if known[name] = findRun(out); known[name] == nil {
			ts.Fatalf("the hook names no run: %s", out)
		}
		if args[1] == "reused" {
			provenBefore(ts, known[name].id)
		}
	default:
		input := map[string]any{}
		if len(args) > 2 {
			ts.Check(json.Unmarshal([]byte(args[2]), &input))
		}
		run := known[name]
		input["run_id"] = run.id
		if args[1] != "kanban_list" && args[1] != "kanban_get" && args[1] != "kanban_create" && args[1] != "kanban_note" {
			n, err := strconv.Atoi(run.revision)
			ts.Check(err)
			input["run_revision"] = n
		}
		call, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": map[string]any{"name": args[1], "arguments": input}})
		ts.Check(err)
		talk := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
			`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + string(call) + "\n"
		out := inProcess(ts, ts.Getenv, time.Now, talk, "mcp")
		if failed := strings.Contains(out, `"isError":true`) || strings.Contains(out, `"error":`); failed != neg {
			ts.Fatalf("%s: %s", args[1], out)
		}
		if r := findRun(out); r != nil {
			known[name] = r
		}
	}
}

// provenBefore makes the process that is the host's in a run one that was started at another time.
func provenBefore(ts *testscript.TestScript, handle string) {
	db, err := store.Open(context.Background(), store.Options{Path: ts.Getenv("BOARD_DB"), Now: time.Now, Person: "ada", Machine: machine()})
	ts.Check(err)
	defer func() { ts.Check(db.Close()) }()
	var proof string
	ts.Check(db.SQL().QueryRow(`SELECT json_extract(facts, '$.host_proof') FROM runs WHERE handle = ?`, handle).Scan(&proof))
	_, err = db.SQL().Exec(`UPDATE runs SET facts = json_replace(facts, '$.host_proof', ?) WHERE handle = ?`, startedBefore(proof), handle)
	ts.Check(err)
}

// startedBefore is the proof of a process that had the same id before.
func startedBefore(proof string) string {
	words := strings.Fields(proof)
	words[2] = "1"
	return strings.Join(words, " ")
}

func findRun(out string) *agentRun {
	m := regexp.MustCompile(`board: run (run_[0-9a-f]{32}) revision (\d+)`).FindStringSubmatch(out)
	if m == nil {
		return nil
	}
	return &agentRun{m[1], m[2]}
}

func inProcess(ts *testscript.TestScript, getenv func(string) string, now func() time.Time, stdin string, args ...string) string {
	var out, errs bytes.Buffer
	code := Run(context.Background(), Env{
		Args: args, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs, Getenv: getenv, Cwd: ts.MkAbs("."), Now: now, Person: "ada", Machine: machine(),
	})
	if code != 0 || errs.Len() > 0 {
		ts.Fatalf("board %v: %d %s", args, code, errs.String())
	}
	return out.String()
}
