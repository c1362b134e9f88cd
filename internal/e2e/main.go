// Command e2e runs the real hosts, offline against a scripted model, with board installed by its own installer, and checks what board made of it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// limit bounds a whole run, with the programs in the cache.
const limit = 20 * time.Minute

// options are the flags.
type options struct {
	host, run string // substrings; "" is all
	bin       string
	cache     string
	jobs      int
	keep      bool
	inside    bool // in the network namespace already
}

func main() {
	var o options
	flag.StringVar(&o.host, "host", "", "only the hosts whose name has `TEXT` (comma-separated)")
	flag.StringVar(&o.run, "run", "", "only the scenarios whose name has `TEXT` (comma-separated)")
	flag.StringVar(&o.bin, "bin", "bin", "`FOLDER` of the built programs")
	flag.StringVar(&o.cache, "cache", "", "`FOLDER` of the installed hosts ($BOARD_E2E_CACHE, else board-e2e in the user's cache)")
	flag.IntVar(&o.jobs, "jobs", 3, "run `N` scenarios at once")
	flag.BoolVar(&o.keep, "keep", false, "keep the scratch folders")
	flag.BoolVar(&o.inside, "inside", false, "do not make a network namespace")
	flag.Parse()
	if os.Getenv("BOARD_E2E") == "skip" {
		fmt.Println("e2e: SKIPPED, because BOARD_E2E=skip: nothing was shown on the real hosts")
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, limit)
	err := run(ctx, o)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "\ne2e: FAILED:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if o.cache == "" {
		o.cache = os.Getenv("BOARD_E2E_CACHE")
	}
	if o.cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("no cache folder: %w; set BOARD_E2E_CACHE", err)
		}
		o.cache = filepath.Join(dir, "board-e2e")
	}
	var err error
	if o.cache, err = filepath.Abs(o.cache); err != nil {
		return err
	}
	if o.bin, err = filepath.Abs(o.bin); err != nil {
		return err
	}
	columns := chosenHosts(o.host)
	if len(columns) == 0 {
		return fmt.Errorf("no host has %q in its name", o.host)
	}
	if err := programsFor(columns); err != nil {
		return err
	}
	if !o.inside {
		if err := tidy(o.cache); err != nil {
			return err
		}
		if err := install(ctx, o.cache, columns); err != nil {
			return err
		}
		ran, err := isolated(ctx, o)
		if ran || err != nil {
			return err
		}
		fmt.Println("no network namespace here: hosts are kept offline by their own switches alone")
	} else {
		fmt.Println("network: a namespace of its own with nothing but loopback; whatever a host asked outside would fail")
	}
	return matrix(ctx, o, columns)
}

func chosenHosts(text string) (out []host) {
	for _, h := range hosts() {
		if has(h.name(), text) {
			out = append(out, h)
		}
	}
	return out
}

// has says whether a name has one of the comma-separated texts in it. An empty text is in every name.
func has(name, texts string) bool {
	for text := range strings.SplitSeq(texts, ",") {
		if strings.Contains(name, strings.TrimSpace(text)) {
			return true
		}
	}
	return false
}
