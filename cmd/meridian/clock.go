package main

import (
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
)

func (a *app) clockCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "clock", Short: "The clock that the server's ticks come from", Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	var dataDir string
	trust := &cobra.Command{
		Use: "trust", Short: "Say that this machine's clock is right, so that ticks go on", Args: noArguments,
		Long: "A server that finds its clock in doubt (it would jump by more than a day, or went back) gives no\n" +
			"ticks until a signed delivery agrees with it, or somebody says that it is right.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.config(func(c *config.Config) { setIf(cmd, "data-dir", &c.DataDir, dataDir) })
			if err != nil {
				return err
			}
			answer, err := a.askAdmin(cmd.Context(), c, http.MethodPost, "/clock/trust")
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.out, answer)
			return err
		},
	}
	trust.Flags().StringVar(&dataDir, "data-dir", "", "the running server's data directory (default ./meridian-data)")
	cmd.AddCommand(trust)
	return cmd
}
