package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// build builds the hook program twice: as it is, and with time limits so long that a busy machine does not reach them.
// An event that a busy machine spools is not lost, but it arrives later than the tables say; what the limits do is
// tested with the program as it is.
func build(root string) (exact, patient string, err error) {
	exact, patient = filepath.Join(root, "exact"), filepath.Join(root, "patient")
	overlay, err := longLimits(root)
	if err != nil {
		return "", "", err
	}
	return exact, patient, errors.Join(
		goBuild("-o", filepath.Join(exact, "board-hook")),
		goBuild("-o", filepath.Join(patient, "board-hook"), "-overlay", overlay),
	)
}

func goBuild(args ...string) error {
	cmd := exec.Command("go", append(append([]string{"build", "-buildvcs=false"}, args...), "./cmd/board-hook")...)
	cmd.Dir = filepath.Join("..", "..", "..")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	return nil
}

// longLimits writes an overlay for go build in which every time limit of the hook is long.
func longLimits(root string) (string, error) {
	missing := map[string]bool{"Budget": true, "storeWait": true, "maxSilence": true, "maxInput": true}
	limit := regexp.MustCompile(`(?m)^(\s*(?:const )?(Budget|storeWait|maxSilence|maxInput)\s*=\s*)[^/\n]*`)
	files, err := filepath.Glob(filepath.Join("..", "*.go"))
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return "", err
		}
		long := limit.ReplaceAllStringFunc(string(data), func(s string) string {
			m := limit.FindStringSubmatch(s)
			delete(missing, m[2])
			return m[1] + "20 * time.Second "
		})
		if strings.HasSuffix(f, "_test.go") || long == string(data) {
			continue
		}
		from, err := filepath.Abs(f)
		if err != nil {
			return "", err
		}
		to := filepath.Join(root, filepath.Base(f))
		if err := os.WriteFile(to, []byte(long), 0o600); err != nil {
			return "", err
		}
		replace[from] = to
	}
	if len(missing) > 0 {
		return "", fmt.Errorf("limits of the hook that are not found: %v", missing)
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(root, "overlay.json")
	return path, os.WriteFile(path, data, 0o600)
}
