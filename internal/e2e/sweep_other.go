//go:build !linux

package main

// sweep would end what hosts left behind; only Linux tells who works in a folder.
func sweep(string) error { return nil }
