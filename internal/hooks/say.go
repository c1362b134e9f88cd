package hooks

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"board/internal/runs"
	"board/internal/store"
	"board/internal/text"
)

// Limits of injected text, in characters; that of a whole context also in bytes. Hosts cut or hide what is longer.
const (
	maxContext = 2000
	maxBrief   = 300
	maxTitle   = 80
	maxDigest  = 400 // bytes: the rules come after it, and must fit

	digestIssues, digestMoves, digestFiles = 3, 4, 3 // the last Issues, the last moves of each, the files most worked on
)

// The texts are statements of fact without any user text: hosts show some of them to people, and models distrust orders
// in injected text.
const (
	rootRules = `Rules of this board (it records what this session does; people approve):
- See the real board with kanban_list {"ready":true} or kanban_get {"issue_key":"KEY"}.
- Create durable work only when it is worth keeping: kanban_create {"title":"..."}.
- kanban_begin_work {"issue_key":"KEY"} only for your active line of work, and only if no other run holds it.
- kanban_request_closure only after judging every criterion (met, unmet or not_applicable, and how you checked); else leave the Issue in progress.
- Pass run_id and run_revision from the line above unless a call works without them.`

	subagentRules = `Rules of this board for subagents: you may bind an Issue with kanban_begin_work {"issue_key":"KEY"} if your task says so. Closure is not yours: report your result to the root agent. Pass run_id and run_revision from the line above unless a call works without them.`

	reminder = `Before you end: if every criterion of your Issue is judged and met, call kanban_request_closure. If it is not ready, change nothing. If you edited files without an Issue, kanban_create with begin, or leave it. If a question to the person is open, do not answer it. Then repeat your final answer: it is what the caller receives.`
)

// compose makes the text for a run: the first line, then what the occasion asks for. It is a runs.Speaker.
func compose(ctx context.Context, tx *store.Tx, res *runs.Result) (string, error) {
	b, err := lookAtBoard(ctx, tx, *res)
	if err != nil {
		return "", err
	}
	first := runs.FirstLine(res.Run, b.heldKey)
	switch res.Say {
	case runs.Reminder:
		if marked(res.Run.Host) {
			first = markerLine(res.Run) + "\n" + first
		}
		return first + "\n" + reminder, nil
	case runs.SubagentRules:
		if b.heldKey == "" {
			first = runs.FirstLine(res.Run, b.parentKey) // what its root works on is what it works on
		}
		return join(maxContext, first, subagentRules, b.parentLine()), nil
	}
	was := strings.Split(res.Root.Told+"|||", "|")
	now := strings.Split(b.told(), "|")
	res.Root.Told = b.told()
	if res.Say == runs.Rules {
		return join(maxContext, first, b.heldLine(), b.lastLine(), b.digestLine(), b.countsLine(), rootRules), nil
	}
	lines := []string{first}
	if was[0] != now[0] {
		lines = append(lines, b.heldLine())
	}
	if was[1] != now[1] {
		lines = append(lines, b.lastLine())
	}
	if was[2] != now[2] || was[3] != now[3] {
		lines = append(lines, b.countsLine())
	}
	return join(maxBrief, lines...), nil
}

// told is what a session knows of the board after a context: the Issue it holds, the one it lost, and two counts.
func (b board) told() string {
	return fmt.Sprintf("%s|%s|%d|%d", b.heldKey, b.lastKey+b.lastState, b.ready, b.changes)
}

func (b board) heldLine() string {
	if b.heldKey == "" {
		return ""
	}
	return fmt.Sprintf("Your Issue: %s %q", b.heldKey, text.Line(b.heldTitle, maxTitle))
}

func (b board) lastLine() string {
	if b.lastKey == "" {
		return ""
	}
	return fmt.Sprintf("last held here: %s (%s)", b.lastKey, b.lastState)
}

func (b board) parentLine() string {
	if b.parentKey == "" {
		return ""
	}
	return fmt.Sprintf("Your root agent works on %s %q.", b.parentKey, text.Line(b.parentTitle, maxTitle))
}

// digestLine says what the session left behind before it was resumed: in fixed words, with names of files.
func (b board) digestLine() string {
	for n := min(digestFiles, len(b.last.Paths)); n >= 0; n-- {
		if line := b.digestWith(b.last.Paths[:n]); len(line) <= maxDigest {
			return line
		}
	}
	return ""
}

func (b board) digestWith(paths []string) string {
	var parts []string
	for _, i := range b.last.Issues {
		moves := i.Moves[max(0, len(i.Moves)-digestMoves):]
		if key := b.keys[i.ID]; key != "" {
			parts = append(parts, key+" ("+strings.Join(moves, ", ")+")")
		}
	}
	if n := b.last.Files; n > 0 {
		files := fmt.Sprintf("files changed: %d", n)
		for i, p := range paths {
			files += []string{" (", ", "}[min(i, 1)] + text.Line(p, maxTitle)
		}
		switch {
		case len(paths) == 0:
		case len(paths) < n:
			files += ", ...)"
		default:
			files += ")"
		}
		parts = append(parts, files)
	}
	switch o := b.last.Outcome; o {
	case runs.None:
	case runs.Unknown:
		parts = append(parts, "last turn: no end seen")
	default:
		parts = append(parts, "last turn: "+string(o))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Before this resume: " + strings.Join(parts, "; ") + "."
}

func (b board) countsLine() string {
	return fmt.Sprintf("Board: %s ready, %s with changes requested.", atMost(b.ready), atMost(b.changes))
}

func atMost(n int) string {
	if n >= countLimit {
		return fmt.Sprintf("%d or more", countLimit)
	}
	return fmt.Sprint(n)
}

// join puts lines together, leaves out empty ones, and leaves out from the first line that does not fit.
func join(limit int, lines ...string) string {
	var b strings.Builder
	n := 0
	for _, l := range lines {
		if l == "" {
			continue
		}
		if n += utf8.RuneCountInString(l) + 1; n > limit || b.Len()+1+len(l) > maxContext {
			break
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l)
	}
	return b.String()
}
