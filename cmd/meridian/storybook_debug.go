//go:build debug

package main

// withStorybook adds /storybook to the pages: go build -tags debug ./cmd/meridian.
const withStorybook = true
