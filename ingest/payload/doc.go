// Package payload is what decoders of webhooks have in common: reading a body
// that may be hostile, instants as providers write them, what can be learned
// from free text before it is dropped, and dropping it.
//
// It knows JSON and the habits of people who write titles and commit messages.
// It does not know any provider's payload: those are in ingest/github,
// ingest/jira and ingest/deploy.
//
// The surprising thing: reasons that it gives never quote the payload. They are
// shown on pages and kept for as long as points are, and a payload's text is not.
package payload
