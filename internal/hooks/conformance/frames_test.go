package conformance

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"board/internal/runs"
)

// good is a prompt of the host with the given text.
func good(k *talk, turn, text string) []byte {
	return k.payload(promptEvent(k.host), turn, more{"prompt": text})
}

func utf16le(s []byte, mark bool) []byte {
	var out []byte
	if mark {
		out = append(out, 0xff, 0xfe)
	}
	for _, u := range utf16.Encode([]rune(string(s))) {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	return out
}

// TestFramesThatAreNoEvent gives the program what is no event of the host. It answers nothing, stores nothing, and the
// turn that is under way goes on.
func TestFramesThatAreNoEvent(t *testing.T) {
	bom := "\xef\xbb\xbf"
	frames := map[string]func(k *talk) []byte{
		"nothing":                 func(*talk) []byte { return []byte{} },
		"white space":             func(*talk) []byte { return []byte(" \n\t ") },
		"a byte order mark":       func(*talk) []byte { return []byte(bom) },
		"three byte order marks":  func(*talk) []byte { return []byte(bom + bom + bom) },
		"null":                    func(*talk) []byte { return []byte("null\n") },
		"an empty list":           func(*talk) []byte { return []byte("[]") },
		"an empty object":         func(*talk) []byte { return []byte("{}") },
		"a number":                func(*talk) []byte { return []byte("42") },
		"a string":                func(*talk) []byte { return []byte(`"Stop"`) },
		"words":                   func(*talk) []byte { return []byte("Stop the world\n") },
		"an open brace":           func(*talk) []byte { return []byte("{") },
		"only closing brackets":   func(*talk) []byte { return []byte("}]}") },
		"a comma too many":        func(*talk) []byte { return []byte(`{"hook_event_name":"Stop","session_id":"s",}`) },
		"an event in a list":      func(k *talk) []byte { return fmt.Appendf(nil, "[%s]", good(k, "t9", "go")) },
		"an event cut short":      func(k *talk) []byte { p := good(k, "t9", "go"); return p[:len(p)/2] },
		"an event cut at its end": func(k *talk) []byte { p := good(k, "t9", "go"); return p[:len(p)-1] },
		"words before the event":  func(k *talk) []byte { return append([]byte("hello "), good(k, "t9", "go")...) },
		"UTF-16":                  func(k *talk) []byte { return utf16le(good(k, "t9", "go"), false) },
		"UTF-16 with a mark":      func(k *talk) []byte { return utf16le(good(k, "t9", "go"), true) },
		"zero bytes":              func(*talk) []byte { return make([]byte, 4096) },
		"deep nesting":            func(*talk) []byte { return bytes.Repeat([]byte(`{"a":`), 20000) },
		"deep lists":              func(*talk) []byte { return bytes.Repeat([]byte(`[`), 200000) },
		"no event name":           func(k *talk) []byte { return k.payload("", "t9", more{"hook_event_name": nil}) },
		"an empty event name":     func(k *talk) []byte { return k.payload("", "t9", nil) },
		"an event name in lower case": func(k *talk) []byte {
			return k.payload("userpromptsubmit", "t9", more{"prompt": "go"})
		},
		"an unknown event":          func(k *talk) []byte { return k.payload("TeleportStart", "t9", nil) },
		"an event of another host":  func(k *talk) []byte { return k.payload("BeforeAgent", "t9", more{"prompt": "go"}) },
		"an event name as a number": func(k *talk) []byte { return k.payload("", "t9", more{"hook_event_name": 7}) },
		"an event name as a list":   func(k *talk) []byte { return k.payload("", "t9", more{"hook_event_name": []string{"Stop"}}) },
		"no session":                func(k *talk) []byte { return k.payload("UserPromptSubmit", "t9", more{"session_id": nil}) },
		"an empty session":          func(k *talk) []byte { return k.payload("UserPromptSubmit", "t9", more{"session_id": ""}) },
		"a session as a number":     func(k *talk) []byte { return k.payload("UserPromptSubmit", "t9", more{"session_id": 7}) },
		"a session as an object":    func(k *talk) []byte { return k.payload("UserPromptSubmit", "t9", more{"session_id": more{"a": 1}}) },
		"a folder without a project": func(k *talk) []byte {
			return k.payload("UserPromptSubmit", "t9", more{"session_id": "other", "cwd": "/"})
		},
		"a folder that is gone": func(k *talk) []byte {
			return k.payload("UserPromptSubmit", "t9", more{"session_id": "other", "cwd": "/nowhere/at/all"})
		},
		"a relative folder": func(k *talk) []byte {
			return k.payload("UserPromptSubmit", "t9", more{"session_id": "other", "cwd": "."})
		},
		"no folder, another session": func(k *talk) []byte {
			return k.payload("UserPromptSubmit", "t9", more{"session_id": "other", "cwd": nil})
		},
		"a folder with a zero byte": func(k *talk) []byte {
			return k.payload("UserPromptSubmit", "t9", more{"session_id": "other", "cwd": "/a\x00b"})
		},
		"a folder as a number": func(k *talk) []byte {
			return k.payload("UserPromptSubmit", "t9", more{"session_id": "other", "cwd": 7})
		},
		"a folder of 100,000 letters": func(k *talk) []byte {
			return k.payload("UserPromptSubmit", "t9", more{"session_id": "other", "cwd": "/" + strings.Repeat("a", 100000)})
		},
	}
	for _, host := range []string{"claude-code", "codex"} {
		for name, frame := range frames {
			t.Run(host+"/"+name, func(t *testing.T) {
				t.Parallel()
				k := newTalk(t, host, "always")
				k.prompt("t1")
				if out := k.send(t, frame(k)); out != "" {
					t.Errorf("printed %q, want nothing", out)
				}
				if n := number(t, k.look(t), `SELECT count(*) FROM events`); n != 1 {
					t.Errorf("%d stored events, want the prompt alone", n)
				}
				k.want("t1", runs.Running, runs.None)
				if got := k.stop("t1", false); got != "probe" {
					t.Errorf("the Stop after it prints %s, want the probe", got)
				}
			})
		}
	}
}

// TestFramesThatStillAreTheEvent gives the program a prompt with something around it. It is taken, and once.
func TestFramesThatStillAreTheEvent(t *testing.T) {
	bom := []byte("\xef\xbb\xbf")
	frames := map[string]func(k *talk) []byte{
		"no line end":            func(k *talk) []byte { return good(k, "t1", "go") },
		"line ends around":       func(k *talk) []byte { return fmt.Appendf(nil, "\r\n\n%s\r\n\n", good(k, "t1", "go")) },
		"one byte order mark":    func(k *talk) []byte { return append(bytes.Repeat(bom, 1), good(k, "t1", "go")...) },
		"two byte order marks":   func(k *talk) []byte { return append(bytes.Repeat(bom, 2), good(k, "t1", "go")...) },
		"three byte order marks": func(k *talk) []byte { return append(bytes.Repeat(bom, 3), good(k, "t1", "go")...) },
		"invalid UTF-8": func(k *talk) []byte {
			return bytes.Replace(good(k, "t1", "go"), []byte(`"go"`), []byte("\"\xff\xfe\xc3\""), 1)
		},
		"lone surrogates": func(k *talk) []byte {
			return bytes.Replace(good(k, "t1", "go"), []byte(`"go"`), []byte(`"\ud800 \udfff"`), 1)
		},
		"an escaped zero": func(k *talk) []byte {
			return bytes.Replace(good(k, "t1", "go"), []byte(`"go"`), []byte(`"a\u0000b"`), 1)
		},
		"a second object":         func(k *talk) []byte { return append(good(k, "t1", "go"), good(k, "t2", "go")...) },
		"a second object in line": func(k *talk) []byte { return fmt.Appendf(nil, "%s\n%s\n", good(k, "t1", "go"), good(k, "t2", "go")) },
		"half a second object":    func(k *talk) []byte { p := good(k, "t1", "go"); return append(p, p[:20]...) },
		"words after":             func(k *talk) []byte { return append(good(k, "t1", "go"), " and more"...) },
		"fields nobody knows": func(k *talk) []byte {
			return k.payload("UserPromptSubmit", "t1", more{"prompt": "go", "new": []any{1, nil, more{"a": "b"}}})
		},
		"fields that are null": func(k *talk) []byte {
			return bytes.Replace(good(k, "t1", "go"), []byte(`{`), []byte(`{"agent_id":null,"agent_type":null,"permission_mode":null,`), 1)
		},
		"a prompt of 100,000 letters": func(k *talk) []byte {
			return good(k, "t1", strings.Repeat("a", 100000))
		},
		"a prompt of 2 MB": func(k *talk) []byte {
			p := k.payload(promptEvent(k.host), "t1", nil)
			return fmt.Appendf(p[:len(p)-1], `,"prompt":"%s"}`, strings.Repeat("a", 2<<20)) // it comes last
		},
	}
	// 1e400 is no float64: the encoder cannot write it.
	frames["fields nobody knows"] = func(k *talk) []byte {
		return bytes.Replace(good(k, "t1", "go"), []byte(`{`), []byte(`{"new":[1,null,{"a":"b"}],"x":1e400,"y":-0,`), 1)
	}
	for _, host := range allHosts() {
		for name, frame := range frames {
			t.Run(host+"/"+name, func(t *testing.T) {
				t.Parallel()
				k := newTalk(t, host, "always")
				out := k.send(t, frame(k))
				if what, err := printed(host, promptEvent(host), out); err != nil || what != promptPrints(host) {
					t.Errorf("prints %q (%v), want %s", out, err, promptPrints(host))
				}
				if n := number(t, k.look(t), `SELECT count(*) FROM runs`); n != 1 {
					t.Errorf("%d runs, want 1", n)
				}
				k.want(map[bool]string{true: "#1", false: "t1"}[host == "gemini"], runs.Running, runs.None)
			})
		}
	}
}

// TestFieldsOfTheWrongType: what matters is of the right type, something else is not. The event is taken or refused,
// never half taken.
func TestFieldsOfTheWrongType(t *testing.T) {
	fields := map[string]more{
		"a prompt that is a list":   {"prompt": []string{"go"}},
		"a prompt that is a number": {"prompt": 7},
		"a flag that is a word":     {"prompt": "go", "stop_hook_active": "no"},
		"tasks that are a number":   {"prompt": "go", "background_tasks": 3},
		"tasks that are words":      {"prompt": "go", "background_tasks": []any{"a", nil, 7}},
		"an agent that is a number": {"prompt": "go", "agent_id": 7},
		"a mode that is an object":  {"prompt": "go", "permission_mode": more{"a": "b"}},
		"a tool that is a list":     {"prompt": "go", "tool_name": []int{1}, "tool_input": "x", "tool_use_id": 3},
		"a turn that is a number":   {"prompt": "go", "prompt_id": 5, "turn_id": 5},
		"a source that is an array": {"prompt": "go", "source": []int{}},
	}
	for _, host := range []string{"claude-code", "codex"} {
		for name, f := range fields {
			t.Run(host+"/"+name, func(t *testing.T) {
				t.Parallel()
				k := newTalk(t, host, "always")
				out := k.send(t, k.payload("UserPromptSubmit", "t1", f))
				what, err := printed(host, "UserPromptSubmit", out)
				n := number(t, k.look(t), `SELECT count(*) FROM runs`)
				if err != nil || n > 1 || (what == "context") != (n == 1 && k.runAny().Kind == runs.Root) {
					t.Errorf("prints %s (%v), %d runs", what, err, n)
				}
				k.prompt("t2")
				k.want("t2", runs.Running, runs.None)
			})
		}
	}
}

// runAny returns the first run.
func (k *talk) runAny() runs.Run {
	k.t.Helper()
	for _, r := range allRuns(k.t, k.look(k.t), k.look(k.t).Now()) {
		return r
	}
	return runs.Run{}
}
