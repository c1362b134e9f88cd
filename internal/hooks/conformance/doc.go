// Package conformance holds no code: its tests judge the hook path from outside, by recordings of real hosts.
//
// What is right was written by hand from the specification, never printed by the code: see fixtures_*_test.go for
// payloads sent alone and sequences_*_test.go for whole recorded sessions.
package conformance
