package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
	"meridian/ingest/catalog"
	"meridian/streaming/timeline"
)

func (a *app) catalogCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "catalog", Short: "Check, show, draft or apply the catalog of people, teams and services", Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	cmd.AddCommand(a.catalogCheckCommand(), a.catalogShowCommand(), a.catalogDiscoverCommand(), a.catalogApplyCommand(), a.catalogSchemaCommand())
	return cmd
}

func (a *app) catalogPath(args []string) (string, error) {
	if len(args) == 1 {
		return args[0], nil
	}
	c, err := a.config(nil)
	return c.Catalog, err
}

// loadCatalog reads the configuration's catalog. The default file may be
// missing; one that was named may not.
func (a *app) loadCatalog(c config.Config) (*catalog.Catalog, error) {
	return loadCatalog(c, nil)
}

func loadCatalog(c config.Config, key []byte) (*catalog.Catalog, error) {
	cat, _, err := loadCatalogFiles(c, key)
	return cat, err
}

// loadCatalogFiles returns the files too, of which a generation keeps a copy.
func loadCatalogFiles(c config.Config, key []byte) (*catalog.Catalog, []catalog.File, error) {
	zone, err := timeline.LoadZone(c.Zone)
	if err != nil {
		return nil, nil, withCode(exitConfig, err)
	}
	files := []catalog.File{}
	if _, err := os.Stat(c.Catalog); !errors.Is(err, os.ErrNotExist) || c.Catalog != config.DefaultCatalog {
		if files, err = catalog.Files(c.Catalog); err != nil {
			return nil, nil, withCode(exitConfig, err)
		}
	}
	cat, err := catalog.ParseFiles(files, catalog.Options{Key: key, Zone: zone})
	if err != nil {
		return nil, nil, withCode(exitConfig, err)
	}
	return cat, files, nil
}

func readCatalog(path string, key []byte, zone *timeline.Zone) (*catalog.Catalog, error) {
	c, err := catalog.Load(path, catalog.Options{Key: key, Zone: zone})
	if err != nil {
		return nil, withCode(exitConfig, err)
	}
	return c, nil
}
