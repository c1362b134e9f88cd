package adapters

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// maxLinks is how many links are followed one after the other.
const maxLinks = 40

// place is where a configured path really is.
type place struct {
	path   string // after the last link
	linked bool
	exists bool
	data   []byte
	info   fs.FileInfo
}

// locate follows the links of path itself, one by one, and reads the file. Its errors are reasons to leave it alone. A
// link that leads nowhere is one of them: what is to stand there is the business of whoever made the link.
func locate(path string) (place, error) {
	p := place{path: path}
	for range maxLinks {
		info, err := os.Lstat(p.path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !p.linked:
			return p, writableParent(p.path)
		case errors.Is(err, fs.ErrNotExist):
			return p, errorText("it is a link to " + p.path + ", which is not there")
		case err != nil:
			return p, errorText("it cannot be read: " + reason(err))
		case info.Mode()&fs.ModeSymlink == 0:
			p.exists, p.info = true, info
			return p, p.read()
		}
		to, err := os.Readlink(p.path)
		if err != nil {
			return p, errorText("the link cannot be read: " + reason(err))
		}
		if !filepath.IsAbs(to) {
			// Relative to where the link really stands: its directory may be reached through links too.
			dir, err := filepath.EvalSymlinks(filepath.Dir(p.path))
			if err != nil {
				return p, errorText("the link cannot be followed: " + reason(err))
			}
			to = filepath.Join(dir, to)
		}
		p.path, p.linked = to, true
	}
	return p, errorText("its links lead in a circle")
}

// read reads the file, and says why board would not write it.
func (p *place) read() error {
	switch {
	case !p.info.Mode().IsRegular():
		return errorText("it is not a regular file")
	case p.info.Size() > maxFile:
		return errorText("it is too large")
	}
	data, err := os.ReadFile(p.path)
	if err != nil {
		return errorText("it cannot be read: " + reason(err))
	}
	p.data = data
	switch {
	case p.info.Mode().Perm()&0o222 == 0 || !writable(p.path):
		return errorText("it is read-only")
	case p.severalNames():
		return errorText("it has several hard links, which replacing it would part")
	}
	return writableParent(p.path)
}

// severalNames reports whether replacing the file would part it from another name of it.
func (p *place) severalNames() bool {
	if links(p.info)-p.twins() <= 1 {
		return false
	}
	// An installation that is at work right now took its own name away between the two looks.
	now, err := os.Lstat(p.path)
	return err == nil && links(now)-p.twins() > 1
}

// twins counts the names of the file that an installation gave it which was killed right after (put).
func (p *place) twins() (n int) {
	for _, path := range unfinished(filepath.Dir(p.path)) {
		if info, err := os.Lstat(path); err == nil && os.SameFile(info, p.info) {
			n++
		}
	}
	return n
}

// writableParent reports why no file can be put into the directory of path, which need not be there yet.
func writableParent(path string) error {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		// The link first: somebody may make what is missing between two looks, and that is no link then.
		info, err := os.Lstat(dir)
		link := err == nil && info.Mode()&fs.ModeSymlink != 0
		if link {
			info, err = os.Stat(dir)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist) && link:
			return errorText("its directory " + dir + " is a link that leads nowhere")
		case errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir):
			continue
		case err != nil:
			return errorText("its directory cannot be read: " + reason(err))
		case !info.IsDir():
			return errorText(dir + " is not a directory")
		case info.Mode().Perm()&0o222 == 0 || !writable(dir):
			return errorText("its directory is read-only")
		}
		return nil
	}
}

// reason is the system's word for an error, without the path, which the message has already.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
