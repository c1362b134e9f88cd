// Command board-hook takes one event of a host on standard input and answers it: the hook path of board alone, so that a
// host never waits for the rest.
package main

import (
	"os"
	"time"

	"board/internal/hooks"
)

func main() {
	host, _ := os.Hostname()
	os.Exit(hooks.Main(hooks.Process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Getenv: os.Getenv, Now: time.Now,
		Person: hooks.PersonOf(os.Getenv), Machine: host,
	}))
}
