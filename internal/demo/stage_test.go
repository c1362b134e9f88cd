package main

import (
	"slices"
	"strings"
	"testing"

	"board/internal/lab"
)

func TestNoLineIsWiderThanItMayBe(t *testing.T) {
	for text, want := range map[string][]string{
		"":                           {""},
		"short":                      {"short"},
		"SHOP-1 todo → done":         {"SHOP-1 todo", "→ done"},
		"a word_that_is_long stands": {"a", "word_that_is_long", "stands"},
		"0123456789a bc":             {"0123456789a", "bc"},
	} {
		if got := wrap(text, 11); !slices.Equal(got, want) {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestAnEventThatChangesNothingSaysWhatItIsFor(t *testing.T) {
	for payload, want := range map[string]string{
		`{"hook_event_name":"SessionEnd"}`:                                                   "session ended",
		`{"hook_event_name":"PreToolUse","tool_name":"mcp__board__kanban_begin_work"}`:       "noted as proof",
		`{"hook_event_name":"PreToolUse","tool_name":"Bash"}`:                                "",
		`{"hook_event_name":"PostToolUse","tool_name":"mcp__board__kanban_request_closure"}`: "sign of life",
	} {
		_, name, _ := strings.Cut(payload, `name":"`)
		name, _, _ = strings.Cut(name, `"`)
		got, err := quiet(nil, lab.Event{Event: name, Payload: []byte(payload)}, "")
		if err != nil || !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, %v", payload, got, err)
		}
	}
	if _, err := quiet(nil, lab.Event{Event: "Stop"}, "{}"); err == nil {
		t.Error("an answer where there should be none")
	}
}
