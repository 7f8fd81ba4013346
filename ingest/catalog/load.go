package catalog

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// File is one file of a catalog.
type File struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

// Load reads a catalog file, or the .yaml and .yml files of a folder in order of
// their names as if they were one; the YAML documents of a file (---) are as files.
// The error is [Problems], with everything that
// is wrong.
func Load(path string, o Options) (*Catalog, error) {
	files, err := Files(path)
	if err != nil {
		return nil, err
	}
	return ParseFiles(files, o)
}

// Files reads the files that [Load] makes a catalog of. The error is [Problems].
func Files(path string) ([]File, error) {
	unreadable := func(err error) ([]File, error) {
		var withPath *os.PathError // its text repeats the path
		if errors.As(err, &withPath) {
			err = withPath.Err
		}
		return nil, Problems{{File: path, Text: "it cannot be read (" + err.Error() + "); name a YAML file or a folder of them"}}
	}
	info, err := os.Stat(path)
	if err != nil {
		return unreadable(err)
	}
	names := []string{path}
	if info.IsDir() {
		if names, err = yamlFiles(path); err != nil {
			return unreadable(err)
		}
		if len(names) == 0 {
			return nil, Problems{{File: path, Text: "the folder has no .yaml file; put one there, or name no catalog"}}
		}
	}
	var files []File
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			path = name
			return unreadable(err)
		}
		files = append(files, File{name, data})
	}
	return files, nil
}

func yamlFiles(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder) // sorted
	var names []string
	for _, e := range entries {
		extension := strings.ToLower(filepath.Ext(e.Name()))
		if !e.IsDir() && !strings.HasPrefix(e.Name(), ".") && (extension == ".yaml" || extension == ".yml") {
			names = append(names, filepath.Join(folder, e.Name()))
		}
	}
	return names, err
}

// Parse reads a catalog from memory; name stands for the file in problems.
func Parse(name string, data []byte, o Options) (*Catalog, error) {
	return ParseFiles([]File{{name, data}}, o)
}

// ParseFiles reads a catalog of several files, in this order, from memory.
func ParseFiles(files []File, o Options) (*Catalog, error) {
	c, accounts, problems := read(files, o.Key)
	if err := problems.err(); err != nil {
		return nil, err
	}
	made := build(c, o)
	made.accounts = accounts
	return made, nil
}

// Check returns everything that is wrong with the files of a catalog, at once: what
// keeps it from being read, and targets of metrics that are not among these, with
// which it would still be. The error is [Problems].
func Check(files []File, metrics []string) error {
	c, _, problems := read(files, nil)
	c.unknownTargets(metrics, problems)
	return problems.err()
}

// read reads what can be read, and finds all that is wrong with it.
func read(files []File, key []byte) (c *content, accounts map[string]*person, problems *collector) {
	problems, c = &collector{}, &content{}
	for _, f := range files {
		r := &reader{f.Name, problems}
		for _, n := range r.documents(f.Data) {
			c.file(r, n)
		}
	}
	c.check(problems)
	// Accounts are compared as events have them.
	claims := &Catalog{key: key, content: c, accounts: map[string]*person{}}
	claims.claimAccounts(problems)
	return c, claims.accounts, problems
}

// documents are those of a file, as if each were a file of its own; none where it is
// empty or no YAML.
func (r *reader) documents(data []byte) (all []*yaml.Node) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var n yaml.Node
		switch err := decoder.Decode(&n); {
		case err == io.EOF:
			return all
		case err != nil:
			r.problems = append(r.problems, syntax(r.file, err))
			return all
		case len(n.Content) > 0 && !absent(n.Content[0]):
			all = append(all, n.Content[0])
		}
	}
}

var (
	yamlLine = regexp.MustCompile(`^yaml: line (\d+): (.*)$`)
	// The library counts lines from 0 in what its parser says, from 1 elsewhere.
	fromZero = regexp.MustCompile(`^did not find expected (key|node|'-'|',' or|<)`)
)

// syntax takes the library's line out of its sentence.
func syntax(file string, err error) Problem {
	text := err.Error()
	line := 0
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = m[2]
		if fromZero.MatchString(text) {
			line++
		}
	}
	return Problem{file, line, "this is no YAML: " + strings.TrimPrefix(text, "yaml: ") + "; look at indentation, quotes, brackets and tabs from here on"}
}
