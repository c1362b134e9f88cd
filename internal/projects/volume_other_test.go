//go:build !linux

package projects_test

import "testing"

// mountFolding has nothing to mount: elsewhere the usual volume ignores case.
func mountFolding(*testing.T) string { return "" }
