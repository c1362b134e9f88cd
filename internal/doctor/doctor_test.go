package doctor

import (
	"testing"
	"time"

	"board/internal/adapters"
	"board/internal/hooks"
	"board/internal/runs"
)

// TestHooksAreSilentWhereOnlyTheWitnessWasSeen: notify fires after good turns; its hooks fire in the same turn, or never.
func TestHooksAreSilentWhereOnlyTheWitnessWasSeen(t *testing.T) {
	const minute = int64(60_000)
	now := time.Now().UnixMilli()
	for name, c := range map[string]struct {
		hook, notify int64
		want         bool
	}{
		"nothing was seen":                          {0, 0, false},
		"hooks alone":                               {now, 0, false},
		"notify alone":                              {0, now, true},
		"both in one turn":                          {now, now, false},
		"a hook nine minutes before notify":         {now - 9*minute, now, false},
		"a hook eleven minutes before notify":       {now - 11*minute, now, true},
		"a hook after notify: trusted in the end":   {now, now - 60*minute, false},
		"a hook of long ago, and notify since then": {now - 1000*minute, now, true},
	} {
		seen := []Seen{{"Stop", true, 1, c.hook}, {"SessionStart", true, 0, 0}, {runs.Witness, false, 1, c.notify}}
		if got := silent(seen); got != c.want {
			t.Errorf("%s: silent is %v", name, got)
		}
	}
}

func TestWhatIsWrittenDecidesTheStage(t *testing.T) {
	full := func() adapters.Found {
		f := adapters.Found{
			Server: adapters.ItemState{State: adapters.Present}, Permission: adapters.ItemState{State: adapters.NotNeeded},
			Plugin: adapters.PluginState{State: adapters.NotNeeded},
		}
		for _, e := range hooks.ContractOf(runs.Codex) {
			f.Events = append(f.Events, adapters.EventState{Event: e, State: adapters.Present})
		}
		return f
	}
	for name, c := range map[string]struct {
		change func(*adapters.Found)
		want   Stage
	}{
		"all of it":               {func(*adapters.Found) {}, Unproven},
		"an event is missing":     {func(f *adapters.Found) { f.Events[0].State = adapters.Missing }, Incomplete},
		"an event is older":       {func(f *adapters.Found) { f.Events[0].State = adapters.Older }, Incomplete},
		"the server is missing":   {func(f *adapters.Found) { f.Server.State = adapters.Missing }, Incomplete},
		"something is left over":  {func(f *adapters.Found) { f.Strays = []string{"x"} }, Incomplete},
		"a file is not read":      {func(f *adapters.Found) { f.Server.State = adapters.Unread }, Unreadable},
		"the permission is gone":  {func(f *adapters.Found) { f.Permission.State = adapters.Missing }, Incomplete},
		"an event of no need":     {func(f *adapters.Found) { f.Events[0].State = adapters.NotNeeded }, Unproven},
		"a server of others only": {func(f *adapters.Found) { *f = adapters.Found{Server: adapters.ItemState{State: adapters.Foreign}} }, NotInstalled},
		"nothing": {func(f *adapters.Found) {
			f.Server.State = adapters.Missing
			for i := range f.Events {
				f.Events[i].State = adapters.Missing
			}
		}, NotInstalled},
	} {
		f := full()
		c.change(&f)
		if got := Written(f); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestACommandThatNamesItsOwnStoreIsRecognised(t *testing.T) {
	for command, want := range map[string]bool{
		"/opt/board-hook --host codex": false, "BOARD_DB=/x board-hook --host codex": true, "env HOME=/x board-hook --host codex": true,
		"XDG_DATA_HOME=/x; board-hook --host codex": true,
	} {
		if got := namesStore(command); got != want {
			t.Errorf("%s: %v", command, got)
		}
	}
}

// TestTheEnvironmentOfATryIsThatOfTheHost: what speaks of another host, or of the person's store, must not reach it.
func TestTheEnvironmentOfATryIsThatOfTheHost(t *testing.T) {
	w := World{Environ: []string{"PATH=/bin", "CLAUDECODE=1", "CODEX_HOME=/c", "BOARD_DB=/mine", "XDG_DATA_HOME=/mine", "FOO=1"}}
	got := map[string]bool{}
	for _, kv := range (bench{dir: "/b", project: "/b/project", path: "/b/board.db"}).env(w, runs.Codex) {
		got[kv] = true
	}
	for _, want := range []string{"PATH=/bin", "FOO=1", "BOARD_DB=/b/board.db"} {
		if !got[want] {
			t.Errorf("%s is missing: %v", want, got)
		}
	}
	for _, not := range []string{"CLAUDECODE=1", "CODEX_HOME=/c", "BOARD_DB=/mine", "XDG_DATA_HOME=/mine"} {
		if got[not] {
			t.Errorf("%s is passed on", not)
		}
	}
}
