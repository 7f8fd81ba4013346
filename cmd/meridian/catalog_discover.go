package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
	"meridian/ingest"
	"meridian/ingest/catalog"
)

func (a *app) catalogDiscoverCommand() *cobra.Command {
	var dataDir, output, input, org string
	cmd := &cobra.Command{Use: "discover", Short: "Write a catalog to start from, made of what has been seen", Args: noArguments,
		Long: "Writes a catalog to start from: repositories, projects, services and environments of which events\n" +
			"have come in the last three months, and the people in them, with zones guessed from the offsets of\n" +
			"their commits. Every guess is marked as one. What the present catalog knows is left out, so that it\n" +
			"can be run again later.\n\n" +
			"It asks the running server, or reads the log of a server that is stopped, or with --input a\n" +
			"delivery archive. --github adds an organisation's teams and CODEOWNERS files, read through the API\n" +
			"that apis.github configures.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.config(func(c *config.Config) { setIf(cmd, "data-dir", &c.DataDir, dataDir) })
			if err != nil {
				return err
			}
			var hints catalog.Hints
			if org != "" {
				if hints, err = a.githubHints(cmd.Context(), c, org); err != nil {
					return err
				}
			}
			draft, err := a.draft(cmd.Context(), c, input, hints)
			if err != nil {
				return err
			}
			if output == "" {
				_, err = a.out.Write(draft)
				return err
			}
			f, err := os.OpenFile(output, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
			if errors.Is(err, os.ErrExist) {
				return withCode(exitUsage, fmt.Errorf("%s is there already, and is not written over; name another file", output))
			}
			if err == nil {
				_, err = f.Write(draft)
				err = errors.Join(err, f.Close())
			}
			if err != nil {
				return fmt.Errorf("cannot write the catalog: %w", err)
			}
			fmt.Fprintf(a.err, "Written to %s. Look at what says \"guess\", then: meridian catalog check %s\n", output, output)
			return nil
		}}
	cmd.Flags().StringVar(&dataDir, "data-dir", "", "the server's data directory (default ./meridian-data)")
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write to, which must not be there yet (default: standard output)")
	cmd.Flags().StringVar(&input, "input", "", "a delivery archive to look at, instead of the server; - is standard input")
	cmd.Flags().StringVar(&org, "github", "", "an organisation whose teams and CODEOWNERS are read through the API")
	return cmd
}

// draft asks the running server; without one it reads what there is to read itself.
func (a *app) draft(ctx context.Context, c config.Config, input string, hints catalog.Hints) ([]byte, error) {
	if input != "" {
		return a.draftOfArchive(ctx, c, input, hints)
	}
	body, err := json.Marshal(hints)
	if err != nil {
		return nil, err
	}
	status, answer, where, err := a.adminRequest(ctx, c, http.MethodPost, "/catalog/draft", bytes.NewReader(body))
	switch {
	case err != nil && a.server == "" && codeOf(err) == exitUnavailable:
		return a.draftOfLog(ctx, c, hints)
	case err != nil:
		return nil, err
	case status != http.StatusOK:
		return nil, refusedBy(where, status, answer)
	}
	return answer, nil
}

// draftOfLog reads the log of an instance whose server is not running.
func (a *app) draftOfLog(ctx context.Context, c config.Config, hints catalog.Hints) (_ []byte, err error) {
	if _, err := os.Stat(c.DataDir); err != nil {
		return nil, withCode(exitUnavailable, fmt.Errorf("no server is running, and there is no data directory %s; name it with --data-dir, or an archive with --input", c.DataDir))
	}
	in, err := openInstance(ctx, c.DataDir, deliveryPartitions(c))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	known, err := loadCatalog(c, in.Key)
	if err != nil {
		return nil, err
	}
	l, err := openLog(ctx, c, in, a.log)
	if err != nil {
		return nil, err
	}
	defer l.close()
	s, err := surveyLog(ctx, l)
	if err != nil {
		return nil, err
	}
	return s.Draft(known, hints, schemaURL(c)), nil
}

func (a *app) draftOfArchive(ctx context.Context, c config.Config, path string, hints catalog.Hints) (_ []byte, err error) {
	known, err := a.loadCatalog(c)
	if err != nil {
		return nil, err
	}
	archive, err := openArchiveFile(path, a.in)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, archive.close()) }()
	lines, _, err := archive.read()
	if err != nil {
		return nil, err
	}
	defer lines.Close()
	s, all := &catalog.Survey{}, decoders(known)
	for {
		line, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			return s.Draft(known, hints, schemaURL(c)), nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		case line.Delivery != nil:
			_, d := ingest.DecodeArchived(all[line.Delivery.Provider], *line.Delivery)
			addToSurvey(s, d)
		}
	}
}
