package cli

import (
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"board/internal/runs"
	"board/internal/store"
	"board/internal/text"
)

type versionJSON struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Schema   int    `json:"schema"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  exactly(),
		RunE: func(*cobra.Command, []string) error {
			v := versionJSON{Version: a.Version, Schema: store.SchemaVersion, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" {
						v.Revision = s.Value
					}
				}
			}
			if a.json {
				return a.out.document("version", v, "")
			}
			a.out.line("board ", one(v.Version))
			return nil
		},
	}
}

func shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

func (a *app) completionCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the completion script for bash, zsh, fish or powershell",
		Example: `  board completion bash > ~/.local/share/bash-completion/completions/board
  board completion fish > ~/.config/fish/completions/board.fish`,
		Args:      exactly("SHELL"),
		ValidArgs: shells(),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(&a.out.buf, true)
			case "zsh":
				return root.GenZshCompletion(&a.out.buf)
			case "fish":
				return root.GenFishCompletion(&a.out.buf, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(&a.out.buf)
			}
			return usage("one of "+strings.Join(shells(), ", "), "there is no completion for %q", text.Line(args[0], 20))
		},
	}
}

// hosts whose settings can differ.
func configHosts() []string {
	return []string{runs.ClaudeCode, runs.Codex, "opencode", "gemini", "cursor"}
}

func knownHost(h string) error {
	if h != "" && !slices.Contains(configHosts(), h) {
		return usage("hosts are "+strings.Join(configHosts(), ", "), "there is no host %q", text.Line(h, 20))
	}
	return nil
}
