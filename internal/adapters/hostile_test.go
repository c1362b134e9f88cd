package adapters

import (
	"strings"
	"testing"
)

// hostileJSON are configurations as people and other tools leave them. Every file of every host that is JSON meets each of
// them. HOOK stands for a command of board with an older launcher, in the host's name.
type hostile struct {
	name    string
	text    string
	refused bool // board does not write into it
	ours    bool // something of board is in there: removing does not give this text back
	only    string
}

func hostileJSON() []hostile {
	foreignHook := `{"type": "command", "command": "/opt/other/lint --fast"}`
	return []hostile{
		{name: "an empty object", text: `{}`},
		{name: "an empty object and a line break", text: "{}\n"},
		{name: "an empty object over two lines", text: "{\n}\n"},
		{name: "an empty file", text: ""},
		{name: "a line break alone", text: "\n"},
		{name: "white space alone", text: " \t\r\n  "},
		{name: "a byte order mark alone", text: bom},
		{name: "a byte order mark", text: bom + "{\n  \"theme\": \"dark\"\n}\n"},
		{name: "two spaces", text: "{\n  \"theme\": \"dark\",\n  \"env\": {\n    \"A\": \"1\"\n  }\n}\n"},
		{name: "four spaces", text: "{\n    \"theme\": \"dark\"\n}\n"},
		{name: "tabs", text: "{\n\t\"theme\": \"dark\",\n\t\"list\": [\n\t\t1,\n\t\t2\n\t]\n}\n"},
		{name: "no line break at the end", text: "{\n  \"theme\": \"dark\"\n}"},
		{name: "CRLF", text: "{\r\n  \"theme\": \"dark\",\r\n  \"n\": 1\r\n}\r\n"},
		{name: "CRLF and tabs and a mark", text: bom + "{\r\n\t\"theme\": \"dark\"\r\n}\r\n"},
		{name: "one line", text: `{"theme":"dark","n":1}`},
		{name: "one line with spaces", text: `{ "theme": "dark", "n": 1 }` + "\n"},
		{name: "brackets in odd places", text: "{ \"theme\": \"dark\",\n\"n\": 1,\n      \"m\": {\n} }"},
		{name: "a line comment after the last member", text: "{\n  \"theme\": \"dark\" // I like it\n}\n"},
		{name: "a line comment with spaces at its end", text: "{\n  \"theme\": \"dark\" // I like it   \n}\n"},
		{name: "a line comment before the bracket", text: "{\n  \"theme\": \"dark\"\n  // \"more\": 1\n}\n"},
		{name: "a block comment after the last member", text: "{\n  \"theme\": \"dark\" /* a\n b */ }\n"},
		{name: "comments around everything", text: "// top\n{ // open\n  /* k */ \"theme\" /* c */ : /* v */ \"dark\" /* e */ , // comma\n  \"n\": 1 /* last */ // really\n} // end\n// bottom"},
		{name: "a comment in an empty object", text: "{\n  // nothing yet\n}\n"},
		{name: "a comment with CRLF", text: "{\r\n  \"a\": 1 // c\r\n}\r\n"},
		{name: "comment signs in strings", text: "{\n  \"a\": \"http://x/*\", \"b\": \"*/ // \\\" }\"\n}\n"},
		{name: "a trailing comma", text: "{\n  \"theme\": \"dark\",\n}\n"},
		{name: "a trailing comma and a comment", text: "{\n  \"theme\": \"dark\", // c\n}\n"},
		{name: "a comment before a trailing comma", text: "{\n  \"theme\": \"dark\" /* c */ ,\n}\n"},
		{name: "a trailing comma on one line", text: `{"theme": "dark", }`},
		{name: "white space at the end", text: "{\n  \"theme\": \"dark\"\n}\n\n\n   "},
		{name: "blank lines before the bracket", text: "{\n  \"theme\": \"dark\"\n\n\n}\n"},
		{name: "escaped keys", text: `{"theme\u0021": "dark", "h\u00f6\u00f6ks": 1}`},
		{name: "foreign text beyond ASCII", text: "{\n  \"name\": \"日本 😀 \\ud83d\\ude00\"\n}\n"},
		{name: "numbers that no float holds", text: "{\n  \"n\": 12345678901234567890123, \"f\": 1.10, \"e\": 1E+2\n}\n"},
		{name: "400 levels", text: `{"deep": ` + strings.Repeat("[", 400) + strings.Repeat("]", 400) + `}`},
		{name: "5 MB", text: `{"big": "` + strings.Repeat("x", 4<<20) + `", "list": [` + strings.Repeat(`{"a": [1, 2, "three"], "b": null}, `, 1<<14) + `0]}`, only: "rules"},
		{name: "a key of somebody's called board", text: "{\n  \"board\": {\"command\": \"board\"}\n}\n"},
		{name: "duplicate keys out of the way", text: "{\n  \"env\": {\"A\": 1, \"A\": 2}\n}\n"},
		{name: "empty containers of the person's", text: "{\n  \"hooks\": {},\n  \"mcpServers\": {},\n  \"mcp\": {},\n  \"permissions\": {\"allow\": []}\n}\n"},
		{name: "empty containers on one line", text: `{"hooks":{},"mcpServers":{},"mcp":{},"permissions":{}}`},
		{name: "empty containers over several lines", text: "{\n  \"hooks\": {\n  },\n  \"mcpServers\": {\n\n  },\n  \"mcp\": {\n\t},\n  \"permissions\": {\n    \"allow\": [\n    ]\n  }\n}\n"},
		{name: "foreign servers and rules", text: "{\n  \"mcpServers\": {\n    \"dash\": {\"command\": \"/opt/dashboard\", \"args\": [\"mcp\"]}\n  },\n  \"mcp\": {\"x\": {\"type\": \"remote\", \"url\": \"u\"}},\n  \"permissions\": {\"allow\": [\"Bash(ls:*)\"], \"deny\": []}\n}\n"},
		{name: "a server with a comment behind", text: "{\n  \"mcpServers\": {\n    \"dash\": {\"command\": \"/opt/dashboard\"} // keep\n    // more to come\n  }, \"mcp\": { \"x\": {} /* y */ }\n}\n"},

		{name: "duplicate keys in the root", text: `{"theme": 1, "theme": 2}`, refused: true},
		{name: "duplicate keys that differ in spelling", text: `{"theme": 1, "th\u0065me": 2}`, refused: true},
		{name: "an array", text: `[]`, refused: true},
		{name: "a string", text: `"hooks"`, refused: true},
		{name: "null", text: `null`, refused: true},
		{name: "two values", text: `{} {}`, refused: true},
		{name: "half a file", text: `{"theme": "dark"`, refused: true},
		{name: "a missing comma", text: "{\n  \"a\": 1\n  \"b\": 2\n}", refused: true},
		{name: "an open comment", text: `{"a": 1} /* `, refused: true},
		{name: "single quotes", text: `{'a': 1}`, refused: true},
		{name: "NUL bytes", text: "{\"a\": 1}\x00\x00", refused: true},
		{name: "NUL bytes in a string", text: "{\"a\": \"\x00\"}", refused: true},
		{name: "UTF-16", text: "\xff\xfe{\x00}\x00", refused: true},
		{name: "600 levels", text: `{"deep": ` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`, refused: true},
		{name: "a million brackets", text: strings.Repeat("[", 1<<20), refused: true},
		{name: "a merge that went wrong", text: "{\n<<<<<<< HEAD\n  \"a\": 1\n=======\n  \"a\": 2\n>>>>>>> x\n}\n", refused: true},

		{name: "hooks null", text: `{"hooks": null}`, refused: true, only: "hooks"},
		{name: "hooks an array", text: `{"hooks": []}`, refused: true, only: "hooks"},
		{name: "hooks a string", text: `{"hooks": "yes"}`, refused: true, only: "hooks"},
		{name: "hooks twice", text: `{"hooks": {}, "hooks": {}}`, refused: true, only: "hooks"},
		{name: "an event null", text: `{"hooks": {"EVENT": null}}`, refused: true, only: "hooks"},
		{name: "an event an object", text: `{"hooks": {"EVENT": {"hooks": []}}}`, refused: true, only: "hooks"},
		{name: "an event twice", text: `{"hooks": {"EVENT": [], "EVENT": []}}`, refused: true, only: "hooks"},
		{name: "an event of strings", text: `{"hooks": {"EVENT": ["run this"]}}`, refused: true, only: "hooks"},
		{name: "a group with a key twice", text: `{"hooks": {"EVENT": [{"matcher": "a", "matcher": "b", "command": "x", "hooks": []}]}}`, refused: true, only: "hooks"},
		{name: "an unknown event of an unknown shape", text: "{\"hooks\": {\"FutureEvent\": {\"when\": \"always\"}, \"Other\": 3}}", only: "hooks"},
		{name: "foreign hooks", text: "{\n  \"hooks\": {\n    \"EVENT\": [\n      FOREIGN,\n      FOREIGN\n    ],\n    \"Foreign\": [FOREIGN]\n  }\n}\n", only: "hooks"},
		{name: "foreign hooks on one line", text: `{"hooks":{"EVENT":[FOREIGN],"Foreign":[FOREIGN]}}`, only: "hooks"},
		{name: "foreign hooks with comments and trailing commas", text: "{\n  \"hooks\": {\n    \"EVENT\": [ // mine\n      FOREIGN, // first\n      FOREIGN, // second\n    ], // done\n  }, // all\n}\n", only: "hooks"},
		{name: "foreign hooks whose paths contain the word", text: `{"hooks": {"EVENT": [` +
			handlerText("node /x/dashboard/hook.js") + `, ` + handlerText("~/board-notes/run.sh --host x") + `, ` + handlerText("surfboard hook --host claude-code") + `, ` +
			handlerText("/opt/other/board lint") + `, ` + handlerText("echo board-hook --host claude-code") + `, ` + handlerText("make lint && board-hook --host claude-code") + `]}}`, only: "hooks"},
		{name: "an entry of ours in an older form", text: `{"hooks": {"EVENT": [OURS]}}`, ours: true, only: "hooks"},
		{name: "entries of ours twice", text: "{\n  \"hooks\": {\n    \"EVENT\": [\n      OURS,\n      FOREIGN,\n      OURS\n    ]\n  }\n}\n", ours: true, only: "hooks"},
		{name: "an entry of ours before a foreign one", text: `{"hooks": {"EVENT": [OURS, FOREIGN]}}`, ours: true, only: "hooks"},
		{name: "an entry of ours for an event of no row", text: "{\"hooks\": {\"PreCompact\": [OURS], \"Foreign\": [FOREIGN, OURS]}}", ours: true, only: "hooks"},
		{name: "an entry of ours and a foreign one in one group", text: `{"hooks": {"EVENT": [{"matcher": "Bash", "hooks": [` + foreignHook + `, {"type": "command", "command": "/old/bin/board hook --host HOST"}, ` + foreignHook + `]}]}}`, ours: true, only: "groups"},
		{name: "an entry of ours with arguments of its own", text: `{"hooks": {"EVENT": [{"hooks": [{"type": "command", "command": "/old/board-hook", "args": ["--host", "HOST"]}]}]}}`, ours: true, only: "groups"},
		{name: "a group without hooks", text: `{"hooks": {"EVENT": [{"matcher": "x"}]}}`, refused: true, only: "groups"},
		{name: "a group whose hooks are no list", text: `{"hooks": {"EVENT": [{"hooks": {}}]}}`, refused: true, only: "groups"},
		{name: "a hook of another type", text: `{"hooks": {"EVENT": [{"hooks": [{"type": "prompt", "prompt": "board-hook --host HOST"}]}]}}`, only: "groups"},

		{name: "servers null", text: `{"mcpServers": null, "mcp": null}`, refused: true, only: "server"},
		{name: "servers a list", text: `{"mcpServers": [], "mcp": []}`, refused: true, only: "server"},
		{name: "a server of that name that is not board's", text: `{"mcpServers": {"board": {"command": "trello"}}, "mcp": {"board": {"command": ["trello"]}}}`, refused: true, only: "server"},
		{name: "board's server in an older form", text: "{\n  \"mcpServers\": {\n    \"board\": {\"command\": \"/old/board\", \"args\": [\"mcp\"], \"env\": {\"BOARD_DB\": \"/x\"}} // mine\n  },\n  \"mcp\": {\"board\": {\"command\": [\"/old/board\", \"mcp\"]}}\n}\n", ours: true, only: "server"},
		{name: "board's server under two names", text: "{\"mcpServers\": {\"kanban\": {\"command\": \"/old/board\", \"args\": [\"mcp\"]}, \"x\": {}, \"board\": {\"command\": \"/old/board\", \"args\": [\"mcp\"]}}, \"mcp\": {\"a\": {\"command\": [\"/o/board\", \"mcp\"]}, \"board\": {\"command\": [\"/o/board\", \"mcp\"]}}}", ours: true, only: "server"},

		{name: "rules null", text: `{"permissions": null}`, refused: true, only: "rules"},
		{name: "allow a string", text: `{"permissions": {"allow": "all"}}`, refused: true, only: "rules"},
		{name: "the rule is there", text: `{"permissions": {"allow": ["mcp__board", "Bash"]}}`, ours: true, only: "rules"},
		{name: "the rule is there twice", text: `{"permissions": {"allow": ["mcp__board", "Bash", "mcp__board__*"]}}`, ours: true, only: "rules"},
		{name: "many rules", text: "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls:*)\",\n      \"Read\" // all\n    ]\n  }\n}\n", only: "rules"},
	}
}

func handlerText(command string) string {
	return `{"hooks":[{"type":"command","command":"` + command + `"}]}`
}

// fill puts a host's own words into a text of the table.
func (h hostile) fill(t Target, event string) []byte {
	foreign := `{"matcher": "Edit", "hooks": [{"type": "command", "command": "/opt/other/lint"}]}`
	mine := `{"hooks": [{"type": "command", "command": "/old/bin/board-hook --host ` + t.Host + `", "timeout": 9}]}`
	s := h.text
	if flat := (hookPart{t: t}).flat(); flat {
		foreign = `{"command": "/opt/other/lint"}`
		mine = `{"command": "command -v board >/dev/null 2>&1 && exec board hook --host cursor || printf '{}\\n'"}`
		s = strings.ReplaceAll(s, `{"hooks":[{"type":"command","command":`, `{"a":[{"b":1}],"command":`)
		s = strings.ReplaceAll(s, `"}]}`, `"}`)
	}
	return []byte(strings.NewReplacer("EVENT", event, "FOREIGN", foreign, "OURS", mine, "HOST", t.Host).Replace(s))
}

// maxPlaces is at how many places a file of the table is added to: two lists that are there, and a comma behind a comment.
const maxPlaces = 3

// insertions is the smallest number of places at which text must be put into before to make after, -1 if before is not
// kept. It is small where text was added, and large where letters of before are only found scattered over it.
func insertions(before, after []byte) int {
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		before, after = before[1:], after[1:]
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	// kept[i], added[i]: the fewest places so far, with i bytes of before used, where the last byte was one of before, or not.
	const never = 1 << 30
	kept, added := make([]int, len(before)+1), make([]int, len(before)+1)
	for i := range kept {
		kept[i], added[i] = never, never
	}
	kept[0] = 0
	for _, c := range after {
		for i := len(before); i >= 0; i-- {
			added[i] = min(added[i], kept[i]+1)
			if kept[i] = never; i > 0 && before[i-1] == c {
				kept[i] = min(kept[i-1], added[i-1])
			}
		}
	}
	if n := min(kept[len(before)], added[len(before)]); n < never {
		return n
	}
	return -1
}

func TestInsertionsAreToldFromScatteredLetters(t *testing.T) {
	for _, c := range []struct {
		name, before, after string
		want                int
	}{
		{"nothing", "{}", "{}", 0},
		{"one, where it begins as what follows", "ab", "aab", 1},
		{"a comma and a member", `{"a": 1 /* c */ }`, `{"a": 1, /* c */ "b": 2}`, 2},
		{"at both ends", "b", "abc", 2},
		{"a lost byte", "abc", "ab", -1},
		{"another order", "ab", "ba", -1},
		{"a lost name whose letters are all in what was added", `{"dark": 1}`, `{"/x/board-hook --host claude --protocol 1 --kind": 1}`, 5},
	} {
		if n := insertions([]byte(c.before), []byte(c.after)); n != c.want {
			t.Errorf("%s: %d places, want %d", c.name, n, c.want)
		}
	}
}
