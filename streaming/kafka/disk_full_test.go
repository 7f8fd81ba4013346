package kafka_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"meridian/streaming/kafka"
	"meridian/streaming/kafka/kafkatest"
)

const fullDir = "MERIDIAN_TEST_FULL_DIR"

// TestFullDisk lets files grow to 1 MiB only, which to a program is what a full
// disk is: a write that fails half-way. Appends must say so, work again when
// there is room, and what was acknowledged before and after must be there.
func TestFullDisk(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fullDir+"="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func fillDisk(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	limit := func(n uint64) error {
		var was syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
			return err
		}
		return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: was.Max})
	}
	b, err := kafka.StartBroker(dir, nil)
	if err != nil {
		return err
	}
	c, ctx := b.Config(""), context.Background()
	if err := kafka.EnsureTopics(ctx, c, c.Topics(1)...); err != nil {
		return err
	}
	a, err := kafka.NewAppender(c, kafkatest.AppenderConfig(c, 1))
	if err != nil {
		return err
	}
	acknowledged := map[int64]string{}
	body := make([]byte, 20<<10)
	send := func() error {
		if _, err := rand.Read(body); err != nil {
			return err
		}
		at, err := a.Append(ctx, "k", body)
		if err == nil {
			acknowledged[at.Offset] = string(body)
		}
		return err
	}
	if err := limit(1 << 20); err != nil {
		return err
	}
	refused := 0
	for range 80 { // 1.6 MiB
		if err := send(); err != nil {
			refused++
		}
	}
	if refused == 0 || len(acknowledged) < 30 {
		return fmt.Errorf("%d appends were refused and %d taken; the disk was not full", refused, len(acknowledged))
	}
	if err := limit(1 << 30); err != nil {
		return err
	}
	for range 20 {
		if err := send(); err != nil {
			return fmt.Errorf("append when there was room again: %w", err)
		}
	}
	if err := a.Close(ctx); err != nil {
		return err
	}
	b.Close()

	if b, err = kafka.StartBroker(dir, nil); err != nil {
		return err
	}
	defer b.Close()
	c = b.Config("")
	r, err := kafka.Log{Config: c, Topic: c.DeliveriesTopic()}.Open(ctx, 0, 0)
	if err != nil {
		return err
	}
	defer r.Close()
	for next, end := r.Position(); next < end; next, end = r.Position() {
		records, err := r.Next(ctx)
		if err != nil {
			return err
		}
		for _, rec := range records {
			if want, ok := acknowledged[rec.Offset]; ok && want != string(rec.Value) {
				return fmt.Errorf("offset %d holds another record than was acknowledged", rec.Offset)
			}
			delete(acknowledged, rec.Offset)
		}
	}
	if len(acknowledged) > 0 {
		return errors.New("records that were acknowledged are gone")
	}
	return nil
}
