package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// result is what became of a cell.
type result struct {
	word  string // pass, FAIL, not possible, -
	why   string
	took  time.Duration
	notes []string
	hooks []time.Duration // what the host waited for each hook
}

// The words of the table.
const (
	pass  = "pass"
	fail  = "FAIL"
	never = "not possible"
	none  = "-" // the scenario is about other hosts
)

// job is a cell to run.
type job struct {
	host     host
	scenario string
	cell     cell
}

// results are what became of the cells, by host and scenario.
type results map[[2]string]result

func (r results) of(h host, scenario string) result { return r[[2]string{h.name(), scenario}] }

// matrix runs the chosen cells, and prints the table host × scenario.
func matrix(ctx context.Context, o options, columns []host) error {
	if o.inside {
		if err := loopback(); err != nil {
			return fmt.Errorf("loopback in the network namespace: %w", err)
		}
	}
	start := time.Now()
	all := results{}
	jobs := chosenCells(o, columns, all)
	if len(jobs) == 0 {
		return errors.New("nothing was chosen")
	}
	var mu sync.Mutex
	play := func(j job) {
		if ctx.Err() != nil {
			return // the whole suite was stopped
		}
		r := play(ctx, o, j.host, j.cell)
		if j.cell.never != "" && r.word == pass { // what is possible instead was shown
			r.word, r.why = never, j.cell.never
		}
		mu.Lock()
		defer mu.Unlock()
		all[[2]string{j.host.name(), j.scenario}] = r
		fmt.Printf("%-12s %-12s %s %.1f s\n", j.host.name(), j.scenario, r.word, r.took.Seconds())
	}
	var wg sync.WaitGroup
	todo := make(chan job)
	for range max(1, o.jobs) {
		wg.Go(func() {
			for j := range todo {
				play(j)
			}
		})
	}
	for _, j := range jobs {
		if !j.cell.alone {
			todo <- j
		}
	}
	close(todo)
	wg.Wait()
	for _, j := range jobs {
		if j.cell.alone {
			play(j)
		}
	}
	failed := report(columns, all)
	if ctx.Err() != nil {
		return fmt.Errorf("stopped before the end: %w", context.Cause(ctx))
	}
	fmt.Printf("\n%d cells in %.0f s, %d failed\n", len(jobs), time.Since(start).Seconds(), failed)
	if failed > 0 {
		return fmt.Errorf("%d of %d cells", failed, len(jobs))
	}
	return nil
}

// chosenCells are the cells to run. What needs no run goes into the results.
func chosenCells(o options, columns []host, all results) (jobs []job) {
	for _, s := range scenarios() {
		for _, h := range columns {
			c, ok := h.cells()[s.name]
			at := [2]string{h.name(), s.name}
			switch {
			case !has(s.name, o.run):
			case !ok:
				all[at] = result{word: none}
			case c.run == nil:
				all[at] = result{word: never, why: c.never}
			default:
				jobs = append(jobs, job{h, s.name, c})
			}
		}
	}
	return jobs
}

// cellLimit bounds one cell.
const cellLimit = 4 * time.Minute

// play runs one cell in a world of its own.
func play(ctx context.Context, o options, h host, c cell) result {
	start := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, cellLimit, fmt.Errorf("the scenario took longer than %s", cellLimit))
	defer cancel()
	fresh := newWorld
	if c.bare {
		fresh = bareWorld
	}
	w, err := fresh(ctx, o, h)
	if err != nil {
		return result{word: fail, why: err.Error(), took: time.Since(start)}
	}
	err = c.run(ctx, w)
	if err == nil {
		err = errors.Join(w.expectNoStrays(), w.expectNoComplaints())
	}
	r := result{word: pass, took: time.Since(start), notes: w.notes, hooks: h.hookTimes(w)}
	if err != nil {
		r.word, r.why = fail, err.Error()+"\n"+w.story(context.WithoutCancel(ctx))
	}
	switch {
	case o.keep:
		err = w.end()
		r.why += "\nkept: " + w.Root
	default:
		err = w.close()
	}
	if err != nil && r.word == pass {
		r.word, r.why = fail, "cleaning up: "+err.Error()
	}
	return r
}
