package main

import (
	"regexp"
	"strings"
	"testing"

	sourcepages "meridian/docs/sources"
	"meridian/ingest"
	"meridian/ingest/catalog"
)

// Each event that the page on GitHub says is read has a decoder, and what it does
// not name has none.
func TestDocumentedEventsAreThoseThatAreRead(t *testing.T) {
	page, ok := sourcepages.Page("github")
	if !ok {
		t.Fatal("there is no page on GitHub")
	}
	by := decoders(catalog.Empty(catalog.Options{Key: make([]byte, 32)}))["github"]
	read := func(typ string) bool {
		_, d, err := ingest.DecodeDelivery(by, ingest.Delivery{
			Provider: "github", Body: []byte(`{"action":"created","repository":{"id":42,"full_name":"acme/web"}}`),
			Headers: map[string]string{"X-Github-Event": typ, "Content-Type": "application/json"},
		})
		return err != nil || !strings.Contains(d.Reason, "does not read this type")
	}
	_, table, _ := strings.Cut(string(page), "| event | becomes |\n| --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	n := 0
	for _, row := range strings.Split(table, "\n") {
		for _, typ := range regexp.MustCompile(`[a-z_]+`).FindAllString(strings.Split(row, "|")[1], -1) {
			if n++; !read(typ) {
				t.Errorf("the page says that %s is read, and it is not", typ)
			}
		}
	}
	if n < 18 {
		t.Errorf("only %d events are in the table:\n%s", n, table)
	}
	for _, typ := range []string{"star", "watch", "fork", "gollum", "workflow_job", "merge_group", "commit_comment"} {
		if read(typ) || strings.Contains(table, "| "+typ) {
			t.Errorf("%s is read, and the page does not say so", typ)
		}
	}
}
