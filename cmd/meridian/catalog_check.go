package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"meridian/ingest/catalog"
)

func (a *app) catalogCheckCommand() *cobra.Command {
	var asJSON bool
	check := &cobra.Command{Use: "check [FILE]", Short: "Report everything that is wrong with a catalog, with lines", Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			path, err := a.catalogPath(args)
			if err != nil {
				return err
			}
			files, err := catalog.Files(path)
			if err == nil {
				err = catalog.Check(files, a.metricNames())
			}
			err = withCode(exitConfig, err)
			var problems catalog.Problems
			if asJSON && (err == nil || errors.As(err, &problems)) {
				if problems == nil {
					problems = catalog.Problems{}
				}
				if encodeErr := json.NewEncoder(a.out).Encode(map[string]any{"file": path, "problems": problems}); encodeErr != nil {
					return encodeErr
				}
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(a.err, "%s is sound.\n", path)
			return nil
		}}
	check.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return check
}

func (a *app) catalogSchemaCommand() *cobra.Command {
	return &cobra.Command{Use: "schema", Short: "Print the JSON Schema of catalog files, for editors", Args: noArguments,
		Long: "Prints the JSON Schema of catalog files. A running server has it at " + catalog.SchemaPath + "; editors with the\nYAML language server take it from a first line such as\n\n    # yaml-language-server: $schema=http://127.0.0.1:8080" + catalog.SchemaPath,
		RunE: func(*cobra.Command, []string) error {
			_, err := a.out.Write(catalog.Schema)
			return err
		}}
}
