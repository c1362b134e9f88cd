package runs

import (
	"context"
	"errors"
	"strconv"

	"board/internal/machine"
	"board/internal/process"
	"board/internal/store"
)

// Orphans are flagged after the first of these times, and count as ended after the second: milliseconds during which a
// session and its runs contradict each other.
const (
	OrphanFlagged = 120_000
	OrphanEnded   = 600_000
)

// The rules by which something is an orphan.
const (
	RunWithoutSession = "run_without_session" // a live run, and its session is not open
	SessionWithoutRun = "session_without_run" // an open session without a live run that cannot go on
)

// Orphan says in what a session and its runs contradict each other, and since when. The zero Orphan is none.
type Orphan struct {
	Rule  string
	Basis string // session_ended, host_gone or silence
	Since int64  // UTC ms
}

// Diverged is how long it has been so, in milliseconds: 0 for none, and for a clock that stepped back.
func (o Orphan) Diverged(now int64) int64 {
	if o.Rule == "" {
		return 0
	}
	return max(0, now-o.Since)
}

// Orphan finds the contradiction in a session, if there is one. Silence alone, however long, is none before the session's
// time to live: people go to lunch, and their next prompt goes on.
func (c Conversation) Orphan(now int64) Orphan {
	open := c.Stretch.Open()
	switch {
	case len(c.Live) > 0 && !open && c.Stretch.N > 0:
		return Orphan{RunWithoutSession, "session_ended", max(c.Stretch.EndedAt, c.SeenAt)}
	case len(c.Live) > 0 || !open:
		return Orphan{}
	case c.Host == process.Gone:
		return Orphan{SessionWithoutRun, string(StretchGone), c.SeenAt}
	case c.SeenAt+c.Config.SessionTTL <= now:
		return Orphan{SessionWithoutRun, string(StretchSilence), c.SeenAt + c.Config.SessionTTL}
	}
	return Orphan{}
}

// maxReaped is how many Reap writes down at once: hooks wait for the store meanwhile, and one transaction holds no endless
// history. What is left is shown as it is, and comes with the next writer.
const maxReaped = 100

// Reap writes down the ends of orphans, each once and by compare-and-set, with a row in the history that says by which rule.
// It does nothing after a partial read: what was not seen may be what lives.
func Reap(ctx context.Context, tx *store.Tx) (reaped int, err error) {
	list, skipped, err := Conversations(ctx, tx, tx.Now)
	if err != nil || skipped > 0 {
		return 0, err
	}
	for _, c := range list {
		o := c.Orphan(tx.Now)
		if o.Diverged(tx.Now) < OrphanEnded || reaped == maxReaped {
			continue
		}
		if o.Rule == RunWithoutSession {
			err = reapRuns(ctx, tx, c, o)
		} else {
			err = reapSession(ctx, tx, c, o)
		}
		if err != nil {
			return reaped, err
		}
		reaped++
	}
	return reaped, nil
}

func (o Orphan) detail(c Conversation, run int64, now int64) map[string]string {
	return map[string]string{
		"session": c.Line.Session, "run": ShortHandle(run), "rule": o.Rule, "basis": o.Basis,
		"diverged_s": strconv.FormatInt(o.Diverged(now)/1000, 10), "threshold_s": strconv.FormatInt(OrphanEnded/1000, 10),
	}
}

func reapRuns(ctx context.Context, tx *store.Tx, c Conversation, o Orphan) error {
	for _, shown := range c.Live {
		r, ok, err := runByID(ctx, tx, shown.ID) // whole: what is shown has no handle
		if err != nil || !ok {
			return err
		}
		before := r
		_, ok, err = step(ctx, &r, Facts{Now: tx.Now, Orphaned: true}, o.Since, ReasonOrphan, Reaped)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := saveRun(ctx, tx, before, &r); err != nil {
			return err
		}
		detail := o.detail(c, r.ID, tx.Now)
		detail["outcome"], detail["reason"] = string(r.Outcome), r.Reason
		tx.AppendLater(store.Entry{
			Entity: "run", EntityID: r.ID, ProjectID: r.ProjectID, Event: string(Reaped), From: string(before.State), To: string(r.State),
			Revision: r.Revision, Actor: "clock", RunID: r.ID, Detail: detail,
		})
	}
	return nil
}

func reapSession(ctx context.Context, tx *store.Tx, c Conversation, o Orphan) error {
	s := c.Stretch
	ev := StretchEvent(o.Basis)
	to, err := StretchMachine().Fire(ctx, s.State, ev, StretchFacts{
		Stretch: s, Now: tx.Now, LastSeen: c.SeenAt, TTL: c.Config.SessionTTL, Gone: c.Host == process.Gone,
	})
	refused, guard := (*machine.RefusedError)(nil), (*machine.GuardError)(nil)
	if errors.As(err, &refused) || errors.As(err, &guard) {
		return nil
	} else if err != nil {
		return err
	}
	s.State, s.EndedAt, s.Basis, s.Reason = to, o.Since, Inferred, o.Basis
	ok, err := s.end(ctx, tx)
	if err != nil || !ok {
		return err
	}
	detail := o.detail(c, c.Newest.ID, tx.Now)
	detail["reason"] = s.Reason
	tx.AppendLater(store.Entry{
		Entity: "session", EntityID: s.LineID, ProjectID: c.ProjectID(), Event: string(ev), From: string(StretchActive), To: string(s.State),
		Revision: s.N, Actor: "clock", RunID: c.Newest.ID, Detail: detail,
	})
	return nil
}
