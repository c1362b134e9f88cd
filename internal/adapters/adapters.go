// Package adapters writes board into the configuration of a host, reads back what stands there, and takes it out
// again, byte for byte, without touching anything else.
package adapters

import (
	"io/fs"

	"board/internal/hooks"
)

// Scope says for whom board is installed.
type Scope string

// The scopes.
const (
	ScopeUser    Scope = "user"    // every session of this user: files beneath Home
	ScopeProject Scope = "project" // sessions in one work tree: files beneath Project, for everybody who clones it
)

// Target is one host in one scope, and the launcher that is written there.
type Target struct {
	Host     string // a name of runs.Hosts
	Scope    Scope
	Home     string              // the user's home directory
	Project  string              // the work tree, for ScopeProject
	Getenv   func(string) string // CODEX_HOME, XDG_CONFIG_HOME, ...; nil is an empty environment
	Launcher Launcher

	// Version is the version of the installed host, "" where it is not known. Rows of the contract that a host of this
	// version does not know are not written (MinVersion): one unknown name makes some hosts drop the whole file.
	Version string

	// Root is where the files of the machine's administrator lie, "" for the root of the file system.
	Root string

	// Windows says that the host's shell is one of Windows: other quoting, no guard.
	Windows bool
}

// Change is one file that a plan writes, creates or deletes.
type Change struct {
	Path    string // as configured; links are followed when it is written, and stay links
	Before  []byte // nil if the file does not exist
	After   []byte // nil if the file is deleted
	Existed bool
	Mode    fs.FileMode // permission bits of the written file
	What    []What      // what of board it holds, in the order of the file
}

// What names a thing that board writes into a host's configuration.
type What string

// The things.
const (
	Hooks       What = "hooks"
	Server      What = "MCP server"
	Permissions What = "permissions"
	Plugin      What = "plugin"
)

// Refusal is a file that is left as it is, why, and what to write there by hand.
type Refusal struct {
	Path    string
	What    []What
	Reason  string // one sentence without a full stop
	Snippet string // to paste by hand; for a removal the text to look for, "" if there is nothing to show
}

// Plan is what an installation or a removal would do. Nothing is written before Apply.
type Plan struct {
	Target
	Changes []Change  // in the order of writing; none: everything is as it should be
	Refused []Refusal // files that are not touched
	Hints   []string  // sentences: what must restart, what a person has to trust or review
}

// Found is what stands in the configuration of a host.
type Found struct {
	Target
	Files      []FileState  // every file that an installation would touch
	Events     []EventState // one per row of the contract, in its order
	Strays     []string     // entries of board that no row asks for, as "file: event"
	Server     ItemState    // the entry of board's MCP server
	ServerName string       // the name under which it stands; "" without one
	Permission ItemState    // what lets the tools run without asking; NotNeeded where a host asks nobody
	Plugin     PluginState  // of hosts that are told by a plugin
	Blocked    []Block      // what keeps hooks or tools from running although they are written
	TrustKeys  []string     // Codex: the keys of our handlers in [hooks.state]; compare hashes by hooks/list only
	TrustNoted []string     // Codex: those of TrustKeys that have a hash in [hooks.state], whatever it is
}

// FileState is one file of a host's configuration.
type FileState struct {
	Path   string
	Target string // where its links end; "" if it is no link
	Exists bool
	Mode   fs.FileMode
	What   []What
	Fault  string // why board would not write here; "" if it would
}

// State says how far something is written.
type State string

// The states.
const (
	Present   State = "present"    // exactly as an installation writes it
	Missing   State = "missing"    // not there
	Older     State = "older"      // ours, but in another form: another launcher, matcher or timeout
	Twice     State = "twice"      // more than once
	Foreign   State = "foreign"    // the name is taken by something that is not board
	Unread    State = "unread"     // the file cannot be read or is not understood
	NotNeeded State = "not needed" // this host, scope or version has no such thing
)

// EventState says how one row of the contract is written.
type EventState struct {
	hooks.Event
	State    State
	Commands []string // every command of ours that is registered for it
}

// ItemState says how the server or the permission is written.
type ItemState struct {
	State   State
	Path    string // the file where it stands or belongs
	Command []string
}

// PluginState says how the plugin is written.
type PluginState struct {
	State   State
	Path    string
	Version string   // the stamp in the file
	Want    string   // the stamp of the plugin that this board carries
	Doubles []string // other places from which the host would load the plugin a second time
}

// Block is something that keeps what is written from taking effect.
type Block struct {
	Path   string // the file that says so
	Reason string // one sentence
	All    bool   // nothing of board runs; false: a part
}
