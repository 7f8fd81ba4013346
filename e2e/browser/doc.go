// Package browser drives a headless Chromium for tests of the pages: it opens tabs, runs axe-core on them and
// takes pictures.
//
// It knows how Chromium is found and started, and what must be switched off so that it talks to nobody but the
// page under test. It knows nothing of Meridian's pages. Everything else is chromedp: a Tab is a chromedp context.
//
// Surprising: chromedp binds the browser's life to the context of the first Run, so Start runs once on a context
// without a deadline, and each Tab is given its deadline afterwards.
package browser
