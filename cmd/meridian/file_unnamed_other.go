//go:build !linux

package main

import (
	"errors"
	"os"
)

// unnamedFile: only Linux has files without a name.
func unnamedFile(string) (*os.File, bool) { return nil, false }

func nameFile(*os.File, string) error { return errors.ErrUnsupported }
