// Command board is the board on the command line.
package main

import (
	"context"
	"os"
	"runtime/debug"
	"time"

	"board/internal/cli"
)

var version = "dev" // stamped by the linker

// garbage is how much of it may pile up, in percent of what is in use, before it is collected: most commands are over
// before that pays.
const garbage = 400

func main() {
	debug.SetGCPercent(garbage)
	os.Exit(cli.Run(context.Background(), cli.Process(version, time.Now)))
}
