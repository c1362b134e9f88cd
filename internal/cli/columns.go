package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"board/internal/issues"
)

// Sizes of the board on a terminal, in cells.
const (
	narrow       = 70 // below this the lanes are stacked
	leastLane    = 18 // a lane with less shows no title worth reading
	mostLane     = 48 // a line with more is hard to read
	laneGap      = 2
	leastCards   = 3 // of a lane, also on a low terminal
	frame        = 6 // lines around the cards: summary, headings, footer, the next prompt of the shell
	stackedLanes = 8 // cards of a stacked lane where the height is not known
)

// lane is one column of the board.
type lane struct {
	title  string
	states []issues.State
	cards  []issues.Issue
	quiet  bool // finished work: dimmed, and the first to go when there is no room
}

// lanesOf sorts Issues into lanes. A lane of paused or finished Issues appears only when there are any.
func lanesOf(list []issues.Issue) []lane {
	lanes := []lane{
		{title: "Todo", states: []issues.State{issues.Todo}},
		{title: "In progress", states: []issues.State{issues.InProgress}},
		{title: "Paused", states: []issues.State{issues.Paused}},
		{title: "In review", states: []issues.State{issues.InReview}},
		{title: "Done", states: []issues.State{issues.Done}, quiet: true},
	}
	for i := range lanes {
		for _, is := range list {
			if slices.Contains(lanes[i].states, is.State) {
				lanes[i].cards = append(lanes[i].cards, is)
			}
		}
	}
	newestFirst(lanes[4].cards)
	return slices.DeleteFunc(lanes, func(l lane) bool {
		return len(l.cards) == 0 && (l.quiet || l.states[0] == issues.Paused)
	})
}

func newestFirst(list []issues.Issue) {
	slices.SortStableFunc(list, func(a, b issues.Issue) int { return int(min(1, max(-1, b.UpdatedAt-a.UpdatedAt))) })
}

// fitLanes makes lanes fit into the width: first finished work goes, then what is paused joins what is in progress.
func fitLanes(lanes []lane, width int) (fitting []lane, laneWidth int) {
	fits := func() bool {
		laneWidth = (width - laneGap*(len(lanes)-1)) / len(lanes)
		return laneWidth >= leastLane
	}
	lanes = slices.Clone(lanes)
	if !fits() {
		lanes = slices.DeleteFunc(lanes, func(l lane) bool { return l.quiet })
	}
	if !fits() {
		if i := slices.IndexFunc(lanes, func(l lane) bool { return l.states[0] == issues.Paused }); i > 0 {
			lanes[i-1].title = "Begun"
			lanes[i-1].cards = slices.Concat(lanes[i-1].cards, lanes[i].cards)
			lanes = slices.Delete(lanes, i, i+1)
			fits()
		}
	}
	return lanes, min(laneWidth, mostLane)
}

// columns draws the lanes beside each other, or one below the other on a narrow terminal. all shows every card.
func (o *output) columns(lanes []lane, all bool) {
	if o.width < narrow {
		o.stack(lanes, all)
		return
	}
	lanes, w := fitLanes(lanes, o.width)
	drawn := make([][]string, len(lanes))
	height := 0
	for i, l := range lanes {
		drawn[i] = []string{o.laneTitle(l, w), o.style.dim(strings.Repeat("─", w))}
		drawn[i] = append(drawn[i], o.cards(l, w, o.room(all, o.height-frame), false)...)
		height = max(height, len(drawn[i]))
	}
	for y := range height {
		var b strings.Builder
		for i := range drawn {
			cell := ""
			if y < len(drawn[i]) {
				cell = drawn[i][y]
			}
			b.WriteString(fit(cell, w, false))
			if i < len(drawn)-1 {
				b.WriteString(strings.Repeat(" ", laneGap))
				b.WriteString(o.align(cell, (i+1)*(w+laneGap)))
			}
		}
		o.line(b.String())
	}
}

// align moves the cursor to a cell, after text whose width terminals disagree about: joined emoji, for one, are as wide
// as their parts where a terminal does not join them. A line of that kind must not shift the rest.
func (o *output) align(text string, cell int) string {
	if !o.style.on || ansi.StringWidth(text) == ansi.StringWidthWc(text) {
		return ""
	}
	return ansi.CursorHorizontalAbsolute(cell + 1)
}

func (o *output) stack(lanes []lane, all bool) {
	rows := stackedLanes * 4
	if o.height > 0 {
		rows = (o.height - frame) / max(1, len(lanes))
	}
	for i, l := range lanes {
		if i > 0 {
			o.line()
		}
		o.line(o.laneTitle(l, o.width))
		o.line(o.style.dim(strings.Repeat("─", o.width)))
		for _, s := range o.cards(l, o.width, o.room(all, rows), true) {
			o.line(s)
		}
	}
}

// room is how many lines of cards a lane may have, 0 for any number.
func (o *output) room(all bool, lines int) int {
	if all || o.height == 0 && o.width >= narrow {
		return 0
	}
	return max(lines, 1)
}

func (o *output) laneTitle(l lane, w int) string {
	title := fmt.Sprintf("%s %d", l.title, len(l.cards))
	if l.quiet {
		return o.style.dim(ansi.Truncate(title, w, "…"))
	}
	return o.style.bold(ansi.Truncate(title, w, "…"))
}

// cards draws as many cards as there is room for, at least a few, and says how many are left out.
func (o *output) cards(l lane, w, room int, stacked bool) []string {
	var out []string
	for i, is := range l.cards {
		c := o.card(is, w, stacked)
		if l.quiet {
			c = []string{o.style.dim(ansi.Truncate(is.Key+" "+one(is.Title), w, "…"))}
		}
		if left := len(l.cards) - i; room > 0 && i >= leastCards && len(out)+len(c)+1 > room {
			return append(out, o.style.dim(fit(fmt.Sprintf("+ %d more", left), w, false)))
		}
		if i > 0 && !l.quiet && !stacked {
			out = append(out, "")
		}
		out = append(out, c...)
	}
	if len(l.cards) == 0 {
		out = append(out, o.style.dim("–"))
	}
	return out
}

// card draws one Issue in w cells: key and priority, the title, then what a person must do or know, then who holds it.
// In a lane beside others the title has lines of its own; in a stacked one it goes on behind the key.
func (o *output) card(i issues.Issue, w int, stacked bool) []string {
	st := o.style
	head := st.bold(i.Key) + " " + st.paintPriority(i.Priority)
	indent := ""
	var out []string
	if stacked {
		indent = "  "
		title := wrapTitle(head+" "+one(i.Title), w-len(indent), 2)
		out = append(out, title[0])
		for _, l := range title[1:] {
			out = append(out, indent+l)
		}
	} else {
		lines := 2
		if w < leastLane+6 {
			lines = 3
		}
		out = append(append(out, ansi.Truncate(head, w, "…")), wrapTitle(one(i.Title), w, lines)...)
	}
	// add takes the longest wording that fits.
	add := func(paint func(string) string, wordings ...string) {
		for n, s := range wordings {
			if s = indent + s; ansi.StringWidth(s) <= w || n == len(wordings)-1 {
				out = append(out, paint(ansi.Truncate(s, w, "…")))
				return
			}
		}
	}
	if what := waits(i); what != "" {
		age := o.ago(i.UpdatedAt)
		add(st.person, "! "+what+" "+age, "! "+waitsBrief(i)+" "+age)
	}
	if i.Claim.State != issues.Unclaimed {
		paint := plain
		if i.Claim.State != issues.Active {
			paint = st.dim
		}
		add(paint, "@ "+o.holder(i.Claim), "@ "+o.holder(issues.Claim{State: i.Claim.State, Run: i.Claim.Run, Since: i.Claim.Since}))
	}
	for _, r := range remarks(i) {
		paint := st.dim
		if i.Blocked || i.Abandoned || i.SentBack {
			paint = st.bad
		}
		add(paint, "* "+one(r))
	}
	return out
}

// wrapTitle breaks a title into at most n lines of w cells, and marks what is cut.
func wrapTitle(title string, w, n int) []string {
	lines := strings.Split(ansi.Wrap(title, w, ""), "\n")
	if len(lines) > n {
		rest := strings.Join(lines[n-1:], " ")
		lines = append(lines[:n-1], ansi.Truncate(rest, w-1, "")+"…")
	}
	for i, l := range lines {
		lines[i] = strings.TrimSpace(l)
	}
	return lines
}
