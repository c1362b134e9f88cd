package hooks

import (
	"strings"

	"board/internal/runs"
)

// marker starts the reminder on hosts where what a hook answers comes back as a prompt: by it, and by nothing else, that
// prompt is told from one of a person.
const marker = "BOARD_STOP_V1 probe="

// marked reports whether the reminder comes back as a prompt.
func marked(host string) bool { return host == runs.Gemini || host == runs.Cursor }

// markerLine is the first line of the reminder of a run.
func markerLine(r runs.Run) string { return marker + runs.FormatProbe(r.ProbeID) }

// promptFlags says what board looks at a prompt for: whether there is any, and the probe that it answers.
func promptFlags(prompt string) (empty bool, probe string) {
	if rest, ok := strings.CutPrefix(prompt, marker); ok {
		id, _, _ := strings.Cut(strings.ReplaceAll(rest, "\n", " "), " ")
		probe = runs.ParseProbe(strings.TrimSuffix(id, "\r"))
	}
	return strings.TrimSpace(prompt) == "", probe
}
