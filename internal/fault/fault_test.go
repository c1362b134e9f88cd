package fault

import (
	"errors"
	"testing"
)

func TestExit(t *testing.T) {
	for want, codes := range map[int][]Code{
		ExitError:     {Internal, StoreNewer, StoreReadonly, StoreBroken, IdentityMismatch, Interrupted},
		ExitUsage:     {Usage, Invalid, Limit},
		ExitNoProject: {NoProject},
		ExitNotFound:  {NotFound, RunUnknown},
		ExitConflict: {
			Conflict, IssueStale, RunStale, ReviewNeeded, WrongState, HeldByOther, HoldsOther, Reserved, ByPerson, FenceLost,
			NotHolder, Blocked, WrongProject, NotYourRun, RunEnded,
		},
		ExitRefused: {PersonOnly, RootOnly, CriteriaUnjudged, CriteriaUnmet, NotEstablished},
		ExitNothing: {NothingReady, NothingToDo},
		ExitBusy:    {StoreBusy},
	} {
		for _, c := range codes {
			if got := Exit(New(c, "", "no")); got != want {
				t.Errorf("%s exits %d, want %d", c, got, want)
			}
		}
	}
	if Exit(nil) != ExitOK || Exit(errors.New("no fault")) != ExitError {
		t.Error("no error, and one that is no fault")
	}
}
