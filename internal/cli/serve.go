package cli

import (
	"context"

	"github.com/spf13/cobra"

	"board/internal/fault"
	"board/internal/mcp"
	"board/internal/store"
)

func (a *app) mcpCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve the board's tools to an agent over stdio",
		Long:  "Serve the board's tools to an agent over stdio. Hosts start it; stdout carries the protocol alone.",
		Args:  exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return mcp.Serve(cmd.Context(), mcp.Options{
				In: a.Stdin, Out: a.Stdout, Err: a.Stderr, Cwd: a.dir(), Version: a.Version,
				Open: func(ctx context.Context) (*store.DB, error) {
					db, err := a.openWrite(ctx, false)
					return db, a.missing(err)
				},
				Drain: settle,
			})
		},
	}
}

// hookCmd is for its help: Run hands every other `board hook` over before anything here is looked at.
func (a *app) hookCmd() *cobra.Command {
	return &cobra.Command{
		Use:                "hook --host HOST --protocol N",
		Short:              "Take an event from a host, as board-hook does",
		Long:               "Take one event of a host from stdin and answer it. Hosts start it; it always exits 0.",
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if helpAlone(args) {
				return cmd.Help()
			}
			return fault.New(fault.Usage, "board hook --host claude-code", "hook is the first word of the command line")
		},
	}
}

// helpAlone reports whether the arguments ask for help and for nothing else.
func helpAlone(args []string) bool {
	return len(args) == 1 && (args[0] == "--help" || args[0] == "-h")
}
