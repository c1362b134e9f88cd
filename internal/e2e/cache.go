package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// npm is a package at the version that the recordings were made with.
type npm struct{ name, version string }

// installLimit bounds one npm install.
const installLimit = 5 * time.Minute

// programsFor checks that what the suite needs is on this machine, and names all that is missing.
func programsFor(columns []host) error {
	needed := map[string]string{"git": "the scratch repositories", "tmux": "hosts in a terminal"}
	for _, h := range columns {
		if h.name() == "gemini" {
			needed["node"] = "Gemini CLI"
		}
	}
	var missing []error
	if err := nodeIsNew(); err != nil && needed["node"] != "" {
		missing = append(missing, err)
	}
	for program, why := range needed {
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, fmt.Errorf("%s is not installed: it is needed for %s (BOARD_E2E=skip leaves the suite out)", program, why))
		}
	}
	return errors.Join(missing...)
}

// oldestNode is what Gemini CLI runs on.
const oldestNode = 20

// nodeIsNew checks the version of node, if there is one.
func nodeIsNew() error {
	out, err := exec.Command("node", "--version").Output()
	if err != nil {
		return nil // said elsewhere
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(string(out)), "v"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < oldestNode {
		return fmt.Errorf("node %s is too old for Gemini CLI: it wants %d (BOARD_E2E=skip leaves the suite out)", strings.TrimSpace(string(out)), oldestNode)
	}
	return nil
}

// folder is where a host is installed in the cache.
func folder(cache string, h host) string { return filepath.Join(cache, h.name()+"-"+h.pkg().version) }

// install brings what is missing into the cache. Each package is made beside its place and moved there whole, so that two
// runs at once and a run that was stopped leave nothing half done.
func install(ctx context.Context, cache string, columns []host) error {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	for _, h := range columns {
		dir := folder(cache, h)
		if _, err := os.Stat(h.program(dir)); err == nil {
			continue
		}
		if _, err := exec.LookPath("npm"); err != nil {
			return fmt.Errorf("%s is not in %s, and there is no npm to install it with (BOARD_E2E=skip leaves the suite out)", h.name(), cache)
		}
		spec := h.pkg().name + "@" + h.pkg().version
		fmt.Printf("installing %s\n", spec)
		start := time.Now()
		if err := installOne(ctx, cache, dir, spec); err != nil {
			return fmt.Errorf("npm install %s: %w (without a network: BOARD_E2E=skip leaves the suite out)", spec, err)
		}
		if _, err := os.Stat(h.program(dir)); err != nil {
			return fmt.Errorf("npm installed %s without its program: %w", spec, err)
		}
		fmt.Printf("installed %s in %.0f s\n", spec, time.Since(start).Seconds())
	}
	return nil
}

// forgotten is how old a scratch folder or a half installation is that no running suite has any more.
const forgotten = 24 * time.Hour

// tidy removes what killed runs of the suite left in the cache.
func tidy(cache string) error {
	var errs []error
	for _, pattern := range []string{"scratch/*", "installing-*"} {
		left, err := filepath.Glob(filepath.Join(cache, pattern))
		if err != nil {
			return err
		}
		for _, dir := range left {
			if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > forgotten {
				errs = append(errs, os.RemoveAll(dir))
			}
		}
	}
	return errors.Join(errs...)
}

func installOne(ctx context.Context, cache, dir, spec string) error {
	tmp, err := os.MkdirTemp(cache, "installing-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	ctx, cancel := context.WithTimeout(ctx, installLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "install", "--prefix", tmp, spec, "--no-audit", "--no-fund", "--loglevel=error")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	err = os.Rename(tmp, dir)
	if err != nil {
		if _, there := os.Stat(dir); there == nil { // another run was first
			return nil
		}
	}
	return err
}
