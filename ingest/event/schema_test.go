package event

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	"meridian/ingest/event/eventpb"
)

// The codec is by hand; the generated code is its oracle. Whatever one writes,
// the other reads, with each field under its own name.
func TestCodecAgreesWithTheSchema(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.Make[Message]().Draw(t, "message")
		normalize(reflect.ValueOf(&m))
		m.IsTick = false

		var generated eventpb.Message
		if err := proto.Unmarshal(AppendMessage(nil, &m), &generated); err != nil {
			t.Fatal(err)
		}
		if err := agree("message", reflect.ValueOf(m), generated.ProtoReflect()); err != nil {
			t.Fatal(err)
		}

		record, err := proto.MarshalOptions{Deterministic: true}.Marshal(&generated)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := DecodeMessage(record); err != nil || !reflect.DeepEqual(got, m) {
			t.Fatalf("of the generated code's record: %+v, %v\nwant %+v", got, err, m)
		}
	})
}

// agree compares a struct with a message by the names of the fields.
func agree(path string, v reflect.Value, m protoreflect.Message) error {
	if len(m.GetUnknown()) > 0 {
		return fmt.Errorf("%s has fields that the schema does not: %x", path, m.GetUnknown())
	}
	fields := m.Descriptor().Fields()
	if v.NumField() != fields.Len() {
		return fmt.Errorf("%s has %d fields, the schema %d", path, v.NumField(), fields.Len())
	}
	for i := range fields.Len() {
		field := fields.Get(i)
		name := strings.ReplaceAll(string(field.Name()), "_", "")
		value := v.FieldByNameFunc(func(s string) bool { return strings.EqualFold(s, name) })
		if !value.IsValid() {
			return fmt.Errorf("%s has no field for %s of the schema", path, field.Name())
		}
		if err := agreeValue(path+"."+string(field.Name()), value, field, m); err != nil {
			return err
		}
	}
	return nil
}

func agreeValue(path string, v reflect.Value, field protoreflect.FieldDescriptor, m protoreflect.Message) error {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() != !m.Has(field) {
			return fmt.Errorf("%s is there in one only", path)
		}
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	got := m.Get(field)
	if field.IsList() {
		list := got.List()
		if v.Len() != list.Len() {
			return fmt.Errorf("%s has %d elements and %d", path, v.Len(), list.Len())
		}
		for i := range list.Len() {
			if err := agreeScalar(fmt.Sprintf("%s[%d]", path, i), v.Index(i), list.Get(i)); err != nil {
				return err
			}
		}
		return nil
	}
	return agreeScalar(path, v, got)
}

func agreeScalar(path string, v reflect.Value, got protoreflect.Value) error {
	switch x := got.Interface().(type) {
	case protoreflect.Message:
		return agree(path, v, x)
	case []byte: // an id; a zero one is not written
		id := v.Interface()
		var want [16]byte
		reflect.ValueOf(&want).Elem().Set(reflect.ValueOf(id).Convert(reflect.TypeFor[[16]byte]()))
		if string(x) != string(want[:]) && (len(x) > 0 || want != [16]byte{}) {
			return fmt.Errorf("%s is %x and %x", path, want, x)
		}
		return nil
	}
	if want := fmt.Sprint(plain(v)); fmt.Sprint(got.Interface()) != want {
		return fmt.Errorf("%s is %s and %v", path, want, got.Interface())
	}
	return nil
}

// plain is v without its named type, whose String would be printed.
func plain(v reflect.Value) any {
	switch {
	case v.CanInt():
		return v.Int()
	case v.CanUint():
		return v.Uint()
	case v.Kind() == reflect.Bool:
		return v.Bool()
	}
	return v.String()
}

// The numbers and types of the log's records are for ever. This list only
// grows: a line that changes or goes away makes records of the past unreadable.
// `go test ./ingest/event -run TestSchemaOnlyGrows -update` adds new lines.
func TestSchemaOnlyGrows(t *testing.T) {
	const file = "testdata/schema.txt"
	now := schemaLines()
	kept, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, line := range now {
		known[line] = true
	}
	for line := range strings.Lines(string(kept)) {
		if line = strings.TrimSpace(line); !known[line] {
			t.Errorf("%q is gone or has changed; take another number for what is new and reserve this one", line)
		}
	}
	if t.Failed() {
		return
	}
	text := strings.Join(now, "\n") + "\n"
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if text != string(kept) {
		t.Errorf("the schema has grown; run the test with -update and commit %s", file)
	}
}

func schemaLines() []string {
	var lines []string
	messages := eventpb.File_ingest_event_eventpb_event_proto.Messages()
	for i := range messages.Len() {
		fields := messages.Get(i).Fields()
		for j := range fields.Len() {
			f := fields.Get(j)
			kind := f.Kind().String()
			if f.Message() != nil {
				kind = string(f.Message().Name())
			}
			lines = append(lines, fmt.Sprintf("%s %d %s %s %s", messages.Get(i).Name(), f.Number(), f.Name(), f.Cardinality(), kind))
		}
	}
	for k := range Kind(255) {
		if k.String() != "unknown" || k == KindUnknown {
			lines = append(lines, fmt.Sprintf("kind %d %s", k, k))
		}
	}
	for _, s := range Sources {
		lines = append(lines, fmt.Sprintf("source %d %s", s, s))
	}
	for v := Accepted; v <= Quarantined; v++ {
		lines = append(lines, fmt.Sprintf("verdict %d %s", v, v))
	}
	for c := Home; c <= Reference; c++ {
		lines = append(lines, fmt.Sprintf("copy %d %s", c, c))
	}
	for z := ZoneConfigured; z <= ZoneAssumed; z++ {
		lines = append(lines, fmt.Sprintf("zone_source %d %s", z, z))
	}
	constants := []struct {
		name  string
		value uint8
	}{
		{"review_state unknown", uint8(ReviewUnknown)}, {"review_state pending", uint8(ReviewPending)},
		{"review_state commented", uint8(ReviewCommented)}, {"review_state approved", uint8(ReviewApproved)},
		{"review_state changes_requested", uint8(ReviewChangesRequested)}, {"review_state dismissed", uint8(ReviewDismissed)},
		{"deployment_state unknown", uint8(DeploymentUnknown)}, {"deployment_state pending", uint8(DeploymentPending)},
		{"deployment_state running", uint8(DeploymentRunning)}, {"deployment_state success", uint8(DeploymentSuccess)},
		{"deployment_state failure", uint8(DeploymentFailure)}, {"deployment_state rolled_back", uint8(DeploymentRolledBack)},
		{"deployment_state cancelled", uint8(DeploymentCancelled)}, {"deployment_state inactive", uint8(DeploymentInactive)},
		{"category unknown", uint8(CategoryUnknown)}, {"category to_do", uint8(CategoryToDo)},
		{"category in_progress", uint8(CategoryInProgress)}, {"category done", uint8(CategoryDone)},
		{"act commit", uint8(ActCommit)}, {"act opened", uint8(ActOpened)}, {"act reviewed", uint8(ActReviewed)},
		{"act commented", uint8(ActCommented)}, {"act merged", uint8(ActMerged)},
		{"act transitioned", uint8(ActTransitioned)}, {"act deployed", uint8(ActDeployed)},
	}
	for _, c := range constants {
		lines = append(lines, fmt.Sprintf("%s %d", c.name, c.value))
	}
	return lines
}
