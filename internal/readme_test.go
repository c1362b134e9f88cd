package arch_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

var shBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// TestTheReadmeWorksInAnEmptyHome runs every sh block of the README, in order and in one shell, as somebody does who has
// just cloned the repository: from the installation to an approved Issue.
func TestTheReadmeWorksInAnEmptyHome(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("builds and installs the programs with make, in a shell")
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	// TempDir is under the home of nobody, and no path of it may be a symlink, or $PWD would have two spellings.
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	clone := filepath.Join(home, "board")
	copyTree(t, clone)

	var script strings.Builder
	script.WriteString("set -eu\ncd board\n")
	blocks := shBlock.FindAllSubmatch(readme, -1)
	if len(blocks) < 4 {
		t.Fatalf("the README has %d sh blocks", len(blocks))
	}
	for _, b := range blocks {
		script.Write(b[1])
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh")
	cmd.Dir = home
	cmd.Stdin = strings.NewReader(script.String())
	cmd.Env = []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "USER=dev",
		// The caches of Go only save time: without them the modules are fetched.
		"GOCACHE=" + goEnv(t, "GOCACHE"), "GOMODCACHE=" + goEnv(t, "GOMODCACHE"), "GOPROXY=" + goEnv(t, "GOPROXY"),
		"GOFLAGS=", "GOTOOLCHAIN=" + goEnv(t, "GOTOOLCHAIN"),
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n--- stdout\n%s\n--- stderr\n%s", err, &stdout, &stderr)
	}
	for _, want := range []string{"additionalContext", `"serverInfo"`, "in_review", "SHOP-1"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, &stdout)
		}
	}
	list := exec.CommandContext(ctx, filepath.Join(home, ".local", "bin", "board"), "show", "SHOP-1", "--json")
	list.Dir, list.Env = filepath.Join(home, "src", "shop"), []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	out, err := list.CombinedOutput()
	if err != nil || !regexp.MustCompile(`"state":\s*"done"`).Match(out) {
		t.Errorf("SHOP-1 is not done at the end of the README: %v\n%s", err, out)
	}
	for _, f := range []string{".claude/settings.json", ".codex/hooks.json"} {
		if b, err := os.ReadFile(filepath.Join(home, f)); err != nil || !strings.Contains(string(b), filepath.Join(home, ".local", "bin", "board-hook")+" --host ") {
			t.Errorf("the README connects no host in %s: %v", f, err)
		}
	}
	if strings.Contains(stdout.String()+stderr.String(), "board: error") {
		t.Errorf("an error on the way:\n%s\n%s", &stdout, &stderr)
	}
}

// copyTree copies what is, or would be, committed.
func copyTree(t *testing.T, to string) {
	t.Helper()
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = ".."
	out, err := list.Output()
	if err != nil {
		t.Skip("not in a clone:", err)
	}
	for _, f := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join("..", f))
		if os.IsNotExist(err) {
			continue // deleted, not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		dst := filepath.Join(to, f)
		if err := os.MkdirAll(filepath.Dir(dst), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dst, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
