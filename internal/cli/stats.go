package cli

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"board/internal/projects"
	"board/internal/runs"
)

// undefined is the ratio of nothing: neither none nor all.
const undefined = "undefined"

type statsJSON struct {
	Hosts    []hostStatRow    `json:"hosts"`
	Projects []projectStatRow `json:"projects"`
	Probes   []probeStatRow   `json:"probes"`
}

// hostStatRow says how the Stops of one version of a host met their runs.
type hostStatRow struct {
	Host    string `json:"host"`
	Version string `json:"version,omitempty"` // not there where the host does not say it
	Runs    int64  `json:"runs"`
	Matched int64  `json:"matched_stops"`
	Lost    int64  `json:"unmatched_stops"`
	InRow   int64  `json:"unmatched_in_row"`
	Ratio   string `json:"matched_ratio"`
}

// projectStatRow says for how many of the runs in a project it can be proven what they did there.
type projectStatRow struct {
	Project       string       `json:"project"`
	Runs          int64        `json:"runs"`
	Supported     int64        `json:"supported"`
	Unsupported   int64        `json:"unsupported"`
	Indeterminate int64        `json:"indeterminate"`
	Ratio         string       `json:"supported_ratio"`
	Missing       []missingRow `json:"missing"`
}

// missingRow counts the runs that lack the same proof.
type missingRow struct {
	Capability runs.Verdict `json:"capability"`
	Missing    string       `json:"missing"`
	Runs       int64        `json:"runs"`
}

// probeStatRow says what came of the reminders at the end of turns.
type probeStatRow struct {
	Host     string `json:"host"`
	Sent     int64  `json:"sent"`
	Answered int64  `json:"answered"`
	NoEffect int64  `json:"no_effect"`
	Open     int64  `json:"open"`
	Ratio    string `json:"answered_ratio"`
}

func (a *app) statsCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "stats",
		Short: "Count what board knows of agents, and how far it can be trusted",
		Long: `Count what board knows of agents, and how far it can be trusted: the Stops of each version of a host that met their runs,
the runs in each project of which can be proven what they did there, and what came of the reminders at the end of turns
(of the newest 10,000 runs). -P narrows the projects. The ratio of nothing is "undefined".

Through a pipe: "host", host, version, runs, matched_stops, unmatched_stops, unmatched_in_row, matched_ratio;
"project", project, runs, supported, unsupported, indeterminate, supported_ratio, missing (capability:boundary:runs, several
with commas between them); "probes", host, sent, answered, no_effect, open, answered_ratio.`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.read(cmd.Context(), func(ctx context.Context, s *session) error {
				data, err := s.stats(ctx)
				if err != nil {
					return err
				}
				if a.json {
					return a.out.document("stats", data, "")
				}
				a.out.stats(data)
				return nil
			})
		},
	}
}

func (s *session) stats(ctx context.Context) (out statsJSON, err error) {
	out = statsJSON{Hosts: []hostStatRow{}, Projects: []projectStatRow{}, Probes: []probeStatRow{}}
	q := s.db.SQL()
	stops, err := runs.StopCounts(ctx, q)
	if err != nil {
		return out, err
	}
	for _, c := range stops {
		out.Hosts = append(out.Hosts, hostStatRow{c.Host, c.Version, c.Runs, c.Matched, c.Lost, c.InRow, ratio(c.Matched, c.Matched+c.Lost)})
	}
	if out.Projects, err = s.projectStats(ctx); err != nil {
		return out, err
	}
	probes, err := runs.ProbesOf(ctx, q)
	if err != nil {
		return out, err
	}
	for _, host := range slices.Sorted(maps.Keys(probes)) {
		p := probes[host]
		out.Probes = append(out.Probes, probeStatRow{host, p.Sent, p.Answered, p.NoEffect, p.Open, ratio(p.Answered, p.Answered+p.NoEffect)})
	}
	return out, nil
}

// projectStats has a row for every project, also those in which no agent ever was.
func (s *session) projectStats(ctx context.Context) ([]projectStatRow, error) {
	narrowed, err := s.narrowed(ctx)
	if err != nil {
		return nil, err
	}
	all, err := projects.All(ctx, s.db.SQL())
	if err != nil {
		return nil, err
	}
	verdicts, err := runs.VerdictCounts(ctx, s.db.SQL())
	if err != nil {
		return nil, err
	}
	out := []projectStatRow{}
	for _, p := range all {
		if narrowed != 0 && p.ID != narrowed {
			continue
		}
		row := projectStatRow{Project: p.Prefix, Missing: []missingRow{}}
		for _, v := range verdicts {
			if v.ProjectID != p.ID {
				continue
			}
			row.Runs += v.N
			switch v.Verdict {
			case runs.Supported:
				row.Supported += v.N
				continue
			case runs.Unsupported:
				row.Unsupported += v.N
			default:
				row.Indeterminate += v.N
			}
			row.Missing = append(row.Missing, missingRow{v.Verdict, v.Missing, v.N})
		}
		row.Ratio = ratio(row.Supported, row.Runs)
		slices.SortFunc(row.Missing, func(a, b missingRow) int {
			return cmp.Or(cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Missing, b.Missing), cmp.Compare(a.Capability, b.Capability))
		})
		out = append(out, row)
	}
	return out, nil
}

// ratio is n of all with four decimals, cut and not rounded: 1 is said only where nothing is missing.
func ratio(n, all int64) string {
	if all == 0 {
		return undefined
	}
	return strconv.FormatFloat(float64(n*10_000/all)/10_000, 'f', 4, 64)
}

// percent is ratio for people.
func percent(ratio string) string {
	f, err := strconv.ParseFloat(ratio, 64)
	if err != nil {
		return ratio
	}
	s := strconv.FormatFloat(f*100, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".") + "%"
}

func (o *output) stats(data statsJSON) {
	if !o.tty {
		o.statFields(data)
		return
	}
	var cells [][]string
	for _, h := range data.Hosts {
		version := one(h.Version)
		if version == "" {
			version = o.style.dim("not said")
		}
		row := "–"
		if h.InRow > 0 {
			row = o.style.bad(num(int(h.InRow)))
		}
		cells = append(cells, []string{one(h.Host), version, num(int(h.Runs)), num(int(h.Matched)), num(int(h.Lost)), row, percent(h.Ratio)})
	}
	o.titled("Stops that met their run", "No agent has run yet.", []column{
		{title: "HOST"},
		{title: "VERSION", flex: true},
		{title: "RUNS", right: true},
		{title: "MET", right: true},
		{title: "LOST", right: true},
		{title: "IN A ROW", right: true, drop: 1},
		{title: "RATIO", right: true},
	}, cells)
	cells = nil
	for _, p := range data.Projects {
		lacks := ""
		for i, m := range p.Missing {
			if i > 0 {
				lacks += ", "
			}
			lacks += strconv.FormatInt(m.Runs, 10) + " " + strings.ReplaceAll(m.Missing, "_", " ")
		}
		cells = append(cells, []string{
			o.style.bold(p.Project), num(int(p.Runs)), num(int(p.Supported)), num(int(p.Unsupported)), num(int(p.Indeterminate)),
			percent(p.Ratio), o.style.dim(one(lacks)),
		})
	}
	o.line()
	o.titled("Runs whose work can be judged", "There is no project yet.", []column{
		{title: "PROJECT"},
		{title: "RUNS", right: true},
		{title: "YES", right: true},
		{title: "NO", right: true},
		{title: "UNKNOWN", right: true},
		{title: "RATIO", right: true},
		{title: "MISSING", flex: true, drop: 1},
	}, cells)
	cells = nil
	for _, p := range data.Probes {
		cells = append(cells, []string{
			one(p.Host), num(int(p.Sent)), num(int(p.Answered)), num(int(p.NoEffect)), num(int(p.Open)), percent(p.Ratio),
		})
	}
	o.line()
	o.titled("Reminders at the end of a turn", "No agent was reminded yet.", []column{
		{title: "HOST"},
		{title: "SENT", right: true},
		{title: "ANSWERED", right: true},
		{title: "NO EFFECT", right: true},
		{title: "OPEN", right: true, drop: 1},
		{title: "RATIO", right: true},
	}, cells)
}

// titled prints a table under its title, or what to say where it has no rows.
func (o *output) titled(title, empty string, cols []column, cells [][]string) {
	o.line(o.style.bold(fitEnd(title, o.width)))
	if len(cells) == 0 {
		o.line(o.style.dim(fitEnd(empty, o.width)))
		return
	}
	o.table(cols, cells)
}

func (o *output) statFields(data statsJSON) {
	n := func(v int64) string { return strconv.FormatInt(v, 10) }
	for _, h := range data.Hosts {
		o.fields("host", h.Host, h.Version, n(h.Runs), n(h.Matched), n(h.Lost), n(h.InRow), h.Ratio)
	}
	for _, p := range data.Projects {
		lacks := ""
		for i, m := range p.Missing {
			if i > 0 {
				lacks += ","
			}
			lacks += string(m.Capability) + ":" + m.Missing + ":" + n(m.Runs)
		}
		o.fields("project", p.Project, n(p.Runs), n(p.Supported), n(p.Unsupported), n(p.Indeterminate), p.Ratio, lacks)
	}
	for _, p := range data.Probes {
		o.fields("probes", p.Host, n(p.Sent), n(p.Answered), n(p.NoEffect), n(p.Open), p.Ratio)
	}
}
