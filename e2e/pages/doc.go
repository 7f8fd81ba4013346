// Package pages looks at a running demo in a real browser: its numbers move without a reload, its links lead from the
// overview to a metric, every page is accessible in light and dark, and no page writes an error to the console.
//
// It takes the pictures of docs/screenshots, when MERIDIAN_TEST_SCREENSHOTS=1 asks for them.
package pages
