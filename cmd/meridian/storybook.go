//go:build !debug

package main

// withStorybook is for debug builds alone.
const withStorybook = false
