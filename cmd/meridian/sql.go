package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
	"meridian/storage"
)

func (a *app) sqlCommand() *cobra.Command {
	var q sqlFlags
	var dataDir string
	cmd := &cobra.Command{
		Use: "sql [QUERY]", Short: "Ask ClickHouse", Args: usageArgs(cobra.MaximumNArgs(1)),
		Long: "Runs a statement on the instance's ClickHouse and prints the answer. Without one it reads\n" +
			"statements from standard input; on a terminal, one after another, each ended by a semicolon.\n" +
			"Nothing is changed unless --write is given.",
		Example: "  meridian sql \"SELECT team, n FROM points_live FINAL WHERE metric = 'deploy_frequency' AND grain = 'day30'\"\n" +
			"  meridian sql --format CSVWithNames < question.sql > answer.csv",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.config(func(c *config.Config) { setIf(cmd, "data-dir", &c.DataDir, dataDir) })
			if err != nil {
				return err
			}
			if q.json {
				if cmd.Flags().Changed("format") {
					return withCode(exitUsage, errors.New("--json is --format JSONEachRow; give one of the two"))
				}
				q.format = "JSONEachRow"
			}
			if q.format == "" {
				if q.format = "TabSeparatedWithNames"; isTerminal(a.out) {
					q.format = "PrettyCompact"
				}
			}
			return a.sql(cmd.Context(), c, q, args)
		},
	}
	cmd.Flags().StringVar(&q.format, "format", "", "any format of ClickHouse (default PrettyCompact on a terminal, else TabSeparatedWithNames)")
	cmd.Flags().BoolVar(&q.json, "json", false, "one JSON object a row")
	cmd.Flags().BoolVar(&q.write, "write", false, "let the statement change something")
	cmd.Flags().StringVar(&dataDir, "data-dir", "", "the server's data directory (default ./meridian-data)")
	return cmd
}

type sqlFlags struct {
	format      string
	json, write bool
}

// asker runs one statement and copies the answer.
type asker func(ctx context.Context, text string, to io.Writer) error

// sql finds who has the database, and asks it what there is to ask.
func (a *app) sql(ctx context.Context, c config.Config, q sqlFlags, args []string) error {
	ask := func(ctx context.Context, text string, to io.Writer) error {
		values := url.Values{"format": {q.format}}
		if q.write {
			values.Set("write", "1")
		}
		return a.adminStream(ctx, c, http.MethodPost, "/sql?"+values.Encode(), strings.NewReader(text), to)
	}
	// Whether a server answers is seen by the first statement; asking one twice
	// could write twice, so it is asked for nothing first.
	if a.server == "" && !a.serverAnswers(ctx, c) {
		if c.ClickHouse.DSN == "" {
			if err := mustBeInstance(c.DataDir); err != nil {
				return err
			}
		}
		return a.withDatabase(ctx, c, func(ctx context.Context, r *results) error {
			if err := r.insist(ctx, func() error { return r.Ping(ctx) }); err != nil { // it is starting
				return err
			}
			return a.statements(ctx, args, func(ctx context.Context, text string, to io.Writer) error {
				err := copyRaw(ctx, r.Database, storage.Raw{Text: text, Format: q.format, Write: q.write}, to)
				if statusOfSQL(err) == http.StatusServiceUnavailable {
					err = withCode(exitUnavailable, err)
				}
				return err
			})
		})
	}
	return a.statements(ctx, args, ask)
}

func copyRaw(ctx context.Context, d *storage.Database, q storage.Raw, to io.Writer) error {
	answer, err := d.Raw(ctx, q)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, answer)
	return errors.Join(err, answer.Close())
}

// statements runs the one that is given, or those of standard input.
func (a *app) statements(ctx context.Context, args []string, ask asker) error {
	if len(args) == 1 {
		return ask(ctx, args[0], a.out)
	}
	if isTerminal(a.in) {
		return a.converse(ctx, ask)
	}
	text, err := io.ReadAll(a.in)
	if err != nil {
		return fmt.Errorf("cannot read the statements: %w", err)
	}
	all := splitStatements(string(text))
	if len(all) == 0 {
		return withCode(exitUsage, errors.New("there is no statement: give one as an argument, or on standard input"))
	}
	for _, statement := range all {
		if err := ask(ctx, statement, a.out); err != nil {
			return err
		}
	}
	return nil
}

// converse runs statements as they are typed. One that is refused ends nothing.
func (a *app) converse(ctx context.Context, ask asker) error {
	fmt.Fprintln(a.err, "End a statement with a semicolon; Ctrl-D ends.")
	lines := bufio.NewScanner(a.in)
	lines.Buffer(nil, 1<<20)
	typed := ""
	for {
		if fmt.Fprint(a.err, map[bool]string{true: "meridian> ", false: "       -> "}[typed == ""]); !lines.Scan() {
			fmt.Fprintln(a.err)
			return lines.Err()
		}
		typed += lines.Text() + "\n"
		if word := strings.TrimSpace(typed); word == "" || word == "exit" || word == "quit" {
			if typed = ""; word != "" {
				return nil
			}
			continue
		}
		if !strings.HasSuffix(strings.TrimSpace(typed), ";") {
			continue
		}
		for _, statement := range splitStatements(typed) {
			if err := ask(ctx, statement, a.out); err != nil {
				if ctx.Err() != nil || codeOf(err) == exitUnavailable {
					return err
				}
				fmt.Fprintln(a.err, err)
			}
		}
		typed = ""
	}
}

// splitStatements cuts a text at semicolons outside quotes and comments.
func splitStatements(text string) (all []string) {
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			all = append(all, s)
		}
	}
	begin := 0
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		switch c := text[i]; {
		case c == '\'' || c == '"' || c == '`':
			for i++; i < len(text) && text[i] != c; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case strings.HasPrefix(rest, "--"):
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				i += n
			} else {
				i = len(text)
			}
		case strings.HasPrefix(rest, "/*"):
			if n := strings.Index(rest, "*/"); n >= 0 {
				i += n + 1
			} else {
				i = len(text)
			}
		case c == ';':
			add(text[begin:i])
			begin = i + 1
		}
	}
	add(text[min(begin, len(text)):])
	return all
}

// isTerminal reports whether somebody sits at the other end.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && info.Name() != "null"
}

// answerSQL is POST /sql of the admin address.
func (m *machine) answerSQL(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxStatement))
	if err != nil || len(text) == 0 {
		answerProblem(w, http.StatusBadRequest, "send one statement as the body, at most 1 MiB")
		return
	}
	q := storage.Raw{Text: string(text), Format: r.FormValue("format"), Write: r.FormValue("write") == "1"}
	if q.Write && !fromOwner(r) {
		answerProblem(w, http.StatusForbidden, "a statement that may change something is taken over the socket in the data directory alone: leave --server out, on the server's machine")
		return
	}
	answer, err := m.database.Raw(r.Context(), q)
	if err != nil {
		answerProblem(w, statusOfSQL(err), err.Error())
		return
	}
	defer answer.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	if _, err := io.Copy(w, answer); err != nil {
		panic(http.ErrAbortHandler) // half an answer is none
	}
}

const maxStatement = 1 << 20

func statusOfSQL(err error) int {
	if errors.Is(err, storage.ErrUnavailable) || errors.Is(err, storage.ErrAuthentication) {
		return http.StatusServiceUnavailable
	}
	return http.StatusUnprocessableEntity
}
