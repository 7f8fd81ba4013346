package browser

import (
	"slices"

	"github.com/chromedp/chromedp"
)

// flags are chromedp's own, which include headless, plus those below.
func flags(path, dir string) []chromedp.ExecAllocatorOption {
	return append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(path),
		chromedp.UserDataDir(dir),

		// Chromium refuses to sandbox for root, who is the user of most CI machines. It shows our own pages only.
		chromedp.NoSandbox,
		chromedp.DisableGPU,

		// It asks nobody on the internet for anything: no updates, no field trials, no models, no safe browsing. The
		// last rule makes that certain: only loopback addresses resolve.
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-domain-reliability", true),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("no-first-run", true),
		chromedp.Flag("no-pings", true),
		chromedp.Flag("no-proxy-server", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1, EXCLUDE [::1]"),

		// Pictures of one page are the same on every machine.
		chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("lang", "en-US"),
		chromedp.Flag("font-render-hinting", "none"),
	)
}
