package adapters

import (
	"bytes"
	"errors"
	"strings"
	"syscall"
)

// keepAttributes gives a file the extended attributes of the one that it replaces: among them are access lists, which
// would be lost with it. What the system keeps to itself (security.*) it sets itself.
func keepAttributes(to, from string) error {
	names := make([]byte, 64<<10) // the most that Linux has
	n, err := syscall.Listxattr(from, names)
	if errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	if err != nil {
		return err
	}
	value := make([]byte, 64<<10)
	for name := range bytes.SplitSeq(names[:n], []byte{0}) {
		key := string(name)
		if !strings.HasPrefix(key, "user.") && !strings.HasPrefix(key, "system.posix_acl_") {
			continue
		}
		n, err := syscall.Getxattr(from, key, value)
		if err == nil {
			err = syscall.Setxattr(to, key, value[:n], 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
