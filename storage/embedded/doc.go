// Package embedded runs ClickHouse without a ClickHouse server: the library libchdb, in a child process, behind ClickHouse's
// own HTTP interface. It knows processes, sockets and how chDB differs from a server; it knows nothing of tables, metrics or
// migrations. Whoever holds [Server.Options] uses it as they would use any ClickHouse through clickhouse-go.
//
// The parent has a [Server]; it starts the program's own binary again, whose hidden subcommand calls [Main], the child:
//
//	clickhouse-go ── HTTP over a unix socket ──► handler ──► engine (a pool of chDB connections) ──► libchdb
//
// What surprises, and what a plausible change would break:
//
//   - The engine can abort its process: a bug in half a gigabyte of C++ must not take the webhooks down. So libchdb is never
//     loaded in the parent. The child dies, the parent starts another, and requests meanwhile wait instead of failing.
//   - The child leaves when its parent does, even after kill -9: it reads from a pipe whose other end only the parent holds.
//     It keeps a lock on its directory, for which the next child waits up to ten seconds.
//   - chDB writes Native blocks at protocol revision 0, whatever the client speaks. clickhouse-go believes the revision that
//     its first query tells, so the answer to that one query is made here: it says 0, and is itself encoded at the client's
//     own revision.
//   - A statement with its data behind it, given to chdb_query_n, is cut at a line break in the data. Data therefore goes
//     through chDB's insert stream, which is binary-safe and also bounds memory.
//   - A batch is one part, there as a whole or not at all, up to max_insert_block_size (1,048,449 rows); beyond, it is several.
//   - A chDB connection runs one statement at a time and remembers SET and USE; HTTP requests do not. Each request leases a
//     connection, has its settings and database made those of the request, and a connection whose state is in doubt is
//     replaced.
//   - Even with its signal handlers off, chDB resets Go's at every connect; they are saved and put back.
//
// A request that its client gives up is killed by KILL QUERY from a spare connection, so a reader that goes away does not
// keep computing. What is inside one long call without a check (a single merge step, a DDL statement) still runs to its end.
package embedded
