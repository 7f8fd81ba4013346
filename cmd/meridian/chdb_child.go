package main

import (
	"github.com/spf13/cobra"

	"meridian/storage/embedded"
)

// chdbChildCommand is how the embedded ClickHouse starts itself. Its flags are
// the child's own.
func (a *app) chdbChildCommand() *cobra.Command {
	return &cobra.Command{
		Use: "chdb-child", Hidden: true, DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if code := embedded.Main(args); code != exitOK {
				return &exitErr{code: code}
			}
			return nil
		},
	}
}
