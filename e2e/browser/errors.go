package browser

import "errors"

var (
	// ErrNotInstalled says that no Chromium was found.
	ErrNotInstalled = errors.New("no Chromium found: run `make chromium`, or name one in CHROMIUM")

	// ErrNoAxe says that axe-core was not installed with the other npm packages.
	ErrNoAxe = errors.New("axe-core is not installed: run `make assets`")
)
