package runs

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// fact is a value of a run or a line that only the machine reads: SQL never asks for it. Facts are stored together, as
// one JSON object without zero values, in one column: each column of a table costs every hook more than the reading of
// its value, because the schema is parsed and the columns are named anew in each process. A new fact needs no migration: what a later
// version wrote is kept as it is by one that does not know it.
type fact struct {
	name string
	to   any // *int64, *bool or *string
}

// facts returns what is packed into runs.facts.
func (r *Run) facts() []fact {
	return []fact{
		{"parent_basis", &r.ParentBasis},
		{"agent_type", &r.AgentType},
		{"host_version", &r.HostVersion},
		{"permission_mode", &r.PermissionMode},
		{"attended", &r.Attended},
		{"late_start", &r.LateStart}, // registered by a tool, an edit or a call; its prompt is still missing
		{"saw_stop", &r.SawStop},     // which ends were seen
		{"saw_failure", &r.SawFailure},
		{"saw_interrupt", &r.SawInterrupt},
		{"saw_foreground", &r.SawForeground}, // a Stop other than background ones was seen
		{"probes", &r.Probes},
		{"probe_id", &r.ProbeID},
		{"probe_spent", &r.ProbeSpent}, // the reminder came back as a prompt
		{"alias", &r.Alias},            // under this turn key
		{"answered", &r.Answered},      // its reminder led to a board write
		{"context_sent", &r.ContextSent},
		{"decided", &r.Decided}, // a board decision, and no other tool since
		{"tools", &r.Tools},     // events of tools other than board's own
		{"edits", &r.Edits},     // edit events in registered projects
		{"outside", &r.Outside}, // edited paths outside all projects: counted, never stored
		{"n_stop", &r.NStop},
		{"n_start", &r.NStart},
		{"n_notice", &r.NNotice},
		{"host_proof", &r.HostProof},
		{"execution_host", (*string)(&r.ExecutionHost)},
		{"execution_basis", &r.ExecutionBasis},
		{"worktree", &r.Worktree},
		{"branch", &r.Branch},
		{"head_start", &r.HeadStart},
		{"head_end", &r.HeadEnd},
		{"asks", (*string)(&r.Asks)},
		{"asks_at", &r.AsksAt},
		{"last_kind", (*int64)(&r.LastKind)},
	}
}

// facts returns what is packed into lines.facts.
func (l *Line) facts() []fact {
	return []fact{
		{"last_prompt_at", &l.LastPromptAt},
		{"rules_due", &l.RulesDue},       // the next context carries the rules
		{"told", &l.Told},                // what the last context said of the board, to say only changes
		{"probed_at", &l.ProbedAt},       // the last probe of the line
		{"probe_window", &l.ProbeWindow}, // from a probe to the next user prompt
		{"probe_effect", &l.ProbeEffect}, // the line wrote to the board in that window
		{"news", &l.News},                // something happened since that probe (an edit)
		{"turns", &l.Turns},              // counted turns so far, and the one that goes on
		{"turn", &l.Turn},
		{"rooted", &l.Rooted},   // Cursor: no subagent
		{"local", &l.Local},     // Cursor: on the person's machine
		{"remote", &l.Remote},   // Cursor: in the cloud
		{"lost_of", &l.LostOf},  // the run that was the newest when a Stop was lost last
		{"aliased", &l.Aliased}, // the run whose reminder came back last
		{"awaits", &l.Awaits},   // events of the line wait for their run
	}
}

// pack returns the facts that are not zero as a JSON object, in their order, and then what unpack did not know.
func pack(facts []fact, unknown string) string {
	b := make([]byte, 1, 160)
	b[0] = '{'
	for _, f := range facts {
		start := len(b)
		if start > 1 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), f.name...), '"', ':')
		switch v := f.to.(type) {
		case *int64:
			if *v == 0 {
				b = b[:start]
				continue
			}
			b = strconv.AppendInt(b, *v, 10)
		case *bool:
			if !*v {
				b = b[:start]
				continue
			}
			b = append(b, '1')
		case *string:
			if *v == "" {
				b = b[:start]
				continue
			}
			b = appendString(b, *v)
		}
	}
	if unknown != "" {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(b, unknown...)
	}
	return string(append(b, '}'))
}

// appendString appends a JSON string. Nearly all of ours need no escapes; encoding/json costs a process its first use.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c > 0x7e || c == '"' || c == '\\' {
			q, _ := json.Marshal(s) // of a string: it does not fail
			return append(b, q...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// errFacts comes without the facts: they may hold anything.
var errFacts = errors.New("facts that were not packed by board")

// unpack sets the facts from what pack returned, and returns the members that it does not know as they stand there.
func unpack(packed string, facts []fact) (unknown string, err error) {
	rest, ok := strings.CutPrefix(packed, "{")
	for i := 0; ok && rest != "}"; i++ {
		if i > 0 {
			if rest, ok = strings.CutPrefix(rest, ","); !ok {
				break
			}
		}
		member := rest
		var name, value string
		if name, rest, ok = token(rest); !ok {
			break
		}
		if rest, ok = strings.CutPrefix(rest, ":"); !ok {
			break
		}
		if value, rest, ok = token(rest); !ok {
			break
		}
		var known bool
		if known, ok = set(facts, name, value); !known {
			unknown += "," + member[:len(member)-len(rest)]
		}
	}
	if !ok {
		return "", errFacts
	}
	return strings.TrimPrefix(unknown, ","), nil
}

// token takes a JSON string or number off the front of s, and returns what it stands for.
func token(s string) (value, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, ",}")
		if end < 1 {
			return "", "", false
		}
		return s[:end], s[end:], true
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			value, rest = s[1:i], s[i+1:]
			if strings.Contains(value, `\`) {
				ok = json.Unmarshal([]byte(s[:i+1]), &value) == nil
				return value, rest, ok
			}
			return value, rest, true
		}
	}
	return "", "", false
}

// set sets the fact of a name. valid is false for a value that is none of its kind.
func set(facts []fact, name, value string) (known, valid bool) {
	for _, f := range facts {
		if f.name != name {
			continue
		}
		switch to := f.to.(type) {
		case *int64:
			n, err := strconv.ParseInt(value, 10, 64)
			*to = n
			return true, err == nil
		case *bool:
			*to = value == "1"
			return true, value == "1" || value == "0"
		case *string:
			*to = value
		}
		return true, true
	}
	return false, true
}
