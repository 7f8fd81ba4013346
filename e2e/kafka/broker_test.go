package kafka_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"meridian/e2e/kafka"
	"meridian/e2e/service"
)

const mib = 1 << 20

func client(t *testing.T, b *kafka.Broker, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	c, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(b.Addr()), kgo.ProducerBatchMaxBytes(32 * mib),
		kgo.FetchMaxBytes(64 * mib), kgo.FetchMaxPartitionBytes(64 * mib), kgo.ProducerBatchCompression(kgo.NoCompression())},
		opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// Deliveries are up to 25 MiB, so the broker has to carry records of that size; and what it acknowledged must
// survive a crash, or every test that kills it proves nothing.
func TestBroker_CarriesDeliveriesOfEverySizeAndKeepsThemOverACrash(t *testing.T) {
	b, ctx := kafka.ForTest(t), within(t)

	admin := kadm.NewClient(client(t, b))
	size := "36700160"
	if _, err := admin.CreateTopic(ctx, 1, 1, map[string]*string{"max.message.bytes": &size}, "deliveries"); err != nil {
		t.Fatal(err)
	}
	var sent [][]byte
	for i, n := range []int{0, 1, 1 * mib, 10 * mib, 25 * mib} {
		sent = append(sent, bytes.Repeat([]byte{byte('a' + i)}, n))
	}
	producer := client(t, b, kgo.DefaultProduceTopic("deliveries"))
	for _, value := range sent {
		if err := producer.ProduceSync(ctx, &kgo.Record{Value: value}).FirstErr(); err != nil {
			t.Fatalf("produce %d bytes: %v", len(value), err)
		}
	}

	addr := b.Addr()
	b.Kill()
	if _, err := net.DialTimeout("tcp", addr, time.Second); err == nil {
		t.Fatal("the broker still listens after Kill")
	}
	if err := b.Restart(); err != nil {
		t.Fatal(err)
	}
	if b.Addr() != addr {
		t.Fatalf("restarted at %s, was at %s", b.Addr(), addr)
	}

	consumer := client(t, b, kgo.ConsumeTopics("deliveries"))
	var got [][]byte
	for len(got) < len(sent) {
		fetches := consumer.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) { got = append(got, r.Value) })
	}
	for i := range sent {
		if !bytes.Equal(got[i], sent[i]) {
			t.Errorf("record %d: %d bytes came back, %d were sent, or they differ", i, len(got[i]), len(sent[i]))
		}
	}
}

func TestBroker_MakesNoTopicUnasked(t *testing.T) {
	b, ctx := kafka.ForTest(t), within(t)
	c := client(t, b, kgo.DefaultProduceTopic("nobody-made-me"), kgo.UnknownTopicRetries(1), kgo.AllowAutoTopicCreation())
	err := c.ProduceSync(ctx, kgo.StringRecord("x")).FirstErr()
	if !errors.Is(err, kerr.UnknownTopicOrPartition) {
		t.Fatalf("produce to a topic that nobody made: %v, want %v", err, kerr.UnknownTopicOrPartition)
	}
}

// The broker must not outlive a test binary that is killed: leftovers would eat the machine.
func TestBroker_EndsWithAKilledTest(t *testing.T) {
	if dir := os.Getenv("KAFKA_TEST_CHILD_DIR"); dir != "" {
		if _, err := kafka.Start(dir); err != nil {
			t.Fatal(err)
		}
		_, _ = os.Stdout.WriteString("started\n")
		select {} // until killed
	}
	if err := kafka.Installed(); err != nil {
		service.Missing(t, err)
	}
	dir := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
	child.Env = append(os.Environ(), "KAFKA_TEST_CHILD_DIR="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 64)
	n, _ := out.Read(line)
	if !strings.Contains(string(line[:n]), "started") {
		_ = child.Process.Kill()
		_ = child.Wait()
		t.Fatalf("the child said %q", line[:n])
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()

	pid, err := os.ReadFile(filepath.Join(dir, "kafka.pid"))
	if err != nil {
		t.Fatal(err)
	}
	gone := time.Now().Add(4 * time.Minute)
	for running(string(pid)) {
		if time.Now().After(gone) {
			t.Fatalf("broker %s still runs long after the process that started it was killed", pid)
		}
		time.Sleep(20 * time.Millisecond) // nothing announces the end of another process's child
	}
}

// running looks at the state too: where nothing reaps orphans a dead broker stays as a zombie.
func running(pid string) bool {
	state, err := exec.Command("ps", "-o", "stat=", "-p", pid).Output()
	return err == nil && !strings.HasPrefix(string(state), "Z")
}

func TestDetached_StopsWhatItStarted(t *testing.T) {
	if err := kafka.Installed(); err != nil {
		service.Missing(t, err)
	}
	dir := t.TempDir()
	b, err := kafka.Config{Dir: dir, Detach: true}.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Kill)
	stopped, err := kafka.StopDetached(dir)
	if err != nil || !stopped {
		t.Fatalf("StopDetached = %v, %v", stopped, err)
	}
	if _, err := net.DialTimeout("tcp", b.Addr(), time.Second); err == nil {
		t.Error("the broker still listens")
	}
	if again, err := kafka.StopDetached(dir); err != nil || again {
		t.Errorf("a second StopDetached = %v, %v; want false, nil", again, err)
	}
}

// Without a log binding among the jars this error would say nothing.
func TestStart_SaysWhyTheBrokerDidNotStart(t *testing.T) {
	if err := kafka.Installed(); err != nil {
		service.Missing(t, err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()

	_, err = kafka.Config{Dir: t.TempDir(), Port: taken.Addr().(*net.TCPAddr).Port}.Start()
	if !errors.Is(err, kafka.ErrNotReady) || !strings.Contains(err.Error(), "Address already in use") {
		t.Fatalf("start on a port that is taken: %v, want %v because the address is in use", err, kafka.ErrNotReady)
	}
}
