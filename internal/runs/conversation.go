package runs

import (
	"context"
	"errors"

	"board/internal/process"
	"board/internal/store"
)

// Conversation is a session that is stored as open, or has a run that is stored as live, with all that a view of it
// needs. Runs are as they are now; the stretch is as it is stored.
type Conversation struct {
	Line    Line    // its root line; ID 0 where only subagents were seen
	Stretch Stretch // the newest one; N 0 where none was opened
	Newest  Run     // the newest run of the root line, zero for none
	Live    []Run   // of all its lines, newest first
	Host    process.State
	SeenAt  int64 // the last event of any of its runs
	Config  Config
}

// ProjectID is the home of the newest run, or the one that a live run has.
func (c Conversation) ProjectID() int64 {
	id := c.Newest.ProjectID
	for _, r := range c.Live {
		if id == 0 {
			id = r.ProjectID
		}
	}
	return id
}

// Conversations returns the open sessions, and those that a live run belongs to. A row that cannot be read is left out and
// counted in skipped: the view is a part then, and nothing may be concluded from what is not in it.
func Conversations(ctx context.Context, q store.Querier, now int64) (list []Conversation, skipped int, err error) {
	list, skipped, err = openConversations(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	at := map[Key]int{}
	for i, c := range list {
		at[Key{Host: c.Line.Host, Session: c.Line.Session}] = i
	}
	live, bad, err := allLive(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	over, worse, err := newestEnded(ctx, q, list, live)
	if err != nil {
		return nil, 0, err
	}
	skipped += bad + worse
	for _, r := range over {
		if i, known := at[Key{Host: r.Host, Session: r.Session}]; known { // else its line could not be read
			r.Handle = ""
			list[i].Newest = r
		}
	}
	seen := looks{}
	for _, r := range live {
		if r, err = seen.asOf(ctx, q, r, now); err != nil {
			return nil, 0, err
		}
		r.Handle = ""
		k := Key{Host: r.Host, Session: r.Session}
		i, known := at[k]
		if !known {
			c, err := seen.endedConversation(ctx, q, now, r)
			if errors.Is(err, errFacts) {
				skipped++
				continue
			} else if err != nil {
				return nil, 0, err
			}
			i, at[k] = len(list), len(list)
			list = append(list, c)
		}
		c := &list[i]
		c.SeenAt = max(c.SeenAt, r.LastSeenAt)
		if r.ID == c.Line.LastRun {
			c.Newest = r
		}
		if r.IsLive() {
			c.Live = append(c.Live, r)
		}
	}
	return list, skipped, seen.finish(ctx, q, list)
}

// endedConversation is the one of a live run whose session is not open.
func (k looks) endedConversation(ctx context.Context, q store.Querier, now int64, r Run) (c Conversation, err error) {
	c.Line = Line{Host: r.Host, Session: r.Session}
	root, ok, err := findLine(ctx, q, r.Host, r.Session, "")
	if err != nil || !ok {
		return c, err
	}
	c.Line = root
	if c.Stretch, _, err = newestStretch(ctx, q, root.ID); err != nil {
		return c, err
	}
	if c.SeenAt, err = sessionSeen(ctx, q, root); err != nil {
		return c, err
	}
	last, _, err := runByID(ctx, q, root.LastRun)
	if err == nil {
		c.Newest, err = k.asOf(ctx, q, last, now)
	}
	c.Newest.Handle = ""
	return c, err
}

// hostOf is what is known of the host of a stretch whose newest run has that proof. A second process of the session that
// is gone says nothing of the first one, which may wait for its person.
func (k looks) hostOf(ctx context.Context, q store.Querier, s Stretch, proof string) (process.State, error) {
	if proof == "" {
		return process.Unknown, nil
	}
	state := k.at(proof)
	if state != process.Gone {
		return state, nil
	}
	all, err := stretchProofs(ctx, q, s)
	return k.ofAll(all), err
}

// ofAll is what is known of the processes of a stretch together: gone is it only where all of them are.
func (k looks) ofAll(proofs []string) process.State {
	for _, p := range proofs {
		if p == "" {
			return process.Unknown
		}
		if now := k.at(p); now != process.Gone {
			return now
		}
	}
	return process.Gone
}

// finish adds what is derived from the rest.
func (k looks) finish(ctx context.Context, q store.Querier, list []Conversation) error {
	if err := configure(ctx, q, list); err != nil {
		return err
	}
	var gone []int64 // lines
	for i := range list {
		c := &list[i]
		newest := c.Newest
		if newest.ID == 0 && len(c.Live) > 0 {
			newest = c.Live[0]
		}
		if newest.HostProof != "" {
			if c.Host = k.at(newest.HostProof); c.Host == process.Gone {
				gone = append(gone, c.Line.ID)
			}
		}
		// Subagents that are over renewed the lease of their root.
		c.SeenAt = max(c.SeenAt, c.Newest.LastSeenAt, c.Stretch.OpenedAt, c.Newest.LeaseUntil-c.Config.Lease)
	}
	if len(gone) == 0 {
		return nil
	}
	proofs, err := proofsOf(ctx, q, gone)
	for i := range list {
		if c := &list[i]; c.Host == process.Gone {
			c.Host = k.ofAll(proofs[c.Line.ID])
		}
	}
	return err
}

// configure adds the settings that are in force for each.
func configure(ctx context.Context, q store.Querier, list []Conversation) error {
	any, err := configured(ctx, q)
	if err != nil {
		return err
	}
	type scope struct {
		host    string
		project int64
	}
	known := map[scope]Config{}
	for i := range list {
		c := &list[i]
		c.Config = Defaults()
		if !any {
			continue
		}
		at := scope{c.Line.Host, c.ProjectID()}
		found, ok := known[at]
		if !ok {
			if found, err = Settings(ctx, q, at.host, at.project); err != nil {
				return err
			}
			known[at] = found
		}
		c.Config = found
	}
	return nil
}
