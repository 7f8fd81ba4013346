package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"meridian/cmd/meridian/config"
	"meridian/ingest/catalog"
)

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Show or check the configuration", Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	var asJSON bool
	show := &cobra.Command{Use: "show", Short: "Print the effective values, secrets hidden", Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			c, err := a.config(nil)
			if err != nil {
				return err
			}
			out, err := c.YAML()
			if err != nil {
				return err
			}
			if asJSON {
				var v any
				if err := yaml.Unmarshal(out, &v); err != nil {
					return err
				}
				enc := json.NewEncoder(a.out)
				enc.SetIndent("", "  ")
				return enc.Encode(v)
			}
			if _, err = a.out.Write(out); err != nil {
				return err
			}
			return a.sayMadeSources(c)
		}}
	show.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	check := &cobra.Command{Use: "check", Short: "Report everything that is wrong with the configuration", Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			c, err := a.checkConfig()
			if asJSON {
				if encodeErr := json.NewEncoder(a.out).Encode(configAnswer(c, err)); encodeErr != nil {
					return encodeErr
				}
			}
			switch {
			case err != nil && asJSON:
				return &exitErr{code: codeOf(err)} // the answer has said it
			case err != nil:
				return err
			case asJSON:
				return nil
			}
			warnOfIdle(c, a.log)
			fmt.Fprintln(a.err, "The configuration is sound.")
			return nil
		}}
	check.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	schema := &cobra.Command{Use: "schema", Short: "Print the JSON Schema of the configuration, for editors", Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := a.out.Write(config.Schema())
			return err
		}}
	cmd.AddCommand(show, check, schema)
	return cmd
}

// sayMadeSources adds, as a comment, the sources that serve makes where none is
// configured: they are no values of the file, and somebody looks for them here.
func (a *app) sayMadeSources(c config.Config) error {
	for _, p := range c.Sources.ByProvider() {
		if len(p.Sources) > 0 {
			return nil
		}
	}
	for _, provider := range madeProviders {
		if _, err := fmt.Fprintf(a.out, "# made, since no source is configured: /webhooks/%s, its secret in %s\n", provider, filepath.Join(c.DataDir, "secrets.json")); err != nil {
			return err
		}
	}
	return nil
}

// checkConfig is all that serve asks of a configuration before it starts.
func (a *app) checkConfig() (config.Config, error) {
	c, err := a.config(nil)
	if err != nil {
		return c, err
	}
	if err := servable(c); err != nil {
		return c, withCode(exitConfig, err)
	}
	_, err = a.loadCatalog(c)
	return c, err
}

// configProblem is one thing to mend, in the configuration or in its catalog.
type configProblem struct {
	Where string `json:"where"` // file:line, the environment variable, or ""
	Text  string `json:"text"`
}

// configAnswer is what `config check --json` prints.
func configAnswer(c config.Config, err error) any {
	answer := struct {
		Problems []configProblem `json:"problems"`
		Idle     []string        `json:"without_effect"` // settings that nothing acts on
	}{[]configProblem{}, []string{}}
	var problems config.Problems
	var ofCatalog catalog.Problems
	switch {
	case errors.As(err, &problems):
		for _, p := range problems {
			answer.Problems = append(answer.Problems, configProblem{p.Where, p.Text})
		}
	case errors.As(err, &ofCatalog):
		for _, p := range ofCatalog {
			where := p.File
			if p.Line > 0 {
				where = fmt.Sprintf("%s:%d", p.File, p.Line)
			}
			answer.Problems = append(answer.Problems, configProblem{where, p.Text})
		}
	case err != nil:
		answer.Problems = append(answer.Problems, configProblem{"", err.Error()})
	default:
		for _, i := range idleIn(c) {
			answer.Idle = append(answer.Idle, i.key)
		}
	}
	return answer
}
