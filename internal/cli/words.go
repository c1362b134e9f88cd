package cli

import (
	"strings"

	"board/internal/issues"
)

// stateWord is a state as people read it.
func stateWord(s issues.State) string { return strings.ReplaceAll(string(s), "_", " ") }

// waits says what an Issue waits for from a person, "" for nothing.
func waits(i issues.Issue) string {
	switch {
	case i.Archived:
		return ""
	case i.State == issues.InReview:
		return "approve or reject"
	case i.State == issues.Paused && i.PauseReason == issues.Question:
		return "answer, then resume"
	case i.State == issues.Paused && i.PauseReason == issues.BlockedBy:
		return "clear the way, then resume"
	}
	return ""
}

// waitsBrief is waits in one word.
func waitsBrief(i issues.Issue) string {
	switch {
	case i.State == issues.InReview:
		return "approve?"
	case i.PauseReason == issues.Question:
		return "answer?"
	}
	return "clear?"
}

// holder says who holds an Issue, and since when: "" for nobody.
func (o *output) holder(c issues.Claim) string {
	if c.State == issues.Unclaimed {
		return ""
	}
	who := one(strings.TrimSpace(c.Run + " " + c.Host))
	since := o.ago(c.Since)
	switch c.State {
	case issues.Reserved:
		return who + " away " + since
	case issues.Lapsed:
		return who + " gone " + since
	}
	return who + " " + since
}

// remarks are the other things to know of an Issue at a glance, the most urgent first.
func remarks(i issues.Issue) []string {
	var out []string
	if i.SentBack {
		out = append(out, "sent back")
	}
	if i.Blocked {
		out = append(out, "blocked by "+strings.Join(i.BlockedBy, ", "))
	}
	switch {
	case i.Abandoned:
		out = append(out, "abandoned")
	case i.Stale:
		out = append(out, "stale")
	}
	if i.Hold {
		out = append(out, "on hold")
	}
	if i.Archived {
		out = append(out, "archived")
	}
	return out
}

// paintPriority makes the most urgent visible and leaves the rest alone.
func (s style) paintPriority(n int) string {
	switch n {
	case 0:
		return s.bad(priority(n))
	case 1:
		return s.bold(priority(n))
	}
	return s.dim(priority(n))
}
