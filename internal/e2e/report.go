package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// report prints the table, the figures, what is not possible and what failed; it returns how many cells failed.
func report(columns []host, all results) (failed int) {
	table(columns, all)
	for _, h := range columns {
		for _, s := range scenarios() {
			for _, n := range all.of(h, s.name).notes {
				fmt.Printf("%s, %s: %s\n", h.name(), s.name, n)
			}
		}
		times, when := all.of(h, costly).hooks, "alone"
		if len(times) == 0 {
			when = "beside other scenarios"
			for _, s := range scenarios() {
				times = append(times, all.of(h, s.name).hooks...)
			}
		}
		if slices.Sort(times); len(times) > 0 {
			fmt.Printf("%s: median %d ms, 95%% %d ms from an event to the answer of board, as the host itself sees it (%d hooks, %s)\n",
				h.name(), times[len(times)/2].Milliseconds(), times[len(times)*95/100].Milliseconds(), len(times), when)
		}
	}
	for _, word := range []string{never, fail} {
		for _, h := range columns {
			for _, s := range scenarios() {
				r := all.of(h, s.name)
				if r.word != word {
					continue
				}
				if word == fail {
					failed++
				}
				fmt.Printf("\n%s: %s, %s (%s):\n%s\n", word, h.name(), s.name, s.shows, indent(r.why))
			}
		}
	}
	return failed
}

// table prints the cells, scenarios down and hosts across.
func table(columns []host, all results) {
	fmt.Printf("\n%-14s", "")
	for _, h := range columns {
		fmt.Printf("%-15s", h.name())
	}
	fmt.Println()
	for _, s := range scenarios() {
		line := fmt.Sprintf("%-14s", s.name)
		chosen := false
		for _, h := range columns {
			r := all.of(h, s.name)
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
