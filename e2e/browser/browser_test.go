package browser_test

import (
	"fmt"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"meridian/e2e/browser"
)

// A page with a strict policy, two colour schemes, a breakpoint, and two faults: an image without a text and a
// script that its own policy forbids.
const page = `<!doctype html><html lang="en"><head><title>A page</title>
<link rel="stylesheet" href="/style.css"></head>
<body><main><h1>A page</h1><img src="/dot.svg">
<script>document.title = "an inline script ran"</script>
<script src="/script.js"></script></main></body></html>`

const style = `html { background: rgb(255, 255, 255); color: #000 }
main { height: 1500px }
@media (prefers-color-scheme: dark) { html { background: rgb(16, 32, 48); color: #fff } }`

func serve(t *testing.T) string {
	t.Helper()
	files := map[string]struct{ kind, body string }{
		"/":          {"text/html", page},
		"/style.css": {"text/css", style},
		"/dot.svg":   {"image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`},
		"/script.js": {"text/javascript", `document.querySelector("h1").textContent = "A page, by script"; throw new Error("on purpose")`},
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", file.kind)
		w.Header().Set("Content-Security-Policy", "default-src 'self'")
		_, _ = fmt.Fprint(w, file.body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func open(t *testing.T) *browser.Tab {
	t.Helper()
	tab := browser.ForTest(t).Tab(t, 4*time.Minute)
	if err := chromedp.Do(tab.Ctx, chromedp.Navigate(serve(t))); err != nil {
		t.Fatal(err)
	}
	return tab
}

func TestTab_RunsThePageAndReportsItsProblems(t *testing.T) {
	tab := open(t)
	heading, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[string](`document.querySelector("h1").textContent`))
	if err != nil || heading != "A page, by script" {
		t.Fatalf("heading = %q, %v", heading, err)
	}
	problems, err := tab.Problems()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"on purpose", "Content Security Policy"} {
		if !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, want) }) {
			t.Errorf("no problem says %q: %q", want, problems)
		}
	}
}

func TestAxe_FindsWhatIsWrongAndNothingElse(t *testing.T) {
	found, err := open(t).Axe()
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || found[0].ID != "image-alt" || found[0].Impact != browser.Critical {
		t.Fatalf("violations = %v, want the image without a text alone", found)
	}
	if !strings.Contains(found[0].String(), "dot.svg") {
		t.Errorf("%q does not show the element", found[0])
	}
	if got := browser.AtLeast(browser.Serious, found); len(got) != 1 {
		t.Errorf("AtLeast(serious) dropped a critical violation")
	}
	found[0].Impact = browser.Moderate
	if got := browser.AtLeast(browser.Serious, found); len(got) != 0 {
		t.Errorf("AtLeast(serious) kept a moderate violation")
	}
}

func TestPicture_HasTheWidthTheWholeHeightAndTheScheme(t *testing.T) {
	tab := open(t)
	for _, want := range []struct {
		width  int
		scheme browser.Scheme
		ground color.RGBA
	}{
		{1280, browser.Light, color.RGBA{255, 255, 255, 255}},
		{390, browser.Dark, color.RGBA{16, 32, 48, 255}},
	} {
		file := filepath.Join(t.TempDir(), "pictures", "page.png")
		if err := tab.Picture(file, want.width, want.scheme); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := png.Decode(f)
		_ = f.Close()
		if err != nil {
			t.Fatal(err)
		}
		size := got.Bounds().Size()
		if size.X != want.width || size.Y < 1500 {
			t.Errorf("%s: %v, want %d wide and at least 1500 high", want.scheme, size, want.width)
		}
		if ground := color.RGBAModel.Convert(got.At(size.X-1, size.Y-1)); ground != want.ground {
			t.Errorf("%s: the ground is %v, want %v", want.scheme, ground, want.ground)
		}
	}
}

// Tests run on machines that must not talk to the internet, and a page that needs it would fail at our users' too.
func TestBrowser_ResolvesNothingOutsideTheMachine(t *testing.T) {
	tab := browser.ForTest(t).Tab(t, 4*time.Minute)
	err := chromedp.Do(tab.Ctx, chromedp.Navigate("http://meridian.example/"))
	if err == nil || !strings.Contains(err.Error(), "ERR_NAME_NOT_RESOLVED") {
		t.Fatalf("navigate to a name on the internet: %v, want ERR_NAME_NOT_RESOLVED", err)
	}
}
