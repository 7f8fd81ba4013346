package kafka_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"meridian/streaming/kafka"
	"meridian/streaming/kafka/kafkatest"
)

const crashDir = "MERIDIAN_TEST_CRASH_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		if err := produceUntilKilled(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	if dir := os.Getenv(fullDir); dir != "" {
		if err := fillDisk(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// produceUntilKilled prints a line for each record after its acknowledgement.
func produceUntilKilled(dir string) error {
	b, err := kafka.StartBroker(dir, nil)
	if err != nil {
		return err
	}
	c := b.Config("")
	ctx := context.Background()
	if err := kafka.EnsureTopics(ctx, c, c.Topics(2)...); err != nil {
		return err
	}
	a, err := kafka.NewAppender(c, kafkatest.AppenderConfig(c, 2))
	if err != nil {
		return err
	}
	// Large enough that segments roll and old ones are deleted meanwhile;
	// random, so that it stays so when it is packed.
	padding := make([]byte, 100<<10)
	if _, err := rand.Read(padding); err != nil {
		return err
	}
	failed := make(chan error)
	var mu sync.Mutex
	for w := range 8 {
		go func() {
			for i := 0; ; i++ {
				value := fmt.Sprintf("%d:%d:%d", os.Getpid(), w, i)
				at, err := a.Append(ctx, value, append([]byte(value+" "), padding...))
				if err != nil {
					failed <- err
					return
				}
				mu.Lock()
				fmt.Printf("%d %d %s\n", at.Partition, at.Offset, value)
				mu.Unlock()
				if i%20 == 19 {
					if err := kafka.Trim(ctx, c, c.DeliveriesTopic(), at.Partition, at.Offset-100); err != nil {
						failed <- err
						return
					}
				}
			}
		}()
	}
	return <-failed
}

// TestKilledBrokerKeepsWhatItAcknowledged kills a process in the middle of its
// writes, again and again over one directory: every record that it had
// acknowledged is where it said, but for those that were trimmed, and no
// offset is ever given twice.
func TestKilledBrokerKeepsWhatItAcknowledged(t *testing.T) {
	dir := t.TempDir()
	type place struct {
		partition int32
		offset    int64
	}
	acknowledged := map[place]string{}
	for round := range 5 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), crashDir+"="+dir)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(out)
		fresh := 0
		read := func() bool {
			line, err := lines.ReadString('\n')
			if err != nil {
				return false // the last line may be half of one
			}
			var p place
			var value string
			if _, err := fmt.Sscan(line, &p.partition, &p.offset, &value); err != nil {
				t.Fatalf("line %q: %v", line, err)
			}
			if old, ok := acknowledged[p]; ok {
				t.Errorf("offset %d of partition %d was given to %q and %q", p.offset, p.partition, old, value)
			}
			acknowledged[p] = value
			fresh++
			return true
		}
		for fresh < 200+130*round && read() {
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for read() { // what was acknowledged while it was dying
		}
		_, _ = io.Copy(io.Discard, lines)
		_ = cmd.Wait()
		if cmd.ProcessState.Exited() || fresh == 0 {
			t.Fatalf("the process was not killed while it wrote: %s, %d records", cmd.ProcessState, fresh)
		}

		b, err := kafka.StartBroker(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := b.Config("")
		kept := 0
		bounds, err := kafka.Offsets(t.Context(), c, c.DeliveriesTopic())
		if err != nil {
			t.Fatal(err)
		}
		for partition, bound := range bounds {
			r, err := kafka.Log{Config: c, Topic: c.DeliveriesTopic()}.Open(t.Context(), partition, bound.Start)
			if err != nil {
				t.Fatal(err)
			}
			found := map[int64]string{}
			for next, end := r.Position(); next < end; next, end = r.Position() {
				records, err := r.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for _, rec := range records {
					value, _, _ := strings.Cut(string(rec.Value), " ")
					found[rec.Offset] = value
				}
			}
			r.Close()
			for p, value := range acknowledged {
				if p.partition != partition {
					continue
				}
				if p.offset < bound.Start {
					continue
				}
				kept++
				if found[p.offset] != value {
					t.Errorf("round %d: offset %d of partition %d is %q, and %q was acknowledged", round, p.offset, partition, found[p.offset], value)
				}
			}
		}
		if round == 4 && bounds[0].Start == 0 {
			t.Error("no segment was deleted by a trim")
		}
		if kept == 0 {
			t.Errorf("round %d: nothing was left to compare", round)
		}
		b.Close()
	}
}
