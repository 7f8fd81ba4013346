package metrics

import (
	"encoding/hex"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing")

// filler gives every exported field of a value something else than nothing.
type filler struct{ n int64 }

func (f *filler) fill(v reflect.Value) {
	f.n++
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() || field.Anonymous {
				f.fill(v.Field(i))
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.fill(v.Index(0))
		f.fill(v.Index(1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key)
			f.fill(value)
			v.SetMapIndex(key, value)
		}
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.String:
		v.SetString(fmt.Sprintf("text-%d", f.n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int64:
		v.SetInt(1_770_000_000_000 + f.n*1000)
	case reflect.Uint8:
		v.SetUint(uint64(f.n%3 + 1))
	case reflect.Uint64:
		v.SetUint(uint64(f.n) * 0x9e3779b97f4a7c15)
	default:
		panic("a fold has a field of a kind that the test does not know: " + v.Type().String())
	}
}

// The folds of all kinds, each with all of its fields.
func filledFolds() map[string]Fold {
	folds := map[string]Fold{}
	for _, k := range Folds() {
		f := k.New()
		new(filler).fill(reflect.ValueOf(f).Elem())
		folds[fmt.Sprintf("%T", f)] = f
	}
	return folds
}

// Every field of every fold is in a snapshot, in bytes that do not change unless
// foldFormat does.
func TestFoldCodecs(t *testing.T) {
	const golden = "testdata/folds.golden"
	var b strings.Builder
	folds := filledFolds()
	for _, name := range slices.Sorted(maps.Keys(folds)) {
		f := folds[name]
		data, err := SaveFold(f)
		if err != nil || data[0] != foldFormat {
			t.Fatalf("%s: format %d, %v", name, data[0], err)
		}
		back := reflect.New(reflect.TypeOf(f).Elem()).Interface().(Fold)
		if err := ReadFold(back, data); err != nil || !reflect.DeepEqual(back, f) {
			t.Errorf("%s: %v\n%+v\nwant\n%+v", name, err, back, f)
		}
		fmt.Fprintf(&b, "%s %s\n", name, hex.EncodeToString(data))
	}
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || string(want) != b.String() {
		t.Errorf("a fold has other bytes than %s (%v). Old snapshots cannot be read: raise foldFormat, and write the file with -update", golden, err)
	}
}

// Whatever a coder writes it reads; damage is an error.
func TestCoder(t *testing.T) {
	type values struct {
		At     [4]timeline.Millis
		Signed int64
		Number uint64
		Fixed  uint64
		Flags  [8]bool
		Texts  []string
		Raw    string
		People [3]event.PersonID
	}
	one := func(v *values, c *coder) {
		for i := range v.At {
			c.instant(&v.At[i])
		}
		c.signed(&v.Signed)
		code(c, &v.Number)
		c.fixed(&v.Fixed)
		f := &v.Flags
		c.flags(&f[0], &f[1], &f[2], &f[3], &f[4], &f[5], &f[6], &f[7])
		codeTexts(c, &v.Texts)
		raw(c, &v.Raw)
		for i := range v.People {
			c.person(&v.People[i])
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		var v values
		for i := range v.At {
			v.At[i] = timeline.Millis(rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{0, 1, -1 << 63, 1<<63 - 1, 1_770_000_000_000})).Draw(rt, "at"))
		}
		v.Signed, v.Number, v.Fixed = rapid.Int64().Draw(rt, "signed"), rapid.Uint64().Draw(rt, "number"), rapid.Uint64().Draw(rt, "fixed")
		for i := range v.Flags {
			v.Flags[i] = rapid.Bool().Draw(rt, "flag")
		}
		name := rapid.OneOf(rapid.StringN(0, 5, -1), rapid.StringMatching(`(a/)?[0-9a-f]{30,34}`), rapid.SampledFrom([]string{"", "a", "b"}))
		v.Texts, v.Raw = rapid.SliceOfN(name, 1, 20).Draw(rt, "texts"), name.Draw(rt, "raw")
		for i := range v.People {
			v.People[i][0] = byte(rapid.IntRange(0, 2).Draw(rt, "person"))
		}
		var c coder
		c.write()
		one(&v, &c)
		data := string(c.w.b)
		var back values
		c.read(data)
		one(&back, &c)
		if err := c.end(); err != nil || !reflect.DeepEqual(back, v) {
			rt.Fatalf("%v\n%+v\nwant\n%+v", err, back, v)
		}
		cut := rapid.IntRange(0, len(data)-1).Draw(rt, "cut")
		c.read(data[:cut])
		one(&back, &c)
		if err := c.end(); err == nil {
			rt.Fatalf("cut at %d of %d it can be read", cut, len(data))
		}
	})
}

// Whatever bytes stand for a fold, they are read or refused.
func FuzzFold(f *testing.F) {
	for _, fold := range filledFolds() {
		data, err := SaveFold(fold)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, k := range Folds() {
			_ = ReadFold(k.New(), data)
		}
	})
}
