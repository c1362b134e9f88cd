package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// result is what became of a cell.
type result struct {
	word  string // pass, FAIL, not possible, -
	why   string
	took  time.Duration
	notes []string
	hooks []time.Duration // what the host waited for each hook
}

// matrix runs the chosen cells, and prints the table host × scenario.
func matrix(ctx context.Context, o options, columns []host) error {
	if o.inside {
		if err := loopback(); err != nil {
			return fmt.Errorf("loopback in the network namespace: %w", err)
		}
	}
	start := time.Now()
	type job struct {
		host     host
		scenario string
		cell     cell
	}
	var jobs []job
	results := map[string]result{}
	at := func(h host, scenario string) string { return h.name() + "\x00" + scenario }
	for _, s := range scenarios() {
		for _, h := range columns {
			c, ok := h.cells()[s.name]
			switch {
			case !has(s.name, o.run):
			case !ok:
				results[at(h, s.name)] = result{word: "-"}
			case c.run == nil:
				results[at(h, s.name)] = result{word: "not possible", why: c.never}
			default:
				jobs = append(jobs, job{h, s.name, c})
			}
		}
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	done := func(j job, r result) {
		mu.Lock()
		defer mu.Unlock()
		results[at(j.host, j.scenario)] = r
		fmt.Printf("%-12s %-12s %s %.1f s\n", j.host.name(), j.scenario, r.word, r.took.Seconds())
	}
	todo := make(chan job)
	for range max(1, o.jobs) {
		wg.Go(func() {
			for j := range todo {
				r := play(ctx, o, j.host, j.cell)
				if j.cell.never != "" && r.word == "pass" { // what is possible instead was shown
					r.word, r.why = "not possible", j.cell.never
				}
				mu.Lock()
				results[at(j.host, j.scenario)] = r
				fmt.Printf("%-12s %-12s %s %.1f s\n", j.host.name(), j.scenario, r.word, r.took.Seconds())
				mu.Unlock()
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
			done(j, play(ctx, o, j.host, j.cell))
		}
	}

	table(columns, func(h host, s string) result { return results[at(h, s)] })
	failed := 0
	for _, h := range columns {
		for _, s := range scenarios() {
			r := results[at(h, s.name)]
			for _, n := range r.notes {
				fmt.Printf("%s, %s: %s\n", h.name(), s.name, n)
			}
		}
		if times := results[at(h, "cost")].hooks; len(times) > 0 {
			slices.Sort(times)
			fmt.Printf("%s: median %d ms, 95%% %d ms from an event to the answer of board, as the host itself says (%d hooks)\n",
				h.name(), times[len(times)/2].Milliseconds(), times[len(times)*95/100].Milliseconds(), len(times))
		}
	}
	for _, h := range columns {
		for _, s := range scenarios() {
			switch r := results[at(h, s.name)]; r.word {
			case "FAIL":
				failed++
				fmt.Printf("\nFAIL %s, %s (%s):\n%s\n", h.name(), s.name, s.shows, indent(r.why))
			case "not possible":
				fmt.Printf("\nnot possible: %s, %s: %s\n", h.name(), s.name, r.why)
			}
		}
	}
	fmt.Printf("\n%d cells in %.0f s, %d failed\n", len(jobs), time.Since(start).Seconds(), failed)
	if failed > 0 {
		return fmt.Errorf("%d of %d cells", failed, len(jobs))
	}
	if len(jobs) == 0 {
		return errors.New("nothing was chosen")
	}
	return nil
}

// cellLimit bounds one cell.
const cellLimit = 4 * time.Minute

// play runs one cell in a world of its own.
func play(ctx context.Context, o options, h host, c cell) result {
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, cellLimit)
	defer cancel()
	fresh := newWorld
	if c.bare {
		fresh = bareWorld
	}
	w, err := fresh(ctx, o, h)
	if err != nil {
		return result{word: "FAIL", why: err.Error(), took: time.Since(start)}
	}
	err = c.run(ctx, w)
	if err == nil {
		err = errors.Join(w.expectNoStrays(), w.expectNoComplaints())
	}
	r := result{word: "pass", took: time.Since(start), notes: w.notes, hooks: h.hookTimes(w)}
	if err != nil {
		r.word, r.why = "FAIL", err.Error()+"\n"+w.story(context.WithoutCancel(ctx))
	}
	switch {
	case o.keep:
		err = w.end()
		r.why += "\nkept: " + w.Root
	default:
		err = w.close()
	}
	if err != nil && r.word == "pass" {
		r.word, r.why = "FAIL", "cleaning up: "+err.Error()
	}
	return r
}

// table prints the cells, scenarios down and hosts across.
func table(columns []host, cell func(host, string) result) {
	fmt.Printf("\n%-14s", "")
	for _, h := range columns {
		fmt.Printf("%-15s", h.name())
	}
	fmt.Println()
	for _, s := range scenarios() {
		line := fmt.Sprintf("%-14s", s.name)
		chosen := false
		for _, h := range columns {
			r := cell(h, s.name)
			text := r.word
			if r.took > 0 {
				text += fmt.Sprintf(" %.1f s", r.took.Seconds())
			}
			chosen = chosen || r.word != ""
			line += text + strings.Repeat(" ", max(1, 15-utf8.RuneCountInString(text)))
		}
		if chosen {
			fmt.Println(strings.TrimRight(line, " "))
		}
	}
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}
