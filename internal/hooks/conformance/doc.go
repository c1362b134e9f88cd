// Package conformance judges the hook path from outside, by recordings of real hosts and tables written by hand from the specification.
package conformance
