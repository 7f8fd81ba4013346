package deploy

import _ "embed" // for the schema

// Schema is a JSON Schema of the generic deployment, for those who write what sends
// it. It knows neither the calendar (30 February) nor how much one body may deploy
// at once; what it refuses the decoder refuses too, and a test holds the two together.
//
//go:embed schema.json
var Schema []byte

// SchemaPath is where a running server has it.
const SchemaPath = "/schemas/deployment.json"
