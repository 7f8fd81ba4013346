package embedded

import (
	"fmt"
	"strconv"
	"strings"

	chproto "github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/column"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"
)

// helloQuery is what clickhouse-go asks first of every HTTP connection.
const helloQuery = "SELECT displayName(), version(), revision(), timezone()"

// hello is the answer to it. The revision is 0 and not the engine's own: it tells the client how to read Native blocks, and
// chDB writes them without block information and without the mark of custom serialization, whatever the client says it speaks.
type hello struct{ name, version, zone string }

func isHello(sql []byte) bool { return strings.TrimSpace(string(sql)) == helloQuery }

// sayHello asks the engine who it is.
func sayHello(e *engine) (hello, error) {
	line, err := e.text("SELECT displayName(), version(), timezone()")
	if err != nil {
		return hello{}, fmt.Errorf("ask chDB for its version: %w", err)
	}
	fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
	if len(fields) != 3 {
		return hello{}, fmt.Errorf("ask chDB for its version: %q is not three fields", line)
	}
	return hello{name: fields[0], version: fields[1], zone: fields[2]}, nil
}

// encode is the answer as a Native block of the client's revision: only after it does the client know that the revision is 0.
func (h hello) encode(clientRevision string) ([]byte, error) {
	var revision uint64
	if clientRevision != "" {
		var err error
		if revision, err = strconv.ParseUint(clientRevision, 10, 32); err != nil {
			return nil, newException(codeSyntaxError, "SYNTAX_ERROR", "client_protocol_version "+clientRevision+" is no number")
		}
	}
	block := proto.NewBlock()
	for _, c := range []struct {
		name string
		kind column.Type
	}{{"displayName()", "String"}, {"version()", "String"}, {"revision()", "UInt32"}, {"timezone()", "String"}} {
		if err := block.AddColumn(c.name, c.kind); err != nil {
			return nil, fmt.Errorf("encode the answer to clickhouse-go's first query: %w", err)
		}
	}
	if err := block.Append(h.name, h.version, uint32(0), h.zone); err != nil {
		return nil, fmt.Errorf("encode the answer to clickhouse-go's first query: %w", err)
	}
	var buffer chproto.Buffer
	if err := block.Encode(&buffer, revision); err != nil {
		return nil, fmt.Errorf("encode the answer to clickhouse-go's first query: %w", err)
	}
	return buffer.Buf, nil
}
