package config

import (
	"reflect"

	"meridian/ingest/catalog"
)

// meant says which key was probably meant, else where all of them are.
func meant(got string, keys []string) string {
	if best := catalog.Nearest(got, keys); best != "" {
		return "did you mean " + best + "?"
	}
	return "`meridian config show` lists all keys"
}

// keysOf are the keys of each group, by the name that the decoder has for it.
var keysOf = func() map[string][]string {
	all := map[string][]string{}
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		for t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || all[t.String()] != nil {
			return
		}
		keys := []string{}
		for i := range t.NumField() {
			keys = append(keys, t.Field(i).Tag.Get("yaml"))
		}
		all[t.String()] = keys
		for i := range t.NumField() {
			walk(t.Field(i).Type)
		}
	}
	walk(reflect.TypeFor[Config]())
	return all
}()
