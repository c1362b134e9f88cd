// Command bench measures what a host waits for: the built programs against a Go hello-world, alternating in one run.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"board/internal/lab"
)

// limit is what a hook may cost: its wall time divided by that of a program that does nothing but print.
const limit = 3.0

// viewLimit is what a view of a large board may cost: its wall time divided by that of board version.
const viewLimit = 2.0

func main() {
	bin := flag.String("bin", "bin", "folder of the built programs")
	rounds := flag.Int("rounds", 150, "rounds; every subject runs once per round, in shuffled order")
	out := flag.String("json", "", "also write the figures to this file")
	flag.Parse()
	if err := run(context.Background(), *bin, *rounds, *out); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, bin string, rounds int, out string) (err error) {
	bin, err = installed(bin)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(bin) }()
	w, err := lab.New(ctx, bin)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := w.Close(); err == nil {
			err = cerr
		}
	}()
	b, err := newBench(ctx, w)
	if err != nil {
		return err
	}
	defer func() { _ = b.db.Close() }()
	start := time.Now()
	for n := range rounds + warmUp {
		if err := b.round(ctx, n); err != nil {
			return fmt.Errorf("round %d: %w", n, err)
		}
	}
	report := b.report(rounds)
	fmt.Printf("%d rounds of %d programs in %.0f s; another connection is open on the database; every hook stored its row\n\n",
		rounds, len(b.subjects), time.Since(start).Seconds())
	fmt.Printf("%-28s %9s %9s %9s %9s %15s\n", "", "median", "p10", "p90", "cpu", "÷ hello-world")
	fmt.Printf("%-28s %9s %9s %9s %9s %15s\n", "", "ms", "ms", "ms", "ms", "median (p90)")
	for _, r := range report {
		fmt.Printf("%-28s %9.2f %9.2f %9.2f %9.2f %8.2f (%.2f)  %s\n", r.Name, r.Median, r.P10, r.P90, r.CPU, r.Ratio, r.RatioP90, r.Verdict)
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		if f := strings.Fields(string(load)); len(f) > 0 {
			fmt.Printf("\nload of the machine: %s. Above 1 the waiting for a processor, which is alike for all, flatters the ratios: compare cpu and p10.\n", f[0])
		}
	}
	if out == "" {
		return nil
	}
	data, err := json.MarshalIndent(map[string]any{"rounds": rounds, "limit": limit, "subjects": report}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(data, '\n'), 0o644)
}

// installed copies the programs, as make install does, and returns their folder: what a host runs is a copy. The linker
// writes a file through a mapping, page by page; its pages come into a process one by one too, which costs every program
// a tenth to a sixth of its time, the hello-world less than the larger ones.
func installed(bin string) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "board-bench-"); err != nil {
		return "", err
	}
	for _, name := range []string{"board", "board-hook"} {
		if err := install(filepath.Join(bin, name), filepath.Join(dir, name)); err != nil {
			return "", err
		}
	}
	return dir, nil
}

func install(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o755)
}
