//go:build !unix

package adapters

import (
	"io/fs"
	"os"
)

func writable(string) bool { return true }

func links(fs.FileInfo) int { return 1 }

func keepOwner(*os.File, fs.FileInfo) error { return nil }

func alive(int) bool { return true }

func syncDir(string) error { return nil }
