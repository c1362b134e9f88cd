package runs

// Witness is the name under which Codex's notify program is counted among the events of its host: it makes no run.
const Witness = "notify"

// witnessGap is how long after the last event of a hook a witness may be seen before the hooks count as silent. Milliseconds.
const witnessGap = 10 * 60_000

// HooksSilent reports whether a host worked, as a witness says, while no hook of it fired. Each is when it was seen last in
// UTC milliseconds, 0 for never.
func HooksSilent(hook, witness int64) bool { return witness != 0 && witness-hook > witnessGap }
