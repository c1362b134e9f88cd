package conformance

import (
	"encoding/json"
	"fmt"
	"testing"

	"board/internal/runs"
	"board/internal/store"
)

// TestManyWaitingEventsAreDrainedAndTheNewOneIsNotLost: after a long lock many events wait. Each hook drains
// what its time allows; its own event is stored, or waits with the others, and in the end all are stored in order.
func TestManyWaitingEventsAreDrainedAndTheNewOneIsNotLost(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		const waiting = 1200
		k.prompt("t1")
		spool, at := store.SpoolAt(k.DB), k.look(t).Now()
		for i := range waiting {
			body, err := json.Marshal(runs.Observation{
				Kind: runs.OnTool, Name: "PostToolUse", Key: runs.Key{Host: k.host, Session: k.session, Turn: "t1"}, RawTurn: "t1",
				CallID: fmt.Sprint("call", i), Tool: "Bash", ProjectID: 1, ReceivedAt: at,
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := spool.Put(at, body); err != nil {
				t.Fatal(err)
			}
		}
		k.impatient()
		const own = 8
		for i := range own {
			k.send(t, k.payload("PostToolUse", "t1", more{"tool_name": "Bash", "tool_use_id": fmt.Sprint("own", i)}))
		}
		k.Bin = world.patient // whatever still waits is stored by one that has time
		k.tool("t1", "last")
		if n := number(t, k.look(t), `SELECT count(*) FROM events WHERE kind = ?`, int(runs.OnTool)); n != waiting+own+1 {
			t.Errorf("%d tool events stored, want %d", n, waiting+own+1)
		}
		if left, err := spool.Waiting(waiting); len(left) > 0 || err != nil {
			t.Errorf("%d events still wait (%v)", len(left), err)
		}
		k.want("t1", runs.Running, runs.None)
	})
}
