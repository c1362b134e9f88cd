// Command dist builds the programs for every target and packs them into archives with checksums.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func targets() []string {
	return []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}
}

type file struct {
	name string
	mode int64
	data []byte
}

func main() {
	version := flag.String("version", "unknown", "the version to stamp")
	out := flag.String("out", "dist", "the folder to write")
	flag.Parse()
	if err := run(*version, *out); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

func run(version, out string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var sums strings.Builder
	for _, t := range targets() {
		goos, goarch, _ := strings.Cut(t, "/")
		files, err := build(version, goos, goarch)
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		base := fmt.Sprintf("board_%s_%s_%s", strings.TrimPrefix(version, "v"), goos, goarch)
		name, data, err := pack(base, goos, files)
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		if err := os.WriteFile(filepath.Join(out, name), data, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name)
		fmt.Printf("%-40s %6.1f MB\n", name, float64(len(data))/1e6)
	}
	return os.WriteFile(filepath.Join(out, "checksums.txt"), []byte(sums.String()), 0o644)
}

func build(version, goos, goarch string) ([]file, error) {
	tmp, err := os.MkdirTemp("", "board-dist-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	ext := ""
	if goos == "windows" {
		ext = ".exe"
	}
	var files []file
	for _, p := range []string{"board", "board-hook"} {
		bin := filepath.Join(tmp, p+ext)
		cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X main.version="+version, "-o", bin, "./cmd/"+p)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return nil, err
		}
		data, err := os.ReadFile(bin)
		if err != nil {
			return nil, err
		}
		files = append(files, file{p + ext, 0o755, data})
	}
	for _, p := range []string{"README.md", "LICENSE"} {
		data, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		files = append(files, file{p, 0o644, data})
	}
	return files, nil
}

// stamp is the time of every file in an archive: the same sources give the same bytes.
func stamp() time.Time { return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) }

func pack(base, goos string, files []file) (name string, data []byte, err error) {
	if goos == "windows" {
		data, err = packZip(base, files)
		return base + ".zip", data, err
	}
	data, err = packTar(base, files)
	return base + ".tar.gz", data, err
}

func packZip(base string, files []file) ([]byte, error) {
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for _, f := range files {
		w, err := z.CreateHeader(&zip.FileHeader{Name: base + "/" + f.name, Method: zip.Deflate, Modified: stamp()})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return buf.Bytes(), err
}

func packTar(base string, files []file) ([]byte, error) {
	var buf bytes.Buffer
	g := gzip.NewWriter(&buf)
	t := tar.NewWriter(g)
	for _, f := range files {
		h := &tar.Header{Name: base + "/" + f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: stamp(), Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	err := g.Close()
	return buf.Bytes(), err
}
