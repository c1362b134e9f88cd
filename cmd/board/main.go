// Command board is the board on the command line.
package main

import (
	"context"
	"os"
	"time"

	"board/internal/cli"
)

var version = "dev" // stamped by the linker

func main() {
	os.Exit(cli.Run(context.Background(), cli.Process(version, time.Now)))
}
