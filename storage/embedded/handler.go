package embedded

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// maxStatement bounds the text of a statement; the data of an insert in a format is not bounded, for it is streamed.
const maxStatement = 64 << 20

// handler is ClickHouse's HTTP interface over an engine: POST / with the statement in ?query=, in the body, or begun in one and
// continued in the other. Settings come as URL parameters, values of {name:Type} as param_name.
type handler struct {
	engine *engine
	hello  hello
}

// transport are the URL parameters that are not settings. Those about users and quotas mean nothing here, query_id cannot be
// given to chDB, and answers are always whole, so wait_end_of_query is always so.
var transport = map[string]bool{
	"query": true, "database": true, "default_format": true, "query_id": true, "client_protocol_version": true,
	"user": true, "password": true, "quota_key": true, "role": true, "stacktrace": true,
	"wait_end_of_query": true, "buffer_size": true, "send_progress_in_http_headers": true, "http_headers_progress_interval_ms": true,
	"compress": true, "decompress": true, "enable_http_compression": true, "http_zlib_compression_level": true,
	"network_compression_method": true, "network_zstd_compression_level": true,
	"session_id": true, "session_timeout": true, "session_check": true, "close_session": true,
	"log_comment": true, // names the connection for KILL QUERY
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/ping", r.URL.Path == "/" && r.Method != http.MethodPost && !r.URL.Query().Has("query"):
		_, _ = io.WriteString(w, "Ok.\n")
	case r.URL.Path != "/" && r.URL.Path != "/query":
		http.Error(w, "There is no handle "+r.URL.Path+"; queries go to /", http.StatusNotFound)
	default:
		if err := h.serve(w, r); err != nil {
			// A client still writing would see its connection break and never the reason.
			_, _ = io.Copy(io.Discard, r.Body)
			writeException(w, err)
		}
	}
}

func (h *handler) serve(w http.ResponseWriter, r *http.Request) error {
	q, err := readRequest(r)
	if err != nil {
		return err
	}
	if isHello(q.sql) {
		block, err := h.hello.encode(r.URL.Query().Get("client_protocol_version"))
		if err != nil {
			return err
		}
		return answer(w, r, "Native", block)
	}
	result, err := h.engine.run(r.Context(), q)
	if err != nil {
		return err
	}
	defer result.release()
	return answer(w, r, q.format, result.bytes())
}

// readRequest takes a request apart; it refuses what chDB behind this interface cannot do instead of doing something else.
func readRequest(r *http.Request) (request, error) {
	values := r.URL.Query()
	if err := unsupported(r, values); err != nil {
		return request{}, err
	}
	q := request{database: values.Get("database"), settings: map[string]string{}, format: values.Get("default_format")}
	if q.database == "" {
		q.database = r.Header.Get("X-ClickHouse-Database")
	}
	if q.format == "" {
		q.format = r.Header.Get("X-ClickHouse-Format")
	}
	if q.format == "" {
		q.format = "TabSeparated"
	}
	for name := range values {
		if key, ok := strings.CutPrefix(name, "param_"); ok {
			q.params = append(q.params, param{name: key, value: values.Get(name)})
		} else if !transport[name] {
			q.settings[name] = values.Get(name)
		}
	}
	if r.Method != http.MethodPost {
		q.settings["readonly"] = "2" // as a ClickHouse server: GET reads
	}

	text := []byte(values.Get("query"))
	if in, ok := splitInsert(text); ok {
		q.sql, q.insert, q.data = text, &in, io.MultiReader(bytes.NewReader(in.data), r.Body)
		return q, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxStatement))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return request{}, newException(codeSyntaxError, "SYNTAX_ERROR", fmt.Sprintf("The statement is larger than %d bytes; data goes behind INSERT ... FORMAT in ?query=, it has no limit there", maxStatement))
	} else if err != nil {
		return request{}, newException(codeCancelled, "QUERY_WAS_CANCELLED", fmt.Sprintf("The statement broke off: %v", err))
	}
	if len(text) > 0 && len(body) > 0 {
		text = append(text, '\n')
	}
	q.sql = append(text, body...)
	if in, ok := splitInsert(q.sql); ok {
		q.insert, q.data = &in, bytes.NewReader(in.data)
	}
	return q, nil
}

func unsupported(r *http.Request, values url.Values) error {
	refuse := func(what string) error {
		return newException(codeNotImplemented, "NOT_IMPLEMENTED", "The embedded ClickHouse has no "+what+"; use a ClickHouse server (clickhouse.dsn)")
	}
	on := func(name string) bool { v := values.Get(name); return v != "" && v != "0" && v != "false" }
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch encoding := r.Header.Get("Content-Encoding"); {
	case on("compress"), on("decompress"), encoding != "" && encoding != "identity":
		return refuse("compressed bodies")
	case values.Has("session_id"):
		return refuse("sessions over HTTP")
	case media == "multipart/form-data":
		return refuse("external tables")
	}
	return nil
}

// answer sends a whole result. Its length is known, so a client that gets less knows that it was cut off.
func answer(w http.ResponseWriter, r *http.Request, format string, body []byte) error {
	header := w.Header()
	header.Set("Content-Type", "application/octet-stream")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set("X-ClickHouse-Format", format)
	if id := r.URL.Query().Get("query_id"); id != "" {
		header.Set("X-ClickHouse-Query-Id", id)
	}
	_, _ = w.Write(body) // a client that went away needs no answer
	return nil
}

func writeException(w http.ResponseWriter, err error) {
	var e *exception
	if !errors.As(err, &e) {
		e = newException(codeUnknown, "UNKNOWN_EXCEPTION", err.Error())
	}
	w.Header().Set("Content-Type", "text/plain; charset=UTF-8")
	w.Header().Set("X-ClickHouse-Exception-Code", strconv.Itoa(e.code))
	w.WriteHeader(e.status())
	_, _ = io.WriteString(w, e.text+"\n")
}
