package conformance

import (
	"bytes"
	"context"
	"io"
	"os/exec"
	"testing"
	"time"

	"board/internal/runs"
)

// slack is what a busy machine may add to a limit: two seconds, and ten times what a hook takes here and now that has
// nothing to do. The limits themselves are the specification's.
func (b *box) slack(t *testing.T) time.Duration {
	t.Helper()
	began := time.Now()
	b.send(t, []byte("null"))
	return 2*time.Second + 10*time.Since(began)
}

// pipe runs the hook and lets write feed its standard input, which stays open until the program has ended. It returns
// what was printed, how long the program ran after write began, and the error that write met.
func (k *talk) pipe(write func(w io.Writer) error) (stdout string, took time.Duration, failed error) {
	k.t.Helper()
	k.impatient()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, k.Program("board-hook"), "--host", k.host, "--protocol", "1")
	cmd.Dir, cmd.Env = k.Repo, k.Env(k.env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	in, err := cmd.StdinPipe()
	if err != nil {
		k.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	began, wrote := time.Now(), make(chan error, 1)
	go func() { wrote <- write(in) }()
	err = cmd.Wait() // closes our end too
	took = time.Since(began)
	if err != nil || errs.Len() > 0 {
		k.t.Errorf("the hook ends with %v, stderr %q", err, errs.String())
	}
	return out.String(), took, <-wrote
}

func TestAPipeThatStaysOpenIsNotWaitedFor(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		out, took, err := k.pipe(func(w io.Writer) error { _, err := w.Write(good(k, "t1", "go")); return err })
		if what, perr := printed(k.host, "UserPromptSubmit", out); what != "context" || perr != nil || err != nil {
			t.Errorf("prints %q (%v, %v)", out, perr, err)
		}
		if took > 900*time.Millisecond+k.slack(t) {
			t.Errorf("took %s after complete input", took)
		}
	})
}

func TestAPipeThatStaysSilentIsLeft(t *testing.T) {
	for name, begin := range map[string]func(k *talk) []byte{
		"nothing":            func(*talk) []byte { return nil },
		"half an event":      func(k *talk) []byte { p := good(k, "t2", "go"); return p[:len(p)/2] },
		"all but one byte":   func(k *talk) []byte { p := good(k, "t2", "go"); return p[:len(p)-1] },
		"a byte order mark":  func(*talk) []byte { return []byte("\xef\xbb\xbf") },
		"half of such a one": func(*talk) []byte { return []byte("\xef\xbb") },
	} {
		t.Run(name, func(t *testing.T) {
			eachHost(t, func(t *testing.T, k *talk) {
				out, took, _ := k.pipe(func(w io.Writer) error { _, err := w.Write(begin(k)); return err })
				if out != "" || took > time.Second+k.slack(t) || took < 900*time.Millisecond {
					t.Errorf("prints %q after %s, want nothing after a second", out, took)
				}
				if n := number(t, k.look(t), `SELECT count(*) FROM events`); n != 0 {
					t.Errorf("%d events stored", n)
				}
			})
		})
	}
}

// drip writes p in pieces, one every pause.
func drip(w io.Writer, p []byte, size int, pause time.Duration) error {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for len(p) > 0 {
		n := min(size, len(p))
		if _, err := w.Write(p[:n]); err != nil {
			return err
		}
		p = p[n:]
		<-tick.C
	}
	return nil
}

func TestAnEventInPiecesOfThreeBytesIsTaken(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		out, _, err := k.pipe(func(w io.Writer) error { return drip(w, good(k, "t1", "go"), 3, 15*time.Millisecond) })
		if what, perr := printed(k.host, "UserPromptSubmit", out); what != "context" || perr != nil {
			t.Errorf("prints %q (%v, %v)", out, perr, err)
		}
		k.want("t1", runs.Running, runs.None)
	})
}

func TestAnEventThatNeverGetsCompleteIsLeftAfterThreeSeconds(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		endless := append(good(k, "t1", "go")[:1], bytes.Repeat([]byte(`"a":1,`), 1000)...)
		out, took, _ := k.pipe(func(w io.Writer) error { return drip(w, endless, 6, 100*time.Millisecond) })
		if out != "" || took > 3*time.Second+k.slack(t) || took < 2900*time.Millisecond {
			t.Errorf("prints %q after %s, want nothing after 3 s", out, took)
		}
	})
}

// TestWhoeverWritesMuchMeetsNoBrokenPipe: a host that cannot write its payload reports an error to the person.
func TestWhoeverWritesMuchMeetsNoBrokenPipe(t *testing.T) {
	big := bytes.Repeat([]byte("a"), 2<<20)
	for name, p := range map[string]func(k *talk) []byte{
		"an event of 2 MB": func(k *talk) []byte {
			return append(append([]byte(`{"tool_input":{"content":"`), big...), append([]byte(`"},`), k.payload("PostToolUse", "t1", more{"tool_name": "Bash", "tool_use_id": "c1"})[1:]...)...)
		},
		"text of 2 MB":             func(*talk) []byte { return big },
		"a list of 2 MB":           func(*talk) []byte { return append([]byte(`["`), big...) },
		"an unknown event of 2 MB": func(k *talk) []byte { return k.payload("Teleport", "t1", more{"x": string(big)}) },
	} {
		t.Run(name, func(t *testing.T) {
			eachHost(t, func(t *testing.T, k *talk) {
				_, took, err := k.pipe(func(w io.Writer) error { _, err := w.Write(p(k)); return err })
				if err != nil {
					t.Errorf("the writer meets %v", err)
				}
				if took > 3*time.Second+k.slack(t) {
					t.Errorf("took %s", took)
				}
			})
		})
	}
}

func TestALargeToolEventIsTaken(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		content := string(bytes.Repeat([]byte("a"), 2<<20))
		k.quiet("PostToolUse", "t1", more{"tool_name": "Write", "tool_use_id": "c1", "tool_input": more{"content": content}, "tool_response": more{"content": content}})
		if rows := k.events("tool"); len(rows) != 1 || rows[0].Disposition != "applied" {
			t.Errorf("events %+v, want the tool's", rows)
		}
	})
}
