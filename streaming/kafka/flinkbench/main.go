package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"meridian/streaming/kafka"
)

const (
	partitions = 12
	truth      = "2672799/8501400/e1200a3b60fdb3ad" // of 4,000,000 records and seed 1
)

func main() {
	brokers := flag.String("brokers", "127.0.0.1:19092", "where the broker listens")
	n := flag.Int("n", 4_000_000, "records, redeliveries included")
	runs := flag.Int("runs", 3, "measured runs of each")
	gc := flag.Int("gc", 400, "how much garbage the collector lets pile up, in % of what is alive; Flink was given a heap of 8 GiB")
	flag.Parse()
	debug.SetGCPercent(*gc)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *brokers, *n, *runs); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run fills the topic, checks the table once, and then measures the job and a
// plain consumer in turns.
func run(ctx context.Context, brokers string, n, runs int) error {
	c := kafka.Config{Brokers: []string{brokers}, Prefix: "flinkbench"}
	if err := fill(ctx, c, n); err != nil {
		return err
	}
	table, err := runJob(ctx, c, true)
	if err != nil {
		return err
	}
	fmt.Printf("table %s, %d duplicates, %d rows\n", table.checksum(), table.duplicates, table.rows)
	if sum := table.checksum(); n == 4_000_000 && sum != truth {
		return fmt.Errorf("flinkbench: the table is %s and must be %s", sum, truth)
	}
	table = nil
	for range runs {
		runtime.GC()
		if err := measured("franz-go alone", n, func() error { return consume(ctx, c) }); err != nil {
			return err
		}
		runtime.GC()
		if err := measured("Meridian's job", n, func() error { _, err := runJob(ctx, c, false); return err }); err != nil {
			return err
		}
	}
	return nil
}

// measured prints how fast f went through n records, by the clock and by the CPU
// of this process, its collector included.
func measured(what string, n int, f func() error) error {
	began, cpu := time.Now(), cpuTime()
	if err := f(); err != nil {
		return err
	}
	wall, used := time.Since(began).Seconds(), (cpuTime() - cpu).Seconds()
	fmt.Printf("%-15s %6.2f s, %6.2f CPU s: %9.0f records/s, %9.0f records/CPU s\n", what, wall, used, float64(n)/wall, float64(n)/used)
	return nil
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // RUSAGE_SELF is always there
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
