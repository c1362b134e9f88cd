// Package brief sets the Go runtime up for a process that lives for milliseconds, as soon as the runtime lets it.
package brief

import "runtime"

// This package imports nothing but runtime, and its path sorts before those of the standard library: its init is the
// first of the process. Later, memory that the other inits took would belong to the processor that is given up here, and
// would be taken anew.
func init() {
	// One thing is done at a time: a second thread only looks for work, and takes the host's processor.
	runtime.GOMAXPROCS(1)
	// Each sample of the memory profile, which nobody reads, walks the stack.
	runtime.MemProfileRate = 0
}
