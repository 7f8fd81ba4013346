package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Load reads path ("": none), then the environment (as os.Environ returns it),
// then applies flags, and validates the whole. The error is [Problems].
func Load(path string, environ []string, flags func(*Config)) (Config, error) {
	c := Default()
	var ps Problems
	lines := map[string]string{} // key path -> where it was set
	if path != "" {
		data, err := os.ReadFile(path)
		if err != nil {
			ps.add("", "cannot read the configuration file: %v", err)
			return c, ps
		}
		ps = append(ps, decode(path, data, &c, lines)...)
	}
	ps = append(ps, fromEnvironment(environ, &c, lines)...)
	if flags != nil {
		flags(&c)
	}
	ps = append(ps, c.APIs.readSecrets(lines)...)
	ps = append(ps, c.validate(lines)...)
	if len(ps) > 0 {
		return c, ps
	}
	return c, nil
}

func decode(file string, data []byte, c *Config, lines map[string]string) (ps Problems) {
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		ps.add(file, "not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
		return ps
	}
	if len(root.Content) == 0 {
		return nil
	}
	locate(file, "", root.Content[0], lines)
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	err := dec.Decode(c)
	if te := (*yaml.TypeError)(nil); errors.As(err, &te) {
		for _, e := range te.Errors {
			where, text := splitLine(file, e)
			ps.add(where, "%s", text)
		}
	} else if err != nil && !errors.Is(err, io.EOF) {
		ps.add(file, "%s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return ps
}

// locate notes where each key stands: "time.bounds.github" -> "file:12".
func locate(file, path string, n *yaml.Node, lines map[string]string) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := join(path, n.Content[i].Value)
			lines[key] = fmt.Sprintf("%s:%d", file, n.Content[i].Line)
			locate(file, key, n.Content[i+1], lines)
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			key := fmt.Sprintf("%s[%d]", path, i)
			lines[key] = fmt.Sprintf("%s:%d", file, item.Line)
			locate(file, key, item, lines)
		}
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

var (
	lineError    = regexp.MustCompile(`^line (\d+): (.*)$`)
	unknownField = regexp.MustCompile(`^field (\S+) not found in type (\S+)$`)
	wrongType    = regexp.MustCompile("^cannot unmarshal !!(\\w+) (`.*`)? ?into (.*)$")
)

// splitLine turns one of the decoder's messages into place and sentence.
func splitLine(file, e string) (where, text string) {
	where, text = file, e
	if m := lineError.FindStringSubmatch(e); m != nil {
		where, text = file+":"+m[1], m[2]
	}
	if m := unknownField.FindStringSubmatch(text); m != nil {
		text = fmt.Sprintf("unknown key %q; %s", m[1], meant(m[1], keysOf[m[2]]))
	} else if m := wrongType.FindStringSubmatch(text); m != nil {
		text = fmt.Sprintf("%s %s where %s is expected", m[1], m[2], kindName(m[3]))
	}
	return where, text
}

func kindName(goType string) string {
	switch {
	case strings.HasPrefix(goType, "[]"):
		return "a list"
	case strings.HasPrefix(goType, "int"):
		return "a whole number"
	case goType == "bool":
		return "true or false"
	case goType == "string":
		return "a text"
	}
	return "a group of keys"
}

// fields calls visit with every leaf of c: its dotted path and its value. A
// leaf is anything but a struct.
func fields(c *Config, visit func(path string, v reflect.Value)) {
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		if v.Kind() != reflect.Struct {
			visit(path, v)
			return
		}
		for i := range v.NumField() {
			walk(join(path, v.Type().Field(i).Tag.Get("yaml")), v.Field(i))
		}
	}
	walk("", reflect.ValueOf(c).Elem())
}
