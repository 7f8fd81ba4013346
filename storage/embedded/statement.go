package embedded

import (
	"bytes"
	"strings"
)

// scanner walks over the words of SQL, past comments, strings and quoted names. It understands just enough to find where a
// statement ends and where the data of an INSERT begins; everything else is the engine's to judge.
type scanner struct {
	sql   []byte
	pos   int
	depth int // of brackets
}

// token is the next word in capitals, or one other byte as it stands; "" at the end.
func (s *scanner) token() string {
	for s.pos < len(s.sql) {
		c := s.sql[s.pos]
		rest := s.sql[s.pos:]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
			s.pos++
		case bytes.HasPrefix(rest, []byte("--")):
			s.skipPast("\n")
		case bytes.HasPrefix(rest, []byte("/*")):
			s.skipPast("*/")
		case c == '\'' || c == '"' || c == '`':
			s.skipQuoted(c)
			return string(c)
		case isWord(c):
			start := s.pos
			for s.pos < len(s.sql) && isWord(s.sql[s.pos]) {
				s.pos++
			}
			return strings.ToUpper(string(s.sql[start:s.pos]))
		default:
			s.pos++
			switch c {
			case '(', '[', '{':
				s.depth++
			case ')', ']', '}':
				s.depth--
			}
			return string(c)
		}
	}
	return ""
}

func (s *scanner) skipPast(end string) {
	if i := bytes.Index(s.sql[s.pos:], []byte(end)); i >= 0 {
		s.pos += i + len(end)
	} else {
		s.pos = len(s.sql)
	}
}

// skipQuoted passes a quoted text; a doubled quote is two adjacent texts, which comes to the same.
func (s *scanner) skipQuoted(quote byte) {
	for s.pos++; s.pos < len(s.sql); s.pos++ {
		switch s.sql[s.pos] {
		case '\\':
			s.pos++
		case quote:
			s.pos++
			return
		}
	}
	s.pos = len(s.sql)
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// insert is an INSERT that brings its data in some format.
type insert struct {
	statement []byte // up to FORMAT, which chDB's insert stream takes apart from it
	format    string
	data      []byte // what stood behind it in the same text
}

// splitInsert takes an INSERT ... FORMAT name apart. It is false for what has no such data: other statements, INSERT ...
// SELECT and INSERT ... VALUES, which chDB takes as one text.
func splitInsert(sql []byte) (insert, bool) {
	s := scanner{sql: sql}
	if s.token() != "INSERT" {
		return insert{}, false
	}
	for before := "INSERT"; ; {
		token := s.token()
		switch {
		case token == "":
			return insert{}, false
		case s.depth > 0:
		case token == "SELECT" || token == "WITH" || token == "VALUES" || token == ";":
			return insert{}, false
		case token == "FORMAT" && before != "INTO" && before != "TABLE" && before != ".":
			statement := sql[:s.pos-len(token)]
			begin := s.pos
			for begin < len(sql) && (sql[begin] == ' ' || sql[begin] == '\n' || sql[begin] == '\t' || sql[begin] == '\r') {
				begin++
			}
			end := begin
			for end < len(sql) && isWord(sql[end]) {
				end++
			}
			if begin == end {
				return insert{}, false
			}
			return insert{statement: statement, format: string(sql[begin:end]), data: inlineData(sql[end:])}, true
		}
		before = token
	}
}

// inlineData skips what separates the name of the format from the data: blanks, at most one semicolon and one line break.
func inlineData(rest []byte) []byte {
	rest = bytes.TrimLeft(rest, " \t\f")
	rest = bytes.TrimPrefix(rest, []byte(";"))
	rest = bytes.TrimLeft(rest, " \t\f")
	rest = bytes.TrimPrefix(rest, []byte("\r"))
	return bytes.TrimPrefix(rest, []byte("\n"))
}

// statements gives the first word of each statement in a text.
func statements(sql []byte) []string {
	var first []string
	s := scanner{sql: sql}
	for begin := true; ; {
		switch token := s.token(); {
		case token == "":
			return first
		case token == ";":
			begin = true
		case begin:
			first, begin = append(first, token), false
		}
	}
}

// leavesState says whether a statement changes its connection and not the database: over HTTP it must not outlive its request.
func leavesState(sql []byte, first string) bool {
	switch first {
	case "SET", "USE", "BEGIN", "COMMIT", "ROLLBACK":
		return true
	case "CREATE", "REPLACE":
		s := scanner{sql: sql}
		for range 4 { // CREATE [OR REPLACE] TEMPORARY
			if s.token() == "TEMPORARY" {
				return true
			}
		}
	}
	return false
}
