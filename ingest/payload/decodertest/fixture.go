package decodertest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/textproto"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

var rewrite = flag.Bool("rewrite", false, "write what decoders answer into testdata/*.txtar")

// Hash stands for the instance's HMAC. It is readable, so that fixtures are.
func Hash(email string) string {
	return "hash-of-" + strings.NewReplacer("@", "-at-").Replace(strings.ToLower(email))
}

// received is when all fixtures were received: decoders must not care.
const received timeline.Millis = 1_772_442_000_000

// Fixtures runs all of a folder.
func Fixtures(t *testing.T, folder, provider string, d ingest.Decoder) {
	for _, path := range paths(t, folder) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			delivery := deliveryOf(t, provider, archive)
			got := describe(d.Decode(delivery))
			if *rewrite {
				setFile(archive, "want", got)
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if want := string(file(archive, "want")); got != want {
				t.Errorf("decodes to:\n%s\nwant:\n%s", got, want)
			}
			Check(t, d, delivery)
		})
	}
}

func paths(t testing.TB, folder string) []string {
	paths, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures in %s: %v", folder, err)
	}
	return paths
}

func deliveryOf(t testing.TB, provider string, archive *txtar.Archive) ingest.Delivery {
	r := textproto.NewReader(bufio.NewReader(bytes.NewReader(append(file(archive, "headers"), "\n\n"...))))
	header, err := r.ReadMIMEHeader()
	if err != nil {
		t.Fatalf("its headers: %v", err)
	}
	headers := map[string]string{}
	for name := range header {
		headers[name] = header.Get(name)
	}
	via := headers["X-Meridian-Via"] == "api" // of an archive's line, and no header of a sender's
	delete(headers, "X-Meridian-Via")
	return ingest.Delivery{
		Provider: provider, Name: "acme", Received: received, ViaAPI: via,
		Headers: headers, Body: bytes.TrimSpace(file(archive, "body")),
	}
}

func file(archive *txtar.Archive, name string) []byte {
	for _, f := range archive.Files {
		if f.Name == name {
			return bytes.Clone(f.Data)
		}
	}
	return nil
}

func setFile(archive *txtar.Archive, name, data string) {
	for i, f := range archive.Files {
		if f.Name == name {
			archive.Files[i].Data = []byte(data)
			return
		}
	}
	archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(data)})
}

// outcomes are their names in fixtures.
var outcomes = [...]string{"none", "accepted", "ping", "ignored", "undecodable"}

func describe(got ingest.Decoded, err error) string {
	var b strings.Builder
	if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
		return b.String()
	}
	fmt.Fprintf(&b, "outcome: %s\n", outcomes[got.Outcome])
	if got.Reason != "" {
		fmt.Fprintf(&b, "reason: %s\n", got.Reason)
	}
	fmt.Fprintf(&b, "type: %s\nscope: %s\n", got.Type, got.Scope)
	for _, e := range got.Events {
		fmt.Fprintf(&b, "event: %v\n", e.Kind)
		e.Kind = 0
		write(&b, reflect.ValueOf(e), "\t")
	}
	fmt.Fprintf(&b, "kept: %s\n", got.Body)
	return b.String()
}

// write lists the fields of a struct that are not zero.
func write(b *strings.Builder, v reflect.Value, indent string) {
	for i := range v.NumField() {
		field, name := v.Field(i), v.Type().Field(i).Name
		for field.Kind() == reflect.Pointer && !field.IsNil() {
			field = field.Elem()
		}
		switch {
		case field.IsZero():
		case isStringer(field):
			fmt.Fprintf(b, "%s%s: %v\n", indent, name, field.Interface())
		case field.Kind() == reflect.Struct:
			fmt.Fprintf(b, "%s%s:\n", indent, name)
			write(b, field, indent+"\t")
		case field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.Struct:
			for j := range field.Len() {
				fmt.Fprintf(b, "%s%s %d:\n", indent, name, j)
				write(b, field.Index(j), indent+"\t")
			}
		default:
			fmt.Fprintf(b, "%s%s: %v\n", indent, name, field.Interface())
		}
	}
}

func isStringer(v reflect.Value) bool {
	_, ok := v.Interface().(fmt.Stringer)
	return ok
}

// Each gives all fixtures of JSON, and what they decode to, to f.
func Each(t *testing.T, folder string, d ingest.Decoder, provider, header string, f func(t *testing.T, name string, body []byte, events []event.Event)) {
	for _, path := range paths(t, folder) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			delivery := mustParse(t, provider, path)
			got, err := d.Decode(delivery)
			if err == nil && json.Valid(delivery.Body) {
				f(t, delivery.Header(header), delivery.Body, got.Events)
			}
		})
	}
}
