package catalog

import (
	"os"
	"regexp"
	"testing"
)

// The examples of the documentation are sound, for the loader and for editors.
func TestExamplesOfTheDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/catalog.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(page, -1)
	if len(found) != 2 {
		t.Fatalf("%d examples", len(found))
	}
	schema := compiledSchema(t)
	for _, m := range found {
		if _, err := Parse("docs/catalog.md", m[1], Options{}); err != nil {
			t.Error(err)
		}
		if err := schema.Validate(instance(t, string(m[1]))); err != nil {
			t.Error(err)
		}
	}
	if example := mustParse(t, example); example.Hash() != mustParse(t, string(found[0][1])).Hash() {
		t.Error("the first example is another than that of the tests")
	}
}
