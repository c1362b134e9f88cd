// Command demo replays recorded sessions through the built programs, with an agent and a person at the board, and checks every step.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"board/internal/lab"
)

func main() {
	bin := flag.String("bin", "bin", "folder of the built programs")
	recordings := flag.String("recordings", "internal/hooks/testdata", "folder of the recorded sessions")
	keep := flag.Bool("keep", false, "keep the temporary folder")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	err := run(ctx, *bin, *recordings, *keep)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "\ndemo: FAILED:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, bin, recordings string, keep bool) (err error) {
	start := time.Now()
	w, err := lab.New(ctx, bin)
	if err != nil {
		return err
	}
	defer func() {
		if keep {
			fmt.Println("kept:", w.Root)
			return
		}
		if cerr := w.Close(); err == nil {
			err = cerr
		}
	}()
	s := &stage{world: w, recordings: recordings}
	for _, act := range []func(context.Context, *stage) error{prepare, claudeRun, codexRun, subagentRun, decisions} {
		if err := act(ctx, s); err != nil {
			return err
		}
	}
	fmt.Printf("\n%d steps, all as said, in %.1f s. Everything happened in a folder that is gone now.\n", s.n, time.Since(start).Seconds())
	return nil
}
