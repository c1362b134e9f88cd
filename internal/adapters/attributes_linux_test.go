package adapters

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"board/internal/runs"
)

func TestExtendedAttributesAreKept(t *testing.T) {
	target := world(t, runs.Gemini, ScopeUser)
	target.Home = t.TempDir() // on a disk: memory may know no attributes
	path := at2(t, target, "settings.json")
	write(t, path, []byte("{}"), 0o600)
	// An access list that lets user 1 read: version, then tag, bits and id of each line.
	acl := []byte{2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2, 0, 4, 0, 1, 0, 0, 0, 4, 0, 0, 0, 255, 255, 255, 255, 16, 0, 4, 0, 255, 255, 255, 255, 32, 0, 0, 0, 255, 255, 255, 255}
	for name, value := range map[string][]byte{"user.note": []byte("mine"), "system.posix_acl_access": acl} {
		if err := syscall.Setxattr(path, name, value, 0); errors.Is(err, syscall.ENOTSUP) {
			t.Skipf("the file system of %s knows no %s", os.TempDir(), name)
		} else if err != nil {
			t.Fatal(err)
		}
	}
	apply(t, must[Plan](t)(PlanInstall(target)))
	for name, want := range map[string]string{"user.note": "mine", "system.posix_acl_access": string(acl)} {
		value := make([]byte, 1024)
		n, err := syscall.Getxattr(path, name, value)
		if err != nil || string(value[:n]) != want {
			t.Errorf("%s became %q (%v)", name, value[:max(n, 0)], err)
		}
	}
}
