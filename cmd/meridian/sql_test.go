package main

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func TestStatementsEndAtTheirSemicolons(t *testing.T) {
	for text, want := range map[string][]string{
		"SELECT 1":                                 {"SELECT 1"},
		"SELECT 1; SELECT 2;\n":                    {"SELECT 1", "SELECT 2"},
		"SELECT ';', \"a;b\", `c;d`; x":            {"SELECT ';', \"a;b\", `c;d`", "x"},
		"SELECT 'it\\'s; one'; y":                  {"SELECT 'it\\'s; one'", "y"},
		"SELECT 1 -- not; here\n; SELECT /* ; */2": {"SELECT 1 -- not; here", "SELECT /* ; */2"},
		" ;; \n":       nil,
		"SELECT 'open": {"SELECT 'open"},
	} {
		if got := splitStatements(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// The admin address may be reached by others than who owns the data directory.
func TestAStatementThatWritesComesFromTheOwner(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/sql?write=1", strings.NewReader("TRUNCATE TABLE points_live"))
	answer := httptest.NewRecorder()
	(&machine{}).answerSQL(answer, r) // there is no database: one that asked it would not come back
	if answer.Code != http.StatusForbidden || !strings.Contains(answer.Body.String(), "socket") {
		t.Errorf("answered %d %s", answer.Code, answer.Body)
	}
}
