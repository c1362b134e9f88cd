package runs

import (
	"context"
	"slices"
	"strings"
	"time"

	"board/internal/fault"
	"board/internal/store"
)

// Policy says when the first Stop of a root turn is answered with the reminder.
type Policy string

// The policies. Auto is the default: always for attended runs of Claude Code and Codex, due for unattended ones, whose
// host prints the last message of a turn as its result, and for Cursor; off for Gemini and opencode.
const (
	ProbeAuto   Policy = "auto"
	ProbeAlways Policy = "always"
	ProbeDue    Policy = "due" // only with an Issue in progress, or edits without an Issue
	ProbeOff    Policy = "off"
)

// Config is what the machines are told by settings. Times are milliseconds.
type Config struct {
	Probe         Policy
	ProbeGap      int64 // a session whose last probe had no effect is left alone for this long
	ProbeDeadline int64 // quiet time after a recorded Stop
	Lease         int64 // of a run, from its last event
	Reserve       int64 // how long a claim stays with its line after the line's last event
	SessionTTL    int64 // silence after which a session counts as ended
	Triage        bool  // Issues that agents create are held for a person
}

// Setting is one configuration key.
type Setting struct {
	Key     string
	Default string
	Meaning string
	Values  []string // the allowed values; nil: a duration such as 45m
}

// ConfigKeys returns the settings, in the order in which they are shown. Each can be set for all projects or one, and for
// all hosts or one; the narrowest wins, the project before the host.
func ConfigKeys() []Setting {
	return []Setting{
		{
			Key: "probe", Default: string(ProbeAuto), Meaning: "when the first Stop of a turn is answered with the reminder",
			Values: []string{string(ProbeAuto), string(ProbeAlways), string(ProbeDue), string(ProbeOff)},
		},
		{Key: "probe_gap", Default: "20m", Meaning: "how long a session is left alone after a reminder without effect"},
		{Key: "probe_deadline", Default: "15m", Meaning: "quiet time after a Stop that ends the run"},
		{Key: "lease", Default: "45m", Meaning: "how long a run counts as working after its last event"},
		{Key: "reserve", Default: "4h", Meaning: "how long an Issue stays with its session after the last event"},
		{Key: "session_ttl", Default: "24h", Meaning: "silence after which a session counts as ended"},
		{Key: "triage", Default: "on", Meaning: "hold Issues that agents create until a person lifts the hold", Values: []string{"on", "off"}},
	}
}

// Defaults is the configuration without any setting: what ConfigKeys says, as a test makes sure of, without the work of
// reading it.
func Defaults() Config {
	const minute, hour = 60_000, 3_600_000
	return Config{
		Probe: ProbeAuto, ProbeGap: 20 * minute, ProbeDeadline: 15 * minute, Lease: 45 * minute, Reserve: 4 * hour,
		SessionTTL: 24 * hour, Triage: true,
	}
}

func (c *Config) set(key, value string) {
	ms := func(to *int64) {
		if d, err := time.ParseDuration(value); err == nil {
			*to = d.Milliseconds()
		}
	}
	switch key {
	case "probe":
		c.Probe = Policy(value)
	case "probe_gap":
		ms(&c.ProbeGap)
	case "probe_deadline":
		ms(&c.ProbeDeadline)
	case "lease":
		ms(&c.Lease)
	case "reserve":
		ms(&c.Reserve)
	case "session_ttl":
		ms(&c.SessionTTL)
	case "triage":
		c.Triage = value == "on"
	}
}

// CheckSetting says whether value is allowed for key.
func CheckSetting(key, value string) error {
	keys := ConfigKeys()
	i := slices.IndexFunc(keys, func(s Setting) bool { return s.Key == key })
	if i < 0 {
		return fault.New(fault.Invalid, "board config list shows the keys", "there is no setting %q", key)
	}
	s := keys[i]
	if s.Values != nil {
		if !slices.Contains(s.Values, value) {
			return fault.New(fault.Invalid, "", "%s is one of %s", key, strings.Join(s.Values, ", "))
		}
		return nil
	}
	least := time.Second
	if key == "probe_gap" || key == "reserve" {
		least = 0
	}
	if d, err := time.ParseDuration(value); err != nil || d < least || d > 30*24*time.Hour {
		return fault.New(fault.Invalid, "", "%s is a duration from %s to 720h, such as %s", key, least, s.Default)
	}
	return nil
}

// Settings returns the configuration for one host ("" for none) and project (0 for none).
func Settings(ctx context.Context, q store.Querier, host string, projectID int64) (Config, error) {
	c := Defaults()
	rows, err := configRows(ctx, q, host, projectID)
	if err != nil {
		return c, err
	}
	for _, r := range rows { // from the widest to the narrowest
		c.set(r[0], r[1])
	}
	return c, nil
}

// SetConfig stores a setting for a project (0: all) and host ("": all); value "" removes it. Switching the probe off
// ends the runs that were asked and have not answered, in the same transaction.
func SetConfig(ctx context.Context, tx *store.Tx, projectID int64, host, key, value string) error {
	if value != "" {
		if err := CheckSetting(key, value); err != nil {
			return err
		}
	} else if err := CheckSetting(key, defaultOf(key)); err != nil {
		return err
	}
	before, err := writeConfig(ctx, tx, projectID, host, key, value)
	if err != nil {
		return err
	}
	err = tx.Append(ctx, store.Entry{
		Entity: "config", EntityID: 0, ProjectID: projectID, Event: "set", From: before, To: value, Actor: "person",
		Detail: map[string]string{"key": key, "host": host},
	})
	if err != nil || key != "probe" {
		return err
	}
	return endProbes(ctx, tx, projectID, host)
}

func defaultOf(key string) string {
	for _, s := range ConfigKeys() {
		if s.Key == key {
			return s.Default
		}
	}
	return ""
}

// endProbes ends pending probes wherever the policy is off now.
func endProbes(ctx context.Context, tx *store.Tx, projectID int64, host string) error {
	pending, err := probing(ctx, tx, projectID, host)
	if err != nil {
		return err
	}
	for _, r := range pending {
		c, err := Settings(ctx, tx, r.Host, r.ProjectID)
		if err != nil {
			return err
		}
		if c.Probe != ProbeOff {
			continue
		}
		r.Deadline = tx.Now // the quiet time is over: nobody will be asked again
		if _, err := transition(ctx, tx, r, Expire, Facts{Now: tx.Now}, ReasonProbeOff, "person"); err != nil {
			return err
		}
	}
	return nil
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
