package agents

import (
	"cmp"
	"slices"
	"strings"

	"board/internal/runs"
)

// Contest is a file that live runs of different sessions changed.
type Contest struct {
	ProjectID int64
	Path      string  // relative to the work tree
	Runs      []int64 // of the other sessions, oldest first
}

// contest is one project in which the same sessions changed the same files.
type contest struct {
	projectID int64
	sessions  []session
	paths     []string
	runs      []int64
	since     int64 // when the second of them came to the first of the files, in UTC ms
}

// contest finds the files that live runs of different sessions changed, and tells every agent of its own.
func (w *world) contest(edits []editRow) {
	edits = slices.DeleteFunc(edits, func(e editRow) bool {
		r, known := w.runs[e.Run]
		return !known || !r.IsLive()
	})
	at := map[string]int{}
	for len(edits) > 0 {
		n := slices.IndexFunc(edits, func(e editRow) bool { return e.ProjectID != edits[0].ProjectID || e.Path != edits[0].Path })
		if n < 0 {
			n = len(edits)
		}
		c := w.oneFile(edits[:n])
		edits = edits[n:]
		if len(c.sessions) < 2 {
			continue
		}
		w.tell(c)
		name := c.name()
		i, known := at[name]
		if !known {
			at[name] = len(w.contests)
			w.contests = append(w.contests, c)
			continue
		}
		all := &w.contests[i]
		all.paths, all.since = append(all.paths, c.paths...), min(all.since, c.since)
		all.runs = slices.Compact(slices.Sorted(slices.Values(append(all.runs, c.runs...))))
	}
}

// oneFile gathers who changed one file.
func (w *world) oneFile(edits []editRow) contest {
	c := contest{projectID: edits[0].ProjectID, paths: []string{edits[0].Path}}
	first := map[session]int64{}
	for _, e := range edits {
		of := sessionOf(w.runs[e.Run])
		if at, known := first[of]; !known || e.FirstAt < at {
			first[of] = e.FirstAt
		}
		if !slices.Contains(c.sessions, of) {
			c.sessions = append(c.sessions, of)
		}
		c.runs = append(c.runs, e.Run)
	}
	var times []int64
	for _, at := range first {
		times = append(times, at)
	}
	if slices.Sort(times); len(times) > 1 {
		c.since = times[1]
	}
	slices.SortFunc(c.sessions, func(a, b session) int { return cmp.Or(strings.Compare(a.host, b.host), strings.Compare(a.key, b.key)) })
	return c
}

// tell puts a contested file to each of the agents that changed it.
func (w *world) tell(c contest) {
	for _, a := range w.agents {
		if !slices.Contains(c.sessions, a.of) {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(c.runs), func(id int64) bool { return sessionOf(w.runs[id]) == a.of })
		a.contested = append(a.contested, Contest{ProjectID: c.projectID, Path: c.paths[0], Runs: others})
	}
}

// name is the same for the same sessions in the same project.
func (c contest) name() string {
	var b strings.Builder
	b.WriteString(runs.ShortHandle(c.projectID))
	for _, s := range c.sessions {
		b.WriteString("\x00" + s.host + "\x00" + s.key)
	}
	return b.String()
}

func sessionOf(r *runs.Run) session { return session{r.Host, r.Session} }
