package agents

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"board/internal/process"
)

// TestMain lets the test binary be the processes of hosts. $ROLE says which:
//
//	prove  prints its proof of the process $ROLE_OF
//	stay   has a child prove it, prints that, and is there until its standard input ends
func TestMain(m *testing.M) {
	switch os.Getenv("ROLE") {
	case "":
		os.Exit(m.Run())
	case "prove":
		pid, _ := strconv.Atoi(os.Getenv("ROLE_OF"))
		_, _ = os.Stdout.WriteString(process.Prove(pid) + "\n")
	case "stay":
		_, _ = os.Stdout.WriteString(proofOf(os.Getpid()) + "\n")
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
}

// proofOf has a child prove this process.
func proofOf(pid int) string {
	cmd := role("prove")
	cmd.Env = append(cmd.Env, "ROLE_OF="+strconv.Itoa(pid))
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

func role(name string) *exec.Cmd {
	program, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(program)
	cmd.Env, cmd.Stderr = append(os.Environ(), "ROLE="+name), os.Stderr
	return cmd
}

// host is a real process that stands for one of an agent.
type host struct {
	cmd   *exec.Cmd
	proof string
}

func newHost(t testing.TB) *host {
	t.Helper()
	h := &host{cmd: role("stay")}
	in, err := h.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = h.cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	h.proof = strings.TrimSpace(line)
	if process.Look(h.proof) != process.Alive {
		t.Skip("nothing can be proven of processes here")
	}
	return h
}

func (h *host) kill(t interface{ Fatal(...any) }) {
	if err := h.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = h.cmd.Wait()
	if process.Look(h.proof) != process.Gone {
		t.Fatal("a process that was killed is not gone")
	}
}
