// Command board-hook takes one event of a host on standard input and answers it: the hook path of board alone, so that a
// host never waits for the rest.
package main

import (
	"os"
	"runtime"
	"time"

	"board/internal/hooks"
)

var version = "dev" // stamped by the linker

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		_, _ = os.Stdout.WriteString(hooks.Identity(version) + "\n")
		return
	}
	runtime.GOMAXPROCS(1) // one thing is done at a time: a second thread only looks for work, and takes the host's processor
	host, _ := os.Hostname()
	os.Exit(hooks.Main(hooks.Process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Getenv: os.Getenv, Now: time.Now,
		Person: hooks.PersonOf(os.Getenv), Machine: host,
	}))
}
