package conformance

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"board/internal/runs"
)

// scopes lists what is on record of what can be proven: run, project, verdict, boundary and rule.
func (k *talk) scopes() (out []string) {
	k.t.Helper()
	query(k.t, k.look(k.t), `SELECT 'r' || run_id || ' P' || project_id || ' ' || capability || ' ' || missing || ' ' || rule FROM scopes
		ORDER BY run_id, project_id`, func(scan func(...any) error) error {
		var s string
		err := scan(&s)
		out = append(out, strings.Join(strings.Fields(s), " "))
		return err
	})
	return out
}

func (k *talk) wantScopes(when string, want ...string) {
	k.t.Helper()
	if got := k.scopes(); !slices.Equal(got, want) {
		k.t.Errorf("%s: on record\n%s\nwant\n%s", when, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// onDesktop is the environment of a hook whose host is this process, which is above it.
func onDesktop() []string { return []string{fmt.Sprint("CLAUDE_PID=", os.Getpid())} }

// TestWhereARunIsAtWorkDecidesWhatCanBeProven: three sessions in three places, each at work in two projects.
func TestWhereARunIsAtWorkDecidesWhatCanBeProven(t *testing.T) {
	k := newTalk(t, "claude-code", "always")
	lib := k.second()
	for i, place := range [][]string{onDesktop(), append(onDesktop(), "CLAUDE_CODE_REMOTE=true"), {"CLAUDE_PID=4200000001"}} {
		k.session, k.env = fmt.Sprint(i)+k.session[1:], place
		k.prompt("t1")
		k.edits("t1", "c1", lib+"/a.go")
		k.edits("t1", "c2", world.repo+"/a.go")
	}
	want := []string{
		"r1 P1 supported claude-code/desktop@1", "r1 P2 supported claude-code/desktop@1",
		"r2 P1 unsupported execution_host claude-code/cloud@1", "r2 P2 unsupported execution_host claude-code/cloud@1",
		"r3 P1 indeterminate execution_host claude-code/unknown@1", "r3 P2 indeterminate execution_host claude-code/unknown@1",
	}
	k.wantScopes("at work", want...)
	for i, r := range allRuns(t, k.look(t), k.look(t).Now()) {
		wantHost := []runs.ExecutionHost{runs.Desktop, runs.Cloud, runs.Nowhere}[i]
		wantBasis := []string{"host_process", "CLAUDE_CODE_REMOTE", ""}[i]
		if r.ExecutionHost != wantHost || r.ExecutionBasis != wantBasis || (r.HostProof == "") != (i == 2) {
			t.Errorf("run %d is at work in %q by %q, proof %q", i+1, r.ExecutionHost, r.ExecutionBasis, r.HostProof)
		}
	}
	for i, place := range [][]string{nil, nil, onDesktop()} { // what is learned later relabels nothing
		k.session, k.env = fmt.Sprint(i)+k.session[1:], place
		k.edits("t1", "c3", world.repo+"/b.go")
		k.stop("t1", true)
	}
	k.wantScopes("at the end", want...)
}

// TestAProcessThatIsNotAboveTheHookProvesNothing: whatever a host says of itself.
func TestAProcessThatIsNotAboveTheHookProvesNothing(t *testing.T) {
	beside := hostProcess(t, "beside", nil).cmd.Process.Pid
	for _, pid := range []string{fmt.Sprint(beside), "1", "0", "-1", "", "x", "999999999999999999999"} {
		k := newTalk(t, "claude-code", "always")
		k.env = []string{"CLAUDE_PID=" + pid}
		k.prompt("t1")
		if r := k.run("t1"); r.HostProof != "" || r.ExecutionHost != runs.Nowhere {
			t.Errorf("pid %q is taken for the host's: %q, %q", pid, r.HostProof, r.ExecutionHost)
		}
		k.wantScopes(pid, "r1 P1 indeterminate execution_host claude-code/unknown@1")
	}
}

// TestWhatEachHostCanProve: the others tell in their own ways where they are, or do not.
func TestWhatEachHostCanProve(t *testing.T) {
	for name, c := range map[string]struct {
		host string
		play func(t *testing.T, k *talk)
		want string
	}{
		"Codex, by the name of its program": {"codex", func(t *testing.T, k *talk) {
			h := hostProcess(t, "codex", k.box)
			h.send(k.payload("UserPromptSubmit", "t1", more{"prompt": "go"}))
		}, "supported codex/desktop@1"},
		"Codex, under a program of another name": {"codex", func(t *testing.T, k *talk) {
			h := hostProcess(t, "codexe", k.box)
			h.send(k.payload("UserPromptSubmit", "t1", more{"prompt": "go"}))
		}, "indeterminate execution_host codex/unknown@1"},
		"Codex, with another host's environment": {"codex", func(_ *testing.T, k *talk) {
			k.env = append(onDesktop(), "CLAUDE_CODE_REMOTE=true")
			k.prompt("t1")
		}, "indeterminate execution_host codex/unknown@1"},
		"opencode, by its process": {"opencode", func(t *testing.T, k *talk) {
			k.say("prompt", "t1", more{"pid": fmt.Sprint(os.Getpid())})
		}, "supported opencode/desktop@1"},
		"opencode, by another process": {"opencode", func(t *testing.T, k *talk) {
			k.say("prompt", "t1", more{"pid": "4200000001"})
		}, "indeterminate execution_host opencode/unknown@1"},
		"Gemini CLI": {"gemini", func(_ *testing.T, k *talk) { k.prompt("") }, "unsupported correlation gemini/unknown@1"},
		"Claude Code of old, without turns": {"claude-code", func(_ *testing.T, k *talk) {
			k.env = onDesktop()
			k.prompt("")
		}, "unsupported correlation claude-code/desktop@1"},
		"Cursor, of which nothing is known": {"cursor", func(_ *testing.T, k *talk) { k.prompt("g1") }, "indeterminate execution_host cursor/unknown@1"},
		"Cursor, on this machine": {"cursor", func(_ *testing.T, k *talk) {
			k.quiet("sessionStart", "", more{"is_background_agent": false})
			k.prompt("g1")
		}, "indeterminate scaffold cursor/desktop@1"},
		"Cursor, in the background": {"cursor", func(_ *testing.T, k *talk) {
			k.quiet("sessionStart", "", more{"is_background_agent": true})
			k.prompt("g1")
		}, "unsupported execution_host cursor/cloud@1"},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTalk(t, c.host, "always")
			c.play(t, k)
			k.wantScopes("a prompt", "r1 P1 "+c.want)
		})
	}
}

// reads is what is said of the first run in the first project now.
func (k *talk) reads() string {
	k.t.Helper()
	var c runs.Capability
	query(k.t, k.look(k.t), `SELECT capability, missing FROM scopes WHERE run_id = 1 AND project_id = 1`, func(scan func(...any) error) error {
		return scan(&c.Verdict, &c.Missing)
	})
	verdict, missing := c.Reading(k.runAny())
	return strings.TrimSpace(string(verdict) + " " + missing)
}

// TestALateStartWaitsForItsPrompt: by a tool, or by an edit that was spooled. Where it is at work is known at once.
func TestALateStartWaitsForItsPrompt(t *testing.T) {
	for name, begin := range map[string]func(k *talk){
		"a tool":  func(k *talk) { k.tool("t1", "c1") },
		"an edit": func(k *talk) { k.edits("t1", "c1", world.repo+"/a.go") },
		"an edit from the spool": func(k *talk) {
			release := lock(k.t, k.box)
			k.edits("t1", "c1", world.repo+"/a.go")
			release()
			session := k.session
			k.session = "2" + k.session[1:]
			k.say("SessionStart", "", more{"source": "startup"})
			k.session = session
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTalk(t, "claude-code", "always")
			k.env = onDesktop()
			begin(k)
			k.wantScopes("before the prompt", "r1 P1 supported claude-code/desktop@1")
			if got := k.reads(); got != "indeterminate registration" {
				t.Errorf("before the prompt it reads %s", got)
			}
			k.stop("t1", true)
			if got := k.reads(); got != "indeterminate registration" {
				t.Errorf("at its end it reads %s", got)
			}
			k.say("UserPromptSubmit", "t1", more{"prompt": "go"})
			k.wantScopes("after the prompt", "r1 P1 supported claude-code/desktop@1")
			if got := k.reads(); got != "supported" {
				t.Errorf("after the prompt it reads %s", got)
			}
		})
	}
}

// aHost is a process that runs hooks, as hosts do, and can be killed.
type aHost struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	dir  string
	sent int
}

// hostProcess starts one of that name: a shell that reads commands.
func hostProcess(t *testing.T, name string, b *box, env ...string) *aHost {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell that could play a host")
	}
	h := &aHost{t: t, dir: t.TempDir()}
	as := filepath.Join(h.dir, name)
	if err := os.Symlink(sh, as); err != nil {
		t.Fatal(err)
	}
	h.cmd = exec.Command(as)
	if b != nil {
		h.cmd.Dir, h.cmd.Env = b.Repo, b.Env(append(env, "HOOK="+b.Program("board-hook"), "HOST="+b.host)...)
	}
	if h.in, err = h.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	h.out = bufio.NewReader(out)
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.kill)
	return h
}

// send has the host give a payload to its hook, with its own process id where Claude Code says it, and returns what that
// printed.
func (h *aHost) send(payload []byte) string {
	h.t.Helper()
	h.sent++
	file := filepath.Join(h.dir, fmt.Sprint(h.sent))
	write(h.t, file, payload)
	fmt.Fprintf(h.in, `CLAUDE_PID=$$ "$HOOK" --host "$HOST" --protocol 1 <'%s' 2>&1; echo "
== $?"`+"\n", file)
	out := ""
	for {
		line, err := h.out.ReadString('\n')
		if err != nil {
			h.t.Fatalf("the host is gone: %v\n%s", err, out)
		}
		if status, ok := strings.CutPrefix(line, "== "); ok {
			if status != "0\n" {
				h.t.Errorf("exit %s", status)
			}
			return strings.TrimSuffix(out, "\n")
		}
		out += line
	}
}

// kill ends the host as a crash does.
func (h *aHost) kill() {
	if h.cmd.ProcessState == nil {
		_ = h.cmd.Process.Kill()
		_ = h.in.Close()
		_ = h.cmd.Wait()
	}
}
