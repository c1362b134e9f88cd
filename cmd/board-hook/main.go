// Command board-hook takes one event of a host on standard input and answers it: the hook path of board alone, so that a
// host never waits for the rest.
package main

import (
	"os"
	"time"

	_ "board/internal/brief" // first of all
	"board/internal/hooks"
)

var version = "dev" // stamped by the linker

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		_, _ = os.Stdout.WriteString(hooks.Identity(version) + "\n")
		return
	}
	host, _ := os.Hostname()
	os.Exit(hooks.Main(hooks.Process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Getenv: os.Getenv, Now: time.Now,
		Person: hooks.PersonOf(os.Getenv), Machine: host,
	}))
}
