package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/ingest/payload/decodertest"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// Every fixture is sent to a whole server, signed as its source would. Then nothing
// on its disk says "zebra", as every free text of the fixtures does: log, archive,
// control, snapshots, sessions; and no row of any table of its database.
func TestNoByteOfAServerHoldsFreeText(t *testing.T) {
	const secret = "s-fixtures"
	address := freeAddress(t)
	in := newTestInstance(t, []byte("{}"), kafka.EmbeddedEvents, "webhook_listen: "+address+"\n")
	config, err := os.ReadFile(in.config)
	if err != nil {
		t.Fatal(err)
	}
	sources := "sources: {github: [{name: acme, secrets: [" + secret + "]}], jira: [{name: cloud, secrets: [" + secret + "]}], deploy: [{name: ci, secrets: [" + secret +
		"]}], argocd: [{name: prod, secrets: [" + secret + "]}], cdevents: [{name: ci, secrets: [" + secret + "]}]}"
	config = bytes.Replace(config, []byte("sources: {deploy: [{name: ci, secrets: [zebra]}]}"), []byte(sources), 1)
	if err := os.WriteFile(in.config, config, 0o600); err != nil {
		t.Fatal(err)
	}
	// send sends one as its source would, again when the log is too slow for it.
	send := func(provider, name, header, typ string, body []byte) error {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		r, err := http.NewRequest(http.MethodPost, "http://"+address+"/webhooks/"+provider+"/"+name, bytes.NewReader(body))
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", "application/json")
		if header != "" {
			r.Header.Set(header, typ)
		}
		r.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusAccepted {
			return fmt.Errorf("%s: %s", provider, res.Status)
		}
		return nil
	}
	const providers = 5
	sent := map[string]int{}
	func() {
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan int, 1)
		go func() {
			ended <- run(ctx, []string{"serve", "--config", in.config}, streams{in: strings.NewReader(""), out: io.Discard, err: outputOf(t)})
		}()
		defer func() {
			stop()
			if code := <-ended; code != exitOK {
				t.Errorf("serve: exit code %d at the end", code)
			}
		}()
		await(t, ended, func() error { // the database is up when it answers over the socket
			if _, err := os.Stat(filepath.Join(in.dir, adminSocket)); err != nil {
				return err
			}
			if code := run(ctx, []string{"sql", "--config", in.config, "SELECT 1 FROM observations_live LIMIT 1"}, streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}); code != exitOK {
				return fmt.Errorf("sql: exit code %d", code)
			}
			return nil
		})
		cat := catalog.Empty(catalog.Options{Key: make([]byte, 32), Zone: timeline.UTC()})
		for _, f := range []struct{ folder, provider, name, header string }{
			{"github", "github", "acme", "X-GitHub-Event"}, {"jira", "jira", "cloud", ""}, {"deploy", "deploy", "ci", ""},
			{"deploy", "argocd", "prod", ""}, {"deploy", "cdevents", "ci", "Ce-Type"},
		} {
			folder := "../../ingest/" + f.folder + "/testdata"
			if f.provider != f.folder {
				folder += "/" + f.provider
			}
			decodertest.Each(t, folder, decoders(cat)[f.provider], f.provider, f.header, func(t *testing.T, typ string, body []byte, _ []event.Event) {
				await(t, ended, func() error { return send(f.provider, f.name, f.header, typ, body) })
				sent[f.provider]++
			})
		}
		marker := fmt.Appendf(nil, `{"id": "marker", "service": "marker", "environment": "production", "status": "success", "finished_at": %q}`, time.Now().UTC().Format(time.RFC3339))
		await(t, ended, func() error { return send("deploy", "ci", "", "", marker) })
		// All of it is stored when every shard has told its rows up to a later instant.
		behind := timeline.FromTime(time.Now())
		await(t, ended, func() error {
			shards, clock, err := in.progress(ctx)
			if err == nil && (shards != in.shards || clock <= behind) {
				err = fmt.Errorf("%d shards have told their rows up to %s, want %d behind %s", shards, clock, in.shards, behind)
			}
			return err
		})
		rows := map[string]int{}
		for _, table := range strings.Fields(in.command(t, "sql", "--format", "TabSeparated", "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine NOT LIKE '%View'")) {
			text := strings.ToLower(in.command(t, "sql", "--format", "TabSeparated", "SELECT * FROM "+table))
			rows[table] = strings.Count(text, "\n")
			for _, bad := range []string{"zebra", "@acme.example"} {
				if i := strings.Index(text, bad); i >= 0 {
					t.Errorf("table %s holds %s: ...%q", table, bad, text[max(0, i-60):min(len(text), i+20)])
				}
			}
		}
		if len(sent) != providers || rows["points_live"] == 0 || rows["observations_live"] == 0 || rows["rejects_live"] == 0 {
			t.Errorf("%v rows of %v deliveries: too little is stored to say so", rows, sent)
		}
	}()
	if where := everywhere(t, filepath.Join(in.dir), "zebra", "@acme.example", secret); len(where) > 0 {
		t.Errorf("they are in\n%s", strings.Join(where, "\n"))
	}
	if len(everywhere(t, in.dir, "acme/web")) == 0 {
		t.Error("this test looks in the wrong places: no repository is found")
	}
}
