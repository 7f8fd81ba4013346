package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"
)

// engine is a running chDB: a pool of connections over one data directory. Safe for concurrent use.
type engine struct {
	lib  *chdb
	args []string
	free chan *lease

	control sync.Mutex // one statement at a time on the spare connection
	spare   *connection
}

// openEngine starts chDB on a directory that this process has locked.
func openEngine(lib *chdb, dir, database string, memory int64, connections int) (*engine, error) {
	e := &engine{
		lib: lib,
		args: []string{
			"--path=" + dir,
			"--max_server_memory_usage=" + strconv.FormatInt(memory, 10),
			// The caches of marks count against the limit and are worth an eighth of it, not the 5 GiB of a server.
			"--mark_cache_size=" + strconv.FormatInt(memory/8, 10),
			"--index_mark_cache_size=" + strconv.FormatInt(memory/16, 10),
			// What chDB changes for the comfort of a shell; a server has neither.
			"--implicit_select=0", "--allow_introspection_functions=0",
		},
		free: make(chan *lease, connections),
	}
	spare, err := lib.open(e.args...)
	if err != nil {
		return nil, err
	}
	e.spare = spare
	if _, err := e.text("CREATE DATABASE IF NOT EXISTS " + quoteName(database)); err != nil {
		e.spare.close()
		return nil, fmt.Errorf("create database %s: %w", database, err)
	}
	for i := range connections {
		l, err := e.open("meridian-" + strconv.Itoa(i))
		if err != nil {
			e.close()
			return nil, err
		}
		e.free <- l
	}
	return e, nil
}

func (e *engine) open(name string) (*lease, error) {
	c, err := e.lib.open(append(slices.Clone(e.args), "--log_comment="+name)...)
	if err != nil {
		return nil, err
	}
	return &lease{connection: c, name: name, database: "default"}, nil
}

// text runs a small statement on the spare connection and gives its result as tab-separated text.
func (e *engine) text(sql string) (string, error) {
	e.control.Lock()
	defer e.control.Unlock()
	r, err := e.spare.query([]byte(sql), "TabSeparated")
	if err != nil {
		return "", err
	}
	defer r.release()
	return string(r.bytes()), nil
}

// request is one statement and the state of the session in which a client wants it run.
type request struct {
	database string
	settings map[string]string
	format   string
	params   []param
	sql      []byte
	insert   *insert   // when the statement brings data
	data     io.Reader // of the insert
}

// run executes a request on a connection of the pool. When ctx ends first, the statement is killed and the error says so.
func (e *engine) run(ctx context.Context, q request) (*result, error) {
	var l *lease
	select {
	case l = <-e.free:
	case <-ctx.Done():
		return nil, newException(codeCancelled, "QUERY_WAS_CANCELLED", "The request ended while it waited for a free connection")
	}
	dirty := false
	defer func() { e.giveBack(l, dirty) }()
	if err := l.prepare(q.database, q.settings); err != nil {
		// Perhaps the connection cannot be changed any more (readonly): a new one has the last word.
		fresh, openErr := e.open(l.name)
		if openErr != nil {
			return nil, errors.Join(err, openErr)
		}
		l.close()
		l = fresh
		if err := l.prepare(q.database, q.settings); err != nil {
			dirty = true
			return nil, err
		}
	}

	done := e.killWith(ctx, l.name)
	defer done()
	if q.insert != nil {
		return l.insert(ctx, q)
	}
	first := statements(q.sql)
	if len(first) == 0 {
		return nil, newException(codeSyntaxError, "SYNTAX_ERROR", "Empty query")
	}
	if len(first) > 1 {
		return nil, newException(codeSyntaxError, "SYNTAX_ERROR", "Syntax error (Multi-statements are not allowed)")
	}
	dirty = leavesState(q.sql, first[0])
	return l.query(q.sql, q.format, q.params...)
}

// giveBack returns a connection to the pool, or a new one in its place.
func (e *engine) giveBack(l *lease, dirty bool) {
	if dirty {
		if fresh, err := e.open(l.name); err == nil {
			l.close()
			l = fresh
		}
	}
	e.free <- l
}

// killInterval is how often a statement is killed that does not end. Once may be too early: a request can end between the
// lease of its connection and the moment at which the engine lists its statement.
const killInterval = 100 * time.Millisecond

// killWith kills what runs on a connection when ctx ends, until done is called. done returns when no kill is under way: only
// then may the connection be someone else's, whose statement a late kill would hit.
func (e *engine) killWith(ctx context.Context, name string) (done func()) {
	finished, killed := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(killed)
		for {
			// Its error is nobody's: the statement ends by itself or with its process.
			_, _ = e.text("KILL QUERY WHERE Settings['log_comment'] = " + quoteText(name) + " ASYNC")
			select {
			case <-finished:
				return
			case <-time.After(killInterval):
			}
		}
	})
	return func() {
		close(finished)
		if !stop() {
			<-killed
		}
	}
}

// close ends every connection; the engine writes nothing after it. Nothing may run any more.
func (e *engine) close() {
	for range cap(e.free) {
		select {
		case l := <-e.free:
			l.close()
		default:
		}
	}
	e.spare.close()
	e.lib.shutdown()
}
