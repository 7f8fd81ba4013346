package browser

import (
	"context"
	"fmt"
	"image"
	"os"
	"path/filepath"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Scheme is what a person's system asks pages for.
type Scheme string

// The schemes of `prefers-color-scheme`.
const (
	Light Scheme = "light"
	Dark  Scheme = "dark"
)

// Look makes the page as wide as a person's window and asks for a colour scheme. It stays so until the next Look.
func (tab *Tab) Look(width int, scheme Scheme) error {
	err := chromedp.Do(tab.Ctx,
		chromedp.EmulateViewport(int64(width), 900),
		chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{
					{Name: "prefers-color-scheme", Value: string(scheme)},
					// A picture in the middle of a transition is a different one every time.
					{Name: "prefers-reduced-motion", Value: "reduce"},
				},
			})
			return err
		}))
	if err != nil {
		return fmt.Errorf("look at the page %d wide and %s: %w", width, scheme, err)
	}
	return nil
}

// paper is how wide A4 is between margins of a centimetre, in pixels of CSS.
const paper = 718

// Paper lays the page out as it would be printed, for somebody whose screen is dark.
func (tab *Tab) Paper() error {
	err := chromedp.Do(tab.Ctx,
		chromedp.EmulateViewport(paper, 1046),
		chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Media:    "print",
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: string(Dark)}},
			})
			return err
		}))
	if err != nil {
		return fmt.Errorf("lay the page out on paper: %w", err)
	}
	return nil
}

// Picture writes a PNG of the whole page, at this width and in this scheme, to the file.
func (tab *Tab) Picture(file string, width int, scheme Scheme) error {
	if err := tab.Look(width, scheme); err != nil {
		return err
	}
	png, err := chromedp.Run(tab.Ctx, chromedp.FullScreenshot(100))
	if err != nil {
		return fmt.Errorf("take a picture of the page: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("keep a picture of the page: %w", err)
	}
	if err := os.WriteFile(file, png, 0o644); err != nil {
		return fmt.Errorf("keep a picture of the page: %w", err)
	}
	return nil
}

// Window writes a PNG of what a window of that size shows of the page, from its top. Its colours are reduced to 256,
// which a page has hardly more than, so that it is small enough for a repository.
func (tab *Tab) Window(file string, width, height int, scheme Scheme) error {
	if err := tab.Look(width, scheme); err != nil {
		return err
	}
	shot, err := chromedp.Run(tab.Ctx, chromedp.CaptureScreenshot())
	if err != nil {
		return fmt.Errorf("take a picture of the window: %w", err)
	}
	small, err := reduce(shot, image.Rect(0, 0, width, height))
	if err != nil {
		return fmt.Errorf("make a picture small: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("keep a picture of the window: %w", err)
	}
	if err := os.WriteFile(file, small, 0o644); err != nil {
		return fmt.Errorf("keep a picture of the window: %w", err)
	}
	return nil
}
