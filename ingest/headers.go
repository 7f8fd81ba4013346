package ingest

import (
	"net/http"
	"strings"
)

// keptNames are the headers that decoders and people who look for a delivery need.
var keptNames = [...]string{
	"Content-Type", "X-Github-Event", "X-Github-Delivery", "X-Github-Hook-Installation-Target-Type", "X-Github-Hook-Installation-Target-Id",
	"X-Atlassian-Webhook-Identifier", "X-Atlassian-Webhook-Retry", "Webhook-Id",
	"Ce-Id", "Ce-Type", "Ce-Source", "Ce-Time", "Ce-Subject", "Ce-Specversion",
}

// maxHeader bounds what is kept of one header.
const maxHeader = 1 << 10

func keptHeaders(h http.Header) map[string]string {
	kept := map[string]string{}
	for _, name := range keptNames {
		if v := h.Get(name); v != "" {
			kept[name] = strings.ToValidUTF8(v[:min(len(v), maxHeader)], "\ufffd")
		}
	}
	return kept
}
