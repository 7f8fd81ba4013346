package config

import (
	"os"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Prefix begins the name of every environment variable.
const Prefix = "MERIDIAN_"

// notKeys are variables that begin with the prefix and configure something
// else: the library's place, the flags that every command has, and the token for
// --server.
var notKeys = []string{"MERIDIAN_CHDB_LIB", "MERIDIAN_CONFIG", "MERIDIAN_SERVER", "MERIDIAN_TOKEN", "MERIDIAN_TOKEN_FILE"}

// fromEnvironment sets what the environment names. A variable that is no key is
// a problem too: a misspelt name would else be silently without effect.
func fromEnvironment(environ []string, c *Config, lines map[string]string) (ps Problems) {
	values := map[string]string{}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, Prefix) && !slices.Contains(notKeys, name) && !strings.HasPrefix(name, "MERIDIAN_TEST_") && name != "MERIDIAN_REQUIRE_SERVICES" {
			values[name] = value
		}
	}
	var names []string
	fields(c, func(path string, v reflect.Value) {
		name := Prefix + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
		names = append(names, name)
		value, set := values[name]
		file, fromFile := values[name+"_FILE"]
		delete(values, name)
		delete(values, name+"_FILE")
		switch {
		case set && fromFile:
			ps.add(name, "both %s and %s_FILE are set: keep one", name, name)
			return
		case fromFile:
			data, err := os.ReadFile(file)
			if err != nil {
				ps.add(name+"_FILE", "cannot read the file that it names: %v", err)
				return
			}
			name, value = name+"_FILE", strings.TrimRight(string(data), "\r\n")
		case !set:
			return
		}
		lines[path] = name
		if err := setValue(v, value); err != nil {
			ps.add(name, "%s", err)
		}
	})
	for _, name := range sortedKeys(values) {
		ps.add(name, "no such key; %s, and a variable's name is %s and the key's path in capitals", meant(strings.TrimSuffix(name, "_FILE"), names), Prefix)
	}
	return ps
}

func setValue(v reflect.Value, value string) error {
	switch {
	case v.Kind() == reflect.String:
		v.SetString(value)
		return nil
	case v.Type() == reflect.TypeFor[[]string]() && !strings.HasPrefix(strings.TrimSpace(value), "["):
		words := []string{}
		for w := range strings.SplitSeq(value, ",") {
			if w = strings.TrimSpace(w); w != "" {
				words = append(words, w)
			}
		}
		v.Set(reflect.ValueOf(words))
		return nil
	}
	fresh := reflect.New(v.Type())
	dec := yaml.NewDecoder(strings.NewReader(value))
	dec.KnownFields(true)
	if err := dec.Decode(fresh.Interface()); err != nil {
		_, text := splitLine("", strings.TrimPrefix(strings.TrimPrefix(err.Error(), "yaml: unmarshal errors:\n  "), "yaml: "))
		return Problem{Text: text}
	}
	v.Set(fresh.Elem())
	return nil
}

// Error lets one problem travel as an error.
func (p Problem) Error() string { return p.String() }

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
