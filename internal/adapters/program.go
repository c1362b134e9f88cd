package adapters

// Program returns the program of board that a command of ours runs, "" for a command that is not ours.
func Program(command string) string {
	if !ours(command) {
		return ""
	}
	for _, argv := range commands(command) {
		if oursArgv(argv) {
			return argv[0]
		}
	}
	return ""
}
