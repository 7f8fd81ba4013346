// Package config reads Meridian's configuration: flag over environment over
// YAML over default (`meridian config show` prints what came of it).
//
// It knows keys, units, bounds and defaults, and nothing of what they are used
// for. All problems are reported at once, each with its file and line and what
// to write instead. An environment variable is MERIDIAN_ and the key's path in
// capitals with _ between; with _FILE behind it, it names a file that holds the
// value, which is how secrets come in.
//
// The surprising thing: values of the environment are YAML too, so that lists
// of sources fit in one variable (MERIDIAN_SOURCES_GITHUB='[{name: acme,
// secrets: [s]}]'); a plain list of words may be separated by commas.
package config
