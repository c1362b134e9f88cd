package runs

import "testing"

func TestDefaultsAreWhatTheKeysSay(t *testing.T) {
	var c Config
	for _, s := range ConfigKeys() {
		c.set(s.Key, s.Default)
		if err := CheckSetting(s.Key, s.Default); err != nil {
			t.Error(err)
		}
	}
	if c != Defaults() {
		t.Errorf("the keys say %+v, Defaults %+v", c, Defaults())
	}
}
