package github

// Version is raised when this package would make other events of a kept body, or
// keep another body.
const Version int32 = 3

// Hasher replaces an e-mail address by its HMAC under the instance's key, in hex.
type Hasher func(email string) string
