// Command fetch gets the embedded ClickHouse library for this user, once: `make chdb`.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"meridian/storage/embedded"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if _, err := embedded.Library(ctx); err == nil {
		return // nothing to say: every `make test` comes by here
	}
	if err := embedded.Fetch(ctx, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
