package conformance

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestNothingIsKeptOfABadFrame: what is malformed, too large or another host's is dropped whole, by a store that
// works, one that is locked and one that is damaged.
func TestNothingIsKeptOfABadFrame(t *testing.T) {
	c := &caged{}
	long := strings.Repeat(canary, 300<<10/len(canary))
	huge := strings.Repeat(canary, 2<<20/len(canary))
	frames := map[string]func(k *talk) []byte{
		"words":            func(*talk) []byte { return []byte(c.next()) },
		"a string":         func(*talk) []byte { return fmt.Appendf(nil, "%q", c.next()) },
		"a list":           func(*talk) []byte { return fmt.Appendf(nil, "[%q]", c.next()) },
		"an unknown event": func(k *talk) []byte { return k.payload(canary, canary, more{"prompt": c.next()}) },
		"no session": func(k *talk) []byte {
			return k.payload("UserPromptSubmit", canary, more{"session_id": nil, "prompt": c.next()})
		},
		"cut in the prompt": func(k *talk) []byte {
			p := k.payload("UserPromptSubmit", "t9", more{"prompt": c.next(), "a": c.next()})
			return p[:bytes.Index(p, []byte("prompt\":\"zq"))+30]
		},
		"another host": func(k *talk) []byte { return k.payload("BeforeAgent", canary, more{"prompt": c.next()}) },
		"an outside folder": func(k *talk) []byte {
			return k.payload("UserPromptSubmit", canary, more{"session_id": canary, "cwd": "/" + canary, "prompt": c.next()})
		},
		"an outside file":         func(k *talk) []byte { return edit(k, "/elsewhere/"+canary+"/a.txt") },
		"an outside file, dotted": func(k *talk) []byte { return edit(k, world.repo+"/../"+canary+"/a.txt") },
		"many letters":            func(k *talk) []byte { return good(k, "t9", long) },
		"very many letters":       func(k *talk) []byte { return good(k, "t9", huge) },
		"a long unknown field":    func(k *talk) []byte { return k.payload("UserPromptSubmit", "t9", more{canary + long: long}) },
		"invalid UTF-8": func(k *talk) []byte {
			return append([]byte("{\"prompt\":\"\xff"+canary+"\","), good(k, "t9", "go")[1:]...)
		},
		"escaped letters": func(k *talk) []byte {
			return append([]byte("{\"prompt\":\"\\u007a\\u0071canary"+canary+"\","), good(k, "t9", "go")[1:]...)
		},
		"prose for a word": func(k *talk) []byte {
			return k.payload("Stop", "t1", more{
				"reason": canary + " is prose", "source": canary + " too", "permission_mode": canary + " as well",
				"background_tasks": []any{more{"id": "b1", "type": canary + " is prose", "status": canary + " too", "command": c.next(), "description": c.next()}},
			})
		},
		"a long reason": func(k *talk) []byte { return k.payload("SessionEnd", "", more{"reason": long}) },
	}
	for _, host := range []string{"claude-code", "codex"} {
		for name, frame := range frames {
			for _, state := range []string{"working", "locked", "damaged"} {
				t.Run(host+"/"+name+"/"+state, func(t *testing.T) {
					t.Parallel()
					k := newTalk(t, host, "always")
					k.prompt("t1")
					switch state {
					case "locked":
						defer lock(t, k.box)()
					case "damaged":
						if err := k.look(t).Close(); err != nil {
							t.Fatal(err)
						}
						k.db = nil
						write(t, k.DB, bytes.Repeat([]byte("noise"), 1000))
					}
					out := k.Hook(t.Context(), host, nil, frame(k))
					if out.Code != 0 {
						t.Errorf("exit %d", out.Code)
					}
					for _, sink := range escaped(t, k.box, out) {
						t.Errorf("escapes to %s", sink)
					}
				})
			}
		}
	}
}

// edit is an edit of a file, in the host's own shape.
func edit(k *talk, path string) []byte {
	if k.host == "codex" {
		return k.payload("PostToolUse", "t1", more{"tool_name": "apply_patch", "tool_use_id": "e1", "tool_input": more{
			"command": "*** Begin Patch\n*** Update File: " + path + "\n@@\n+x\n*** End Patch\n",
		}})
	}
	return k.payload("PostToolUse", "t1", more{"tool_name": "Write", "tool_use_id": "e1", "tool_input": more{"file_path": path, "content": "x"}})
}
