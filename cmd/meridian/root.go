package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
)

// streams are where a command reads and writes: data goes to out, progress and
// logs to err.
type streams struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// app is what all commands share.
type app struct {
	streams
	configFile string
	server     string
	log        *slog.Logger
}

// run executes the command line and returns its exit code.
func run(ctx context.Context, args []string, s streams) int {
	a := &app{streams: s, log: slog.New(slog.NewTextHandler(s.err, nil))}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	err := root.ExecuteContext(ctx)
	if err != nil {
		var coded *exitErr
		if !errors.As(err, &coded) || coded.err != nil {
			fmt.Fprintln(s.err, "meridian:", err)
		}
	}
	return codeOf(err)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "meridian",
		Short:         "Engineering metrics that are right about time",
		Long:          "Meridian takes the webhooks of GitHub, Jira and deploy systems, and shows how long pull\nrequests wait, how often you deploy and what fails, and whether people work at night.\n\nStart with `meridian demo`, or with `meridian serve`.",
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       release,
		Args:          unknownCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return withCode(exitUsage, fmt.Errorf("%w (see `%s --help`)", err, c.CommandPath()))
	})
	root.PersistentFlags().StringVar(&a.configFile, "config", os.Getenv("MERIDIAN_CONFIG"), "configuration file (YAML)")
	root.PersistentFlags().StringVar(&a.server, "server", os.Getenv("MERIDIAN_SERVER"), "admin address of a running server, for commands that ask one; its token is in MERIDIAN_TOKEN")
	root.AddCommand(
		a.serveCommand(), a.demoCommand(), a.replayCommand(), a.exportCommand(), a.importCommand(), a.backupCommand(), a.restoreCommand(), a.eraseCommand(), a.backfillCommand(), a.redeliverCommand(), a.jobsCommand(),
		a.catalogCommand(), a.metricsCommand(), a.configCommand(), a.signInCommand(), a.tokenCommand(), a.auditCommand(),
		a.quarantineCommand(), a.clockCommand(), a.lagCommand(), a.doctorCommand(), a.verifyCommand(), a.healthcheckCommand(), a.migrateCommand(), a.sqlCommand(),
		a.versionCommand(), a.chdbChildCommand(),
	)
	return root
}

// noArguments refuses arguments.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return withCode(exitUsage, fmt.Errorf("`%s` takes no arguments, and %q is one (see `%s --help`)", c.CommandPath(), args[0], c.CommandPath()))
}

// unknownCommand refuses what is no command, and says which may have been meant.
func unknownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := ""
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf("; did you mean `%s %s`?", c.CommandPath(), near[0])
	}
	return withCode(exitUsage, fmt.Errorf("unknown command %q%s (see `%s --help`)", args[0], hint, c.CommandPath()))
}

// usageArgs gives wrong arguments the exit code of wrong usage.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return withCode(exitUsage, fmt.Errorf("%w: %s (see `%s --help`)", err, c.UseLine(), c.CommandPath()))
		}
		return nil
	}
}

// config reads the configuration, with flags applied on top.
func (a *app) config(flags func(*config.Config)) (config.Config, error) {
	return config.Load(a.configFile, os.Environ(), flags)
}
