package cli

import (
	"fmt"
	"strings"
	"time"
)

// rfc is a time for programs: RFC 3339 in UTC, "" for none.
func rfc(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).UTC().Format(time.RFC3339)
}

// ago is the age of a moment for people: one unit, never negative although clocks step back.
func (o *output) ago(ms int64) string {
	if ms == 0 {
		return ""
	}
	switch d := max(0, o.now().Sub(time.UnixMilli(ms))); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	case d < 100*24*time.Hour:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	default:
		return time.UnixMilli(ms).UTC().Format(time.DateOnly)
	}
}

// past is ago in a sentence.
func (o *output) past(ms int64) string {
	if s := o.ago(ms); strings.ContainsRune(s, '-') {
		return "on " + s
	} else if s != "" {
		return s + " ago"
	}
	return "at an unknown time"
}
