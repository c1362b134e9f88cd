package runs

import (
	"context"
	"encoding/json"
	"slices"

	"board/internal/store"
)

// Digest is what one stretch of a conversation left behind, from board's own facts alone.
type Digest struct {
	Runs    int           `json:"runs"`
	Outcome Outcome       `json:"outcome,omitempty"` // of its newest root run
	Files   int           `json:"files,omitempty"`   // that were changed in registered projects
	Paths   []string      `json:"paths,omitempty"`   // the first few of them
	Issues  []DigestIssue `json:"issues,omitempty"`  // in the order in which they were met
}

// DigestIssue is an Issue that the runs of a stretch changed, and how.
type DigestIssue struct {
	ID    int64    `json:"id"`
	Moves []string `json:"moves"` // events of its history, each once, in order
}

// digestPaths is how many paths a digest names.
const digestPaths = 5

// DigestOf returns the digest of stretch n of a root line: the stored one, or for a stretch that nobody has summarized yet
// what would be stored now.
func DigestOf(ctx context.Context, q store.Querier, now int64, root Line, n int64) (Digest, error) {
	var d Digest
	text, err := storedDigest(ctx, q, root.ID, n)
	if err != nil {
		return d, err
	}
	if text != "" {
		return d, json.Unmarshal([]byte(text), &d)
	}
	return digest(ctx, q, now, root, n)
}

func digest(ctx context.Context, q store.Querier, now int64, root Line, n int64) (d Digest, err error) {
	rs, err := manyRuns(ctx, q, "WHERE l.host = ? AND l.session_key = ? AND r.stretch = ? ORDER BY r.id", root.Host, root.Session, n)
	if err != nil {
		return d, err
	}
	d.Runs = len(rs)
	for _, r := range rs {
		if r.Kind != Root {
			continue
		}
		if r, err = asOf(ctx, q, r, now); err != nil {
			return d, err
		}
		d.Outcome = r.Outcome
	}
	paths, err := changedPaths(ctx, q, root, n)
	if err != nil {
		return d, err
	}
	d.Files, d.Paths = len(paths), paths[:min(len(paths), digestPaths)]
	moves, err := movesOf(ctx, q, root, n)
	if err != nil {
		return d, err
	}
	for _, m := range moves {
		i := slices.IndexFunc(d.Issues, func(x DigestIssue) bool { return x.ID == m.issue })
		if i < 0 {
			i, d.Issues = len(d.Issues), append(d.Issues, DigestIssue{ID: m.issue})
		}
		if x := &d.Issues[i]; !slices.Contains(x.Moves, m.event) {
			x.Moves = append(x.Moves, m.event)
		}
	}
	return d, nil
}

// Summarize writes the digests of sessions that have ended.
func Summarize(ctx context.Context, tx *store.Tx) error {
	ended, err := endedStretches(ctx, tx)
	if err != nil {
		return err
	}
	for _, s := range ended {
		to, err := StretchMachine().Fire(ctx, s.State, StretchSummarize, StretchFacts{Stretch: s, Now: tx.Now})
		if err != nil {
			return err
		}
		root, err := LineByID(ctx, tx, s.LineID)
		if err != nil {
			return err
		}
		if err := writeDown(ctx, tx, root, s.N); err != nil {
			return err
		}
		d, err := digest(ctx, tx, tx.Now, root, s.N)
		if err != nil {
			return err
		}
		b, err := json.Marshal(d)
		if err != nil {
			return err
		}
		if err := s.summarize(ctx, tx, to, string(b)); err != nil {
			return err
		}
		tx.AppendLater(store.Entry{
			Entity: "session", EntityID: s.LineID, Event: string(StretchSummarize), From: string(s.State), To: string(to), Revision: s.N,
			Actor: "clock",
		})
	}
	return nil
}

// writeDown stores the ends of runs of a stretch that no event reported: what is said of it must not depend on whether
// somebody met them.
func writeDown(ctx context.Context, tx *store.Tx, root Line, n int64) error {
	live, err := sessionLive(ctx, tx, root.Host, root.Session)
	if err != nil {
		return err
	}
	for _, r := range live {
		if r.Stretch != n {
			continue
		}
		if _, err := transition(ctx, tx, r, Expire, Facts{Now: tx.Now}, "", "clock"); err != nil {
			return err
		}
	}
	return nil
}

// Tidy writes down what no event will: the ends of orphans, and digests. The command line and the MCP server call it
// before they write; a hook, for which a host waits, does not. Where there is nothing to do it only reads.
func Tidy(ctx context.Context, db *store.DB) error {
	due := false
	err := db.Read(ctx, func(ctx context.Context, tx *store.Tx) error {
		ended, err := endedStretches(ctx, tx)
		if due = len(ended) > 0; err != nil || due {
			return err
		}
		list, skipped, err := Conversations(ctx, tx, tx.Now)
		for _, c := range list {
			due = due || skipped == 0 && c.Orphan(tx.Now).Diverged(tx.Now) >= OrphanEnded
		}
		return err
	})
	if err != nil || !due {
		return err
	}
	return db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		if _, err := Reap(ctx, tx); err != nil {
			return err
		}
		return Summarize(ctx, tx)
	})
}
