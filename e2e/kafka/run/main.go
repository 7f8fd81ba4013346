// Command run starts and stops a broker for people to try things with: `make kafka-start`, `make kafka-stop`.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"meridian/e2e/kafka"
)

func main() {
	dir := flag.String("dir", "", "where the broker keeps its data and log")
	port := flag.Int("port", 19092, "where it listens, on loopback")
	flag.Parse()
	if err := run(*dir, *port, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(dir string, port int, verb string) error {
	if dir == "" {
		return errors.New("say where with -dir")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	stopped, err := kafka.StopDetached(dir)
	if err != nil {
		return err
	}
	switch verb {
	case "start":
		b, err := kafka.Config{Dir: dir, Port: port, Detach: true}.Start()
		if err != nil {
			return err
		}
		fmt.Printf("Kafka listens on %s; `make kafka-stop` stops it.\nMERIDIAN_KAFKA_BROKERS=%s\n", b.Addr(), b.Addr())
		return nil
	case "stop":
		if !stopped {
			fmt.Println("No Kafka broker was running.")
		}
		return nil
	default:
		return fmt.Errorf("unknown verb %q: start or stop", verb)
	}
}
