package adapters

import (
	"path"
	"slices"
	"strings"

	"board/internal/runs"
)

// protocol is the version of the command line and of the answers. It changes only when those do: the command is part of
// what Codex's trust is given to.
const protocol = "1"

// hookCommand is the command line that a host runs for each event. It holds nothing that needs a PATH, a variable or a
// working directory.
//
// Gemini takes any status above 1 for "block", and Cursor any answer that is no JSON: there a guard answers for a program
// that is gone, cannot be started, or was killed. The same guard, silent, keeps a project's file quiet for colleagues who
// do not have board. It is written so that sh, bash, zsh and fish read it alike.
func hookCommand(t Target) string {
	quote := quoteShell
	if t.Windows {
		quote = quoteWindows
	}
	command := quote(t.Launcher.Hook) + " --host " + t.Host + " --protocol " + protocol
	switch {
	case t.Windows:
		return command
	case t.Host == runs.Gemini, t.Host == runs.Cursor:
		return "[ -x " + quote(t.Launcher.Hook) + " ] && " + command + ` || printf '{}\n'`
	case t.Scope == ScopeProject:
		return "[ -x " + quote(t.Launcher.Hook) + " ] && " + command + " || true"
	}
	return command
}

const plainPath = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@"

// quoteShell quotes a word for sh, bash, zsh and fish.
func quoteShell(word string) string {
	if strings.Trim(word, plainPath) == "" && word != "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// quoteWindows writes a path with forward slashes, which cmd, PowerShell and Git Bash all take. Quotes are only added
// where they must be: PowerShell does not run a quoted path.
func quoteWindows(word string) string {
	word = strings.ReplaceAll(word, `\`, "/")
	if strings.ContainsAny(word, " &()^;,'%!") {
		return `"` + word + `"`
	}
	return word
}

// ours reports whether a command line of a host is board's: every program that it runs is board-hook, or board with the
// word hook, for some host; tests and neutral answers around it are the guard's. A line that runs anything else besides
// is a person's, and stays.
func ours(command string) bool {
	found := false
	for _, argv := range commands(command) {
		switch {
		case oursArgv(argv):
			found = true
		case guard(argv):
		default:
			return false
		}
	}
	return found
}

// guard reports whether a program is of those that stand around board's: tests, and the neutral answer.
func guard(argv []string) bool {
	switch argv[0] {
	case "[", "test", "true", ":", "exit":
		return true
	case "command", "type":
		return len(argv) > 1 && argv[1] == "-v"
	case "printf", "echo":
		return len(argv) == 2 && strings.HasPrefix(argv[1], "{}")
	}
	return false
}

// oursArgv reports whether one program with its arguments is board's hook.
func oursArgv(argv []string) bool {
	if len(argv) == 0 {
		return false
	}
	args := argv[1:]
	switch program(argv[0]) {
	case "board-hook":
	case "board":
		if len(args) == 0 || args[0] != "hook" {
			return false
		}
	default:
		return false
	}
	return slices.ContainsFunc(args, func(a string) bool { return a == "--host" || strings.HasPrefix(a, "--host=") })
}

// oursServer reports whether a server of the Model Context Protocol is board's.
func oursServer(argv []string) bool {
	return len(argv) > 1 && program(argv[0]) == "board" && slices.Contains(argv[1:], "mcp")
}

// program is the base name of a program, as any of the systems spells it.
func program(word string) string {
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(word, `\`, "/")), ".exe")
}

// commands splits a command line into the programs that it runs, with their arguments, in the way of a shell. Words that
// open or close a group, assignments before a program and exec are left out. It understands what board and people write
// into configurations; of anything else some word remains that is no program of board, and so it counts as foreign.
func commands(line string) (list [][]string) {
	if windowsPath(line) {
		line = strings.ReplaceAll(line, `\`, "/")
	}
	var argv []string
	var word strings.Builder
	inWord := false
	endWord := func() {
		w := word.String()
		word.Reset()
		if !inWord {
			return
		}
		inWord = false
		if len(argv) == 0 && (slices.Contains([]string{"exec", "{", "}", "if", "then", "else", "fi", "end"}, w) || assignment(w)) {
			return
		}
		argv = append(argv, w)
	}
	endCommand := func() {
		endWord()
		if len(argv) > 0 {
			list = append(list, argv)
		}
		argv = nil
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t':
			endWord()
		case ';', '&', '|', '\n', '\r', '(', ')':
			if c == '&' && i > 0 && line[i-1] == '>' { // 2>&1
				word.WriteByte(c)
				continue
			}
			endCommand()
		case '\\':
			if i+1 < len(line) {
				i++
				word.WriteByte(line[i])
			}
			inWord = true
		case '\'', '"':
			inWord = true
			for i++; i < len(line) && line[i] != c; i++ {
				if c == '"' && line[i] == '\\' && i+1 < len(line) && strings.IndexByte("\"\\$`", line[i+1]) >= 0 {
					i++
				}
				word.WriteByte(line[i])
			}
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	endCommand()
	return list
}

// windowsPath reports whether a command line begins with a drive.
func windowsPath(line string) bool {
	line = strings.TrimLeft(line, `"& '`)
	return len(line) > 2 && line[1] == ':' && line[2] == '\\'
}

func assignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	if !ok || name == "" {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}
