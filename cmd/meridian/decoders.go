package main

import (
	"meridian/ingest"
	"meridian/ingest/catalog"
	"meridian/ingest/deploy"
	"meridian/ingest/github"
	"meridian/ingest/jira"
)

// decoders returns the decoder of each provider.
func decoders(c *catalog.Catalog) map[string]ingest.Decoder {
	return map[string]ingest.Decoder{
		"github":   github.New(c.EmailHash),
		"jira":     jira.New(c.EmailHash),
		"deploy":   deploy.New(c.EmailHash),
		"argocd":   deploy.NewArgoCD(c.EmailHash),
		"cdevents": deploy.NewCDEvents(c.EmailHash),
	}
}
