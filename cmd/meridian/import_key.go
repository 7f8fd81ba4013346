package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"meridian/cmd/meridian/config"
)

// takeKey makes a new data directory's instance one with another's key, so that
// pseudonyms and the hashes of addresses on the log mean the same people here.
func takeKey(c config.Config, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("--key: %w", err)
	}
	var old instanceFile
	if err := json.Unmarshal(data, &old); err != nil || len(old.Key) != 32 {
		return withCode(exitUsage, fmt.Errorf("--key: %s is no instance.json of a data directory", from))
	}
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return fmt.Errorf("cannot make the data directory: %w; choose another with --data-dir", err)
	}
	path := filepath.Join(c.DataDir, "instance.json")
	var have instanceFile
	switch data, err := os.ReadFile(path); {
	case err == nil:
		if json.Unmarshal(data, &have) != nil || !bytes.Equal(have.Key, old.Key) {
			return fmt.Errorf("--key: %s has a key of its own already; use a new --data-dir", c.DataDir)
		}
		return nil
	case !errors.Is(err, os.ErrNotExist):
		return err
	}
	have = instanceFile{Key: old.Key, DeliveryPartitions: deliveryPartitions(c)}
	if data, err = json.MarshalIndent(have, "", "  "); err != nil {
		return err
	}
	if err := writeFileSynced(path, append(data, '\n')); err != nil {
		return fmt.Errorf("cannot write to the data directory: %w", err)
	}
	return nil
}
