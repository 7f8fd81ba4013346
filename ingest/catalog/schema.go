package catalog

import _ "embed" // for the schema

// Schema is a JSON Schema of catalog files, for editors. It knows the shape of a
// file and not what it means: that a zone exists, that a team is there, that an
// account has one person. What it refuses the loader refuses too, and a test
// holds the two together.
//
//go:embed schema.json
var Schema []byte

// SchemaPath is where a running server has it.
const SchemaPath = "/schemas/catalog.json"
