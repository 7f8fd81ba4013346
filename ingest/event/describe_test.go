package event

import (
	"fmt"
	"reflect"
	"strings"
)

// describe lists every field of v that is not zero, one a line, by path.
func describe(v any) string {
	var lines []string
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				walk(path, v.Elem())
			}
		case reflect.Struct:
			for i := range v.NumField() {
				walk(path+"."+v.Type().Field(i).Name, v.Field(i))
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
			}
		case reflect.Array:
			if !v.IsZero() {
				lines = append(lines, fmt.Sprintf("%s %x", path, v.Interface()))
			}
		default:
			if !v.IsZero() {
				lines = append(lines, fmt.Sprintf("%s %v", path, plain(v)))
			}
		}
	}
	walk("", reflect.ValueOf(v))
	return strings.Join(lines, "\n")
}
