package projects

import "testing"

func TestAPathIsOneWordForTheShell(t *testing.T) {
	for _, c := range []struct {
		name, path string
		windows    bool
		want       string
	}{
		{"plain", "/work/web-2/a_b", false, "/work/web-2/a_b"},
		{"a space", "/work/my web", false, "'/work/my web'"},
		{"a quote", "/work/it's", false, `'/work/it'\''s'`},
		{"what a shell would run", "/work/$(reboot);`id`", false, "'/work/$(reboot);`id`'"},
		{"a tilde", "~/web", false, "'~/web'"},
		{"a line end", "/work/a\nb", false, ""},
		{"letters that hide", "/work/a\u202eb", false, ""},
		{"not known", "", false, ""},
		{"plain, Windows", `C:\work\web`, true, "C:/work/web"},
		{"a space, Windows", `C:\my web`, true, `"C:/my web"`},
		{"a quote, Windows", `C:\it's`, true, `"C:/it's"`},
		{"what some shell there would replace", `C:\%TEMP%\a`, true, ""},
		{"what PowerShell would run", `C:\$(x)`, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := quote(c.path, c.windows); got != c.want {
				t.Errorf("quote(%q) = %s, want %s", c.path, got, c.want)
			}
		})
	}
}
