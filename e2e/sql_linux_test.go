package e2e_test

import (
	"path/filepath"
	"strings"
	"testing"

	"meridian/e2e/instance"
)

// At a terminal statements are asked for one after another, over lines, and one that is refused ends nothing; the
// answers are tables. It is the same whether a server runs, or the command opens the database itself.
func TestSQL_AtATerminal(t *testing.T) {
	c := instance.Config{Dir: filepath.Join(instance.Folder(t), "data")}
	in := instance.Serve(t, c)
	in.AwaitParts()
	const typed = "SELECT 40 +\n2 AS answer;\nSELECT nonsense;\n\nSELECT ';' AS a; SELECT 'second' AS b;\nINSERT INTO border (one, history_from) VALUES (1, 0);\nexit\n"
	look := func(how string) {
		t.Helper()
		shown, code := c.Typed(t, typed, "sql")
		if code != 0 {
			t.Errorf("%s: exit code %d", how, code)
		}
		for _, want := range []string{"End a statement with a semicolon", "meridian> ", "       -> ", "answer", "42", "nonsense", "second", "readonly"} {
			if !strings.Contains(shown, want) {
				t.Errorf("%s: the terminal does not show %q:\n%s", how, want, shown)
			}
		}
		if strings.Count(shown, "┌") < 3 { // of its frames
			t.Errorf("%s: the answers are no tables:\n%s", how, shown)
		}
	}
	look("a server runs")
	if code := in.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	look("no server runs")
}
