//go:build !linux

package main

import "time"

// sweep would end what hosts left behind; only Linux tells who works in a folder.
func sweep(string) error { return nil }

func waitGone(_ string, patience time.Duration) { time.Sleep(patience) }
