package embedded

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/pressly/goose/v3"
)

// startTCP is a server with a loopback address, as a stand-in for a ClickHouse server.
func startTCP(t *testing.T) *Server {
	cfg := testConfig(t.TempDir())
	cfg.TCP = "127.0.0.1:0"
	s, _ := start(t, cfg)
	return s
}

// call is one request as curl would send it.
func call(t *testing.T, s *Server, method, query, body string) (status int, header http.Header, text string) {
	t.Helper()
	request, err := http.NewRequestWithContext(deadline(t), method, "http://"+s.Addr()+"/"+query, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(answer)
}

// The interface is ClickHouse's for any HTTP client, formats and errors included.
func TestHTTP(t *testing.T) {
	s := startTCP(t)
	in := func(sql string) string { return "?database=meridian&query=" + url.QueryEscape(sql) }
	for _, c := range []struct {
		method, query, body string
		status              int
		want                string // prefix
	}{
		{"GET", "ping", "", 200, "Ok.\n"},
		{"GET", "", "", 200, "Ok.\n"},
		{"GET", "nothing", "", 404, "There is no handle /nothing"},
		{"POST", "", "SELECT 1, 'a\tb'", 200, "1\ta\\tb\n"},
		{"POST", "?default_format=CSVWithNames", "SELECT 1 AS one, 'x' AS two", 200, "\"one\",\"two\"\n1,\"x\"\n"},
		{"POST", "?default_format=Native", "SELECT 1 AS one FORMAT JSONEachRow", 200, "{\"one\":1}\n"},
		{"POST", in("SELECT number FROM"), "numbers(3)", 200, "0\n1\n2\n"},
		{"POST", in("SELECT 1;"), "", 200, "1\n"},
		{"GET", in("SELECT 'read'"), "", 200, "read\n"},
		{"GET", in("CREATE TABLE t (n UInt8) ENGINE = Memory"), "", 403, "Code: 164. DB::Exception: "},
		{"POST", in("CREATE TABLE t (n UInt8, s String) ENGINE = MergeTree ORDER BY n"), "", 200, ""},
		{"POST", in("INSERT INTO t FORMAT CSV"), "1,\"a\n;b\"\n2,c\n", 200, ""},
		{"POST", "?database=meridian", "INSERT INTO t (n, s) FORMAT JSONEachRow\n{\"n\": 3, \"s\": \"x;\"}\n\n{\"n\": 4, \"s\": \"SELECT\"}", 200, ""},
		{"POST", "?database=meridian", "INSERT INTO t VALUES (5, 'line\nbreak; FORMAT CSV'), (6, '''')", 200, ""},
		{"POST", in("INSERT INTO t SELECT n + 10, s FROM t"), "", 200, ""},
		{"POST", in("INSERT INTO t FORMAT CSV"), "no number\n" + strings.Repeat("1,a\n", 4<<20), 400, "Code: 27. DB::Exception: "},
		{"POST", in("INSERT INTO t FORMAT CSV"), strings.Repeat("9,\"a\nb\"\n", 1<<20) + "no number\n", 400, "Code: 27. DB::Exception: "},
		{"POST", in("INSERT INTO {table:Identifier} FORMAT TSV") + "&param_table=t", "7\tg\n", 200, ""},
		{"POST", in("SELECT n, s FROM t WHERE n < 10 ORDER BY n"), "", 200, "1\ta\\n;b\n2\tc\n3\tx;\n4\tSELECT\n5\tline\\nbreak; FORMAT CSV\n6\t\\'\n7\tg\n"},
		{"POST", in("SELECT count() FROM t"), "", 200, "13\n"},
		{"POST", in("SELECT {a:UInt8} + {b:UInt8}") + "&param_a=1&param_b=2", "", 200, "3\n"},
		{"POST", in("SELECT getSetting('max_threads')") + "&max_threads=1", "", 200, "1\n"},
		{"POST", in("SELECT 1") + "&compress=1", "", 501, "Code: 48. DB::Exception: The embedded ClickHouse has no compressed bodies"},
		{"POST", in("SELECT 1") + "&session_id=s", "", 501, "Code: 48. DB::Exception: The embedded ClickHouse has no sessions"},
		{"POST", "?database=nowhere", "SELECT 1", 404, "Code: 81. DB::Exception: "},
		{"POST", "", "", 400, "Code: 62. DB::Exception: "},
	} {
		status, header, text := call(t, s, c.method, c.query, c.body)
		what := fmt.Sprintf("%s %s %.100q", c.method, c.query, c.body)
		is(t, what+": status", status, c.status)
		if !strings.HasPrefix(text, c.want) || c.status == 200 && text != c.want {
			t.Errorf("%s: got %q, want %q", what, text, c.want)
		}
		code, _, _ := strings.Cut(strings.TrimPrefix(c.want, "Code: "), ".")
		if strings.HasPrefix(c.want, "Code: ") {
			is(t, what+": header", header.Get("X-ClickHouse-Exception-Code"), code)
		}
	}
}

// A client that goes away in the middle of its data has inserted nothing.
func TestInsertBrokenOff(t *testing.T) {
	s := startTCP(t)
	conn := open(t, s.Options())
	run(t, conn, "CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n")
	raw, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	data := strings.Repeat("1\n", insertChunk)
	fmt.Fprintf(raw, "POST /?database=meridian&query=%s HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", url.QueryEscape("INSERT INTO t FORMAT TSV"), len(data), data)
	waitUntil(t, func() bool {
		return value[uint64](t, conn, "SELECT count() FROM system.processes WHERE query LIKE 'INSERT%'") == 1
	})
	if err := raw.Close(); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, func() bool {
		return value[uint64](t, conn, "SELECT count() FROM system.processes WHERE query LIKE 'INSERT%'") == 0
	})
	is(t, "rows", value[uint64](t, conn, "SELECT count() FROM t"), 0)
}

// As a stand-in for a server it is reached with a DSN and nothing else, also after its child died.
func TestDSN(t *testing.T) {
	s := startTCP(t)
	options, err := clickhouse.ParseDSN("http://" + s.Addr() + "/meridian")
	if err != nil {
		t.Fatal(err)
	}
	conn := open(t, options)
	version, err := conn.ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	is(t, "revision", version.Revision, 0)
	is(t, "zone", version.Timezone.String(), "UTC")
	is(t, "database", value[string](t, conn, "SELECT currentDatabase()"), "meridian")

	address := s.Addr()
	if err := syscall.Kill(s.Status().PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, func() bool { now := s.Status(); return now.Restarts == 1 && now.Up })
	is(t, "address", s.Addr(), address)
	is(t, "database", value[string](t, conn, "SELECT currentDatabase()"), "meridian")
}

// Migrations go through database/sql.
func TestGoose(t *testing.T) {
	s, conn := startNew(t)
	db := clickhouse.OpenDB(s.Options())
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectClickHouse, db, fstest.MapFS{
		"0001_points.sql": {Data: []byte("-- +goose Up\nCREATE TABLE IF NOT EXISTS points (n UInt64) ENGINE = MergeTree ORDER BY n;\nINSERT INTO points VALUES (1);\n-- +goose Down\nDROP TABLE points;\n")},
		"0002_more.sql":   {Data: []byte("-- +goose Up\nALTER TABLE points ADD COLUMN IF NOT EXISTS s String DEFAULT 'x';\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{2, 0} { // the second time there is nothing to do
		done, err := provider.Up(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		is(t, "migrations", len(done), want)
	}
	is(t, "row", value[string](t, conn, "SELECT concat(toString(n), s) FROM points"), "1x")
}

// The answer to clickhouse-go's first query is a block of the client's own revision; with 0 it has no block information.
func TestHelloRevision(t *testing.T) {
	h := hello{name: "here", version: "26.7.2.1", zone: "UTC"}
	old, err := h.encode("0")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(old, []byte{4, 1, 13}) { // four columns, one row, "displayName()"
		t.Errorf("at revision 0: got % x", old[:3])
	}
	current, err := h.encode(fmt.Sprint(clickhouse.ClientTCPProtocolVersion))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(old, current) || len(current) <= len(old) {
		t.Error("at the client's revision the block has neither information nor marks of serialization")
	}
	if _, err := h.encode("latest"); err == nil {
		t.Error("a revision that is no number was taken")
	}
}
