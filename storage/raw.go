package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Raw is one statement for people and files: its answer comes in one of
// ClickHouse's own formats, as ClickHouse writes it. Pages never ask this way.
type Raw struct {
	Text     string
	Format   string            // of the answer, where the statement names none; "" is TabSeparated
	Write    bool              // else nothing is changed, whatever the statement says
	Params   map[string]string // values of {name:Type}
	Settings map[string]string
}

// rawError bounds what is read of a refusal.
const rawError = 16 << 10

// Raw runs a statement and returns its answer, which the caller closes. The
// embedded engine holds an answer whole in memory; a server sends it as it comes.
// What ClickHouse refuses is [ErrRefused], or what says better what to do, with its
// own words.
func (d *Database) Raw(ctx context.Context, q Raw) (io.ReadCloser, error) {
	o := d.cfg.Options
	if len(o.Addr) == 0 {
		return nil, errors.New("storage: no ClickHouse is named")
	}
	values := url.Values{"database": {o.Auth.Database}}
	if q.Format != "" {
		values.Set("default_format", q.Format)
	}
	for name, value := range q.Params {
		values.Set("param_"+name, value)
	}
	for name, value := range q.Settings {
		values.Set(name, value)
	}
	if !q.Write {
		values.Set("readonly", "2") // reads, and settings may be given
	}
	u := url.URL{Scheme: "http", Host: o.Addr[0], Path: "/" + strings.TrimPrefix(o.HttpUrlPath, "/"), RawQuery: values.Encode()}
	transport := &http.Transport{DisableKeepAlives: true}
	if o.TLS != nil {
		u.Scheme, transport.TLSClientConfig = "https", o.TLS
	}
	if o.DialContext != nil {
		transport.DialContext = func(ctx context.Context, _, addr string) (net.Conn, error) { return o.DialContext(ctx, addr) }
	} else {
		transport.Proxy = http.ProxyFromEnvironment
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), strings.NewReader(q.Text))
	if err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	for name, value := range o.HttpHeaders {
		req.Header.Set(name, value)
	}
	if o.Auth.Username != "" {
		req.Header.Set("X-ClickHouse-User", o.Auth.Username)
		req.Header.Set("X-ClickHouse-Key", o.Auth.Password)
	}
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return nil, classify(ctx, "ask ClickHouse", err)
	}
	if res.StatusCode == http.StatusOK {
		return res.Body, nil
	}
	defer res.Body.Close()
	said, err := io.ReadAll(io.LimitReader(res.Body, rawError))
	if err != nil {
		return nil, classify(ctx, "ask ClickHouse", err)
	}
	kind := ErrRefused
	if code, err := strconv.Atoi(res.Header.Get("X-ClickHouse-Exception-Code")); err == nil && byCode[int32(code)] != nil {
		kind = byCode[int32(code)]
	}
	return nil, fmt.Errorf("%w: %s", kind, strings.TrimSpace(string(said)))
}
