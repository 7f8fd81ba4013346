package main

import (
	"encoding/json"
	"strings"
	"testing"

	"meridian/ingest/catalog"
	"meridian/ingest/deploy"
)

// What documentation and packages say of a schema's address is where a server has it.
func TestSchemasAreWhereTheyAreSaidToBe(t *testing.T) {
	all := schemas()
	for _, path := range []string{catalog.SchemaPath, deploy.SchemaPath} {
		if data := all[strings.TrimPrefix(path, "/schemas/")]; !json.Valid(data) {
			t.Errorf("%s is served as %q", path, data)
		}
	}
}
