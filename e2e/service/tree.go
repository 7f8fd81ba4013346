package service

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Tree is the path of a file in the source tree that the test runs in, whatever package it belongs to.
func Tree(elem ...string) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the source tree: %w", err)
	}
	for {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		if err == nil {
			return filepath.Join(append([]string{dir}, elem...)...), nil
		}
		parent := filepath.Dir(dir)
		if !errors.Is(err, os.ErrNotExist) || parent == dir {
			return "", fmt.Errorf("find the source tree: no go.mod above the working directory: %w", err)
		}
		dir = parent
	}
}
