package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
	"meridian/streaming/timeline"
)

// tokenCommand makes, lists and ends API tokens over the admin socket.
func (a *app) tokenCommand() *cobra.Command {
	var dataDir string
	var asJSON bool
	cmd := &cobra.Command{Use: "token", Short: "Make, list and end API tokens", Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	cmd.PersistentFlags().StringVar(&dataDir, "data-dir", "", "the running server's data directory (default ./meridian-data)")
	cmd.PersistentFlags().BoolVar(&asJSON, "json", false, "as JSON")
	ask := func(ctx context.Context, method, path string, body any) ([]byte, error) {
		c, err := a.config(func(c *config.Config) { setIf(cmd, "data-dir", &c.DataDir, dataDir) })
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(ctx, adminPatience)
		defer cancel()
		var b []byte
		if body != nil {
			if b, err = json.Marshal(body); err != nil {
				return nil, err
			}
		}
		status, answer, where, err := a.adminRequest(ctx, c, method, path, bytes.NewReader(b))
		if err == nil && status >= 300 {
			err = refusedBy(where, status, answer)
		}
		return answer, err
	}

	var wish tokenWish
	life := "90d"
	create := &cobra.Command{
		Use: "create", Short: "Make a token, and print it this once", Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			length, err := timeline.ParseLength(life)
			if err != nil {
				return withCode(exitUsage, fmt.Errorf("--expires: %w", err))
			}
			wish.Seconds = int64(length / timeline.Second)
			answer, err := ask(c.Context(), http.MethodPost, "/tokens/make", wish)
			if err != nil || asJSON {
				return a.print(answer, err)
			}
			var made tokenAnswer
			if err := json.Unmarshal(answer, &made); err != nil {
				return err
			}
			fmt.Fprintln(a.out, made.Token)
			fmt.Fprintf(a.err, "Token %s reads as %s until %s. It is shown this once; only a hash is kept.\n", made.ID, strings.Join(made.Roles, ", "), made.Expires.Format(time.DateOnly))
			return nil
		},
	}
	create.Flags().StringVar(&wish.Name, "name", "", "what it is for (needed)")
	create.Flags().StringSliceVar(&wish.Roles, "role", []string{"viewer"}, "viewer, people or admin")
	create.Flags().StringSliceVar(&wish.Teams, "team", nil, "a team that it may see, with * for any part (default: all)")
	create.Flags().StringVar(&life, "expires", life, "how long it lives, at most 366d")

	list := &cobra.Command{
		Use: "list", Short: "Show the tokens that there are", Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			answer, err := ask(c.Context(), http.MethodGet, "/tokens/list", nil)
			if err != nil || asJSON {
				return a.print(answer, err)
			}
			var all struct{ Items []tokenAnswer }
			if err := json.Unmarshal(answer, &all); err != nil {
				return err
			}
			if len(all.Items) == 0 {
				fmt.Fprintln(a.out, "There is no token: `meridian token create --name WHAT-FOR` makes one.")
				return nil
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "ID\tNAME\tOWNER\tROLES\tTEAMS\tEXPIRES\tLAST USED")
			for _, t := range all.Items {
				used := "never"
				if t.Used != nil {
					used = t.Used.Format(time.RFC3339)
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", t.ID, t.Name, t.Owner, strings.Join(t.Roles, ","), cmp.Or(strings.Join(t.Teams, ","), "all"), t.Expires.Format(time.DateOnly), used)
			}
			return w.Flush()
		},
	}
	revoke := &cobra.Command{
		Use: "revoke ID", Short: "End a token", Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if _, err := ask(c.Context(), http.MethodPost, "/tokens/"+url.PathEscape(args[0])+"/end", nil); err != nil {
				return err
			}
			fmt.Fprintln(a.err, "The token is ended.")
			return nil
		},
	}
	cmd.AddCommand(create, list, revoke)
	return cmd
}

// print writes an answer as it came.
func (a *app) print(answer []byte, err error) error {
	if err != nil {
		return err
	}
	_, err = a.out.Write(answer)
	return err
}
