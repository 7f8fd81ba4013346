package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"meridian/ingest/catalog"
)

// adoptCatalog puts a sound catalog in the place of the configured one, which is
// kept in the data directory before. What is on disk is then what is in force, at
// the next start too.
func (m *machine) adoptCatalog(ctx context.Context, files []catalog.File) (says string, err error) {
	if m.readCatalog != nil {
		return "", errors.New("this instance makes its catalog itself, and takes no other")
	}
	if !m.coordinator.leads.Load() {
		return "", errors.New("another process coordinates this instance, and it is its catalog that holds; apply it there")
	}
	path := m.config.Catalog
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		err = replaceFolder(path, files, m.instance.path("catalogs"))
	case err != nil && !errors.Is(err, os.ErrNotExist):
	case len(files) > 1:
		err = fmt.Errorf("%s is one file, and %d were sent; set catalog to a folder, or join them to one", path, len(files))
	default:
		err = replaceFile(path, files[0].Data, m.instance.path("catalogs"))
	}
	if err != nil {
		return "", fmt.Errorf("the catalog was not applied: %w", err)
	}
	if _, err := m.coordinator.Apply(ctx); err != nil {
		return "", fmt.Errorf("the catalog is in %s, and no generation could be begun by it yet; it is tried again: %w", path, err)
	}
	return "It stands in " + path + " now. History is computed anew by it in the background, and pages show the numbers of the old one until then", nil
}

// replaceFile puts data in place of a file, whose content it keeps before.
func replaceFile(path string, data []byte, keep string) error {
	old, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return err
	case bytes.Equal(old, data):
		return nil
	default:
		if err := os.MkdirAll(keep, 0o700); err != nil {
			return err
		}
		if err := writeFileSynced(filepath.Join(keep, filepath.Base(path)+".before"), old); err != nil {
			return err
		}
	}
	if err := writeFileSynced(path, data); err != nil {
		return err
	}
	return os.Chmod(path, 0o644) // it holds nothing secret, and people read it
}

// replaceFolder makes a folder's YAML files those that were sent.
func replaceFolder(folder string, files []catalog.File, keep string) error {
	old, err := catalog.Files(folder)
	if err != nil {
		old = nil // an empty folder
	}
	names := map[string]bool{}
	for _, f := range files {
		name := filepath.Base(f.Name)
		extension := strings.ToLower(filepath.Ext(name))
		if names[name] || strings.HasPrefix(name, ".") || !slices.Contains([]string{".yaml", ".yml"}, extension) {
			return fmt.Errorf("%s cannot be a file of the folder %s; give each file another name that ends in .yaml", f.Name, folder)
		}
		names[name] = true
	}
	for _, f := range files {
		if err := replaceFile(filepath.Join(folder, filepath.Base(f.Name)), f.Data, keep); err != nil {
			return err
		}
	}
	for _, f := range old {
		if names[filepath.Base(f.Name)] {
			continue
		}
		if err := errors.Join(os.MkdirAll(keep, 0o700), writeFileSynced(filepath.Join(keep, filepath.Base(f.Name)+".before"), f.Data)); err != nil {
			return err
		}
		if err := os.Remove(f.Name); err != nil {
			return err
		}
	}
	return nil
}
