package issues

// StaleAfter is how long nothing happens to an Issue that nobody works on before it is shown as stale. Milliseconds.
const StaleAfter = 24 * 3_600_000

// IsStale reports whether an Issue is stale: in progress or paused, and neither it nor the line that holds it has changed
// for a day. active: a run of that line is live. changedAt is the last change of the Issue, or the last event of the line
// that holds it if that came later; both times are UTC milliseconds.
func IsStale(state State, active bool, changedAt, now int64) bool {
	return (state == InProgress || state == Paused) && !active && now-changedAt >= StaleAfter
}
