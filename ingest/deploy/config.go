package deploy

// Version is raised when this package would make other events of a kept body, or
// keep another body.
const Version int32 = 2

const provider = "deploy"

// Hasher replaces an e-mail address by its HMAC under the instance's key, in hex.
type Hasher func(email string) string

// Bounds of what one generic body may hold. A field of 10 MB, repeated in the events of
// thousands of services, would be gigabytes.
const (
	maxText        = 255 // bytes of a name
	maxURL         = 2000
	maxList        = 1000 // services, revisions or labels of a deployment
	maxDeployments = 1000 // of a body
	maxItems       = 50_000
)
