package cli

import (
	"context"

	"github.com/spf13/cobra"

	"board/internal/runs"
	"board/internal/store"
	"board/internal/text"
)

type scope struct {
	host   string
	global bool
}

func (a *app) configCmd() *cobra.Command {
	var sc scope
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show or change settings",
		Long: `Show or change settings. A setting is stored for the project around the current directory, or with --global for all; with
--host for one host only. The narrowest wins, the project before the host.`,
		Example: "  board config list\n  board config set probe due --host codex\n  board config set lease 90m --global\n  board config unset lease --global",
		Args:    exactly(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.configList(cmd.Context(), sc) },
	}
	f := cmd.PersistentFlags()
	f.StringVar(&sc.host, "host", "", "for this `HOST` only")
	f.BoolVar(&sc.global, "global", false, "for all projects")
	must(cmd.RegisterFlagCompletionFunc("host", cobra.FixedCompletions(configHosts(), cobra.ShellCompDirectiveNoFileComp)))

	set := &cobra.Command{Use: "set KEY VALUE", Short: "Change a setting", Args: exactly("KEY", "VALUE"), ValidArgsFunction: settingKeys}
	set.RunE = func(cmd *cobra.Command, args []string) error { return a.configSet(cmd.Context(), sc, args[0], args[1]) }
	unset := &cobra.Command{Use: "unset KEY", Short: "Take a setting back", Args: exactly("KEY"), ValidArgsFunction: settingKeys}
	unset.RunE = func(cmd *cobra.Command, args []string) error { return a.configSet(cmd.Context(), sc, args[0], "") }
	get := &cobra.Command{Use: "get KEY", Short: "Print the value that holds here", Args: exactly("KEY"), ValidArgsFunction: settingKeys}
	get.RunE = func(cmd *cobra.Command, args []string) error { return a.configGet(cmd.Context(), sc, args[0]) }
	list := &cobra.Command{
		Use: "list", Short: "Show every setting with the value that holds here, and what it means", Args: exactly(),
		Long: "Show every setting with the value that holds here.\n\nThrough a pipe: key, value, where it is set, default, meaning.",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.configList(cmd.Context(), sc) },
	}
	for _, c := range []*cobra.Command{list, get, set, unset} {
		c.DisableFlagsInUseLine = true
		cmd.AddCommand(c)
	}
	return cmd
}

func settingKeys(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, s := range runs.ConfigKeys() {
		out = append(out, s.Key+"\t"+s.Meaning)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// settingJSON is a setting with the value that holds.
type settingJSON struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Set     string `json:"set,omitempty"` // where the value comes from: global, project, and the host; absent for the default
	Default string `json:"default"`
	Meaning string `json:"meaning"`
}

// settings returns every setting as it holds for a host in the project, or for all projects.
func (s *session) settings(ctx context.Context, sc scope) ([]settingJSON, error) {
	if err := knownHost(sc.host); err != nil {
		return nil, err
	}
	var project int64
	if !sc.global {
		p, err := s.anyProject(ctx)
		if err != nil {
			return nil, err
		}
		project = p.ID
	}
	stored, err := storedSettings(ctx, s.db.SQL(), project, sc.host)
	if err != nil {
		return nil, err
	}
	var out []settingJSON
	for _, k := range runs.ConfigKeys() {
		row := settingJSON{Key: k.Key, Value: k.Default, Default: k.Default, Meaning: k.Meaning}
		for _, st := range stored { // from the widest to the narrowest
			if st.key == k.Key {
				row.Value, row.Set = st.value, st.where()
			}
		}
		out = append(out, row)
	}
	return out, nil
}

func (a *app) configList(ctx context.Context, sc scope) error {
	return a.read(ctx, func(ctx context.Context, s *session) error {
		list, err := s.settings(ctx, sc)
		if err != nil {
			return err
		}
		if a.json {
			return a.out.document("config", list, "")
		}
		var cells [][]string
		for _, c := range list {
			if !a.out.tty {
				a.out.fields(c.Key, c.Value, c.Set, c.Default, c.Meaning)
				continue
			}
			value := a.out.style.dim(one(c.Value))
			if c.Set != "" {
				value = a.out.style.bold(one(c.Value))
			}
			cells = append(cells, []string{c.Key, value, c.Set, c.Meaning})
		}
		if a.out.tty {
			a.out.table([]column{{title: "SETTING"}, {title: "VALUE"}, {title: "SET", drop: 1}, {title: "MEANING", flex: true, drop: 2}}, cells)
		}
		return nil
	})
}

func (a *app) configGet(ctx context.Context, sc scope, key string) error {
	return a.read(ctx, func(ctx context.Context, s *session) error {
		list, err := s.settings(ctx, sc)
		if err != nil {
			return err
		}
		for _, c := range list {
			if c.Key == key {
				if a.json {
					return a.out.document("setting", c, "")
				}
				a.out.line(one(c.Value))
				return nil
			}
		}
		return usage("board config list shows the keys", "there is no setting %q", text.Line(key, 40))
	})
}

func (a *app) configSet(ctx context.Context, sc scope, key, value string) error {
	if err := knownHost(sc.host); err != nil {
		return err
	}
	g := gate{verb: "config", word: text.Line(key, 40)}
	return a.write(ctx, g, func(ctx context.Context, s *session) error {
		var project int64
		if !sc.global {
			p, err := s.project(ctx)
			if err != nil {
				return err
			}
			project = p.ID
		}
		err := s.db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
			return runs.SetConfig(ctx, tx, project, sc.host, key, text.Clean(value))
		})
		if err != nil {
			return err
		}
		list, err := s.settings(ctx, sc)
		if err != nil {
			return err
		}
		for _, c := range list {
			switch {
			case c.Key != key:
			case a.json:
				return a.out.document("setting", c, "")
			default:
				a.out.fields(c.Key, c.Value)
			}
		}
		return nil
	})
}
