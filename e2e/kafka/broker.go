package kafka

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"
)

// patience bounds how long a broker may take to start or stop; 5 s is usual, a loaded machine takes longer.
const patience = 4 * time.Minute

// A Broker is one running node. Its methods are not safe for concurrent use, but Addr is.
type Broker struct {
	config     Config
	client     int
	controller int
	java       *process
}

// Start runs a new broker in dir on free ports and returns when it answers.
func Start(dir string) (*Broker, error) { return Config{Dir: dir}.Start() }

// Start formats the directory when it is new, runs a broker in it and returns when it answers.
func (c Config) Start() (*Broker, error) {
	if err := Installed(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("start the Kafka broker: %w", err)
	}
	// A free port may be gone by the time the broker binds it, so a broker that ended early gets other ones.
	var failures []error
	for range 3 {
		b, err := c.tryStart()
		if err == nil {
			return b, nil
		}
		failures = append(failures, err)
		if c.Port != 0 {
			break
		}
	}
	return nil, errors.Join(failures...)
}

func (c Config) tryStart() (*Broker, error) {
	b := &Broker{config: c, client: c.Port}
	var err error
	if b.client == 0 {
		if b.client, err = freePort(); err != nil {
			return nil, err
		}
	}
	if b.controller, err = freePort(); err != nil {
		return nil, err
	}
	if err := c.writeProperties(b.client, b.controller); err != nil {
		return nil, err
	}
	if err := c.format(); err != nil {
		return nil, err
	}
	if err := b.Restart(); err != nil {
		return nil, err
	}
	return b, nil
}

// Addr is the host:port that clients connect to. It stays the same over a Kill and Restart.
func (b *Broker) Addr() string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(b.client))
}

// Restart runs a stopped or killed broker again, on the same port and data, and returns when it answers.
func (b *Broker) Restart() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()

	java, err := b.config.launch()
	if err != nil {
		return err
	}
	if err := awaitReady(ctx, b.Addr(), java.ended); err != nil {
		java.signal(syscall.SIGKILL)
		<-java.ended
		return fmt.Errorf("%w: %w; its log ends:\n%s", ErrNotReady, err, b.config.logTail())
	}
	b.java = java
	return nil
}

// Stop asks the broker to shut down in order and waits until it has. A second Stop does nothing.
func (b *Broker) Stop() error {
	if b.java == nil {
		return nil
	}
	b.java.signal(syscall.SIGTERM)
	select {
	case <-b.java.ended:
	case <-time.After(patience):
		b.Kill()
		return fmt.Errorf("stop the Kafka broker: it did not end within %v and was killed", patience)
	}
	b.java = nil
	return nil
}

// Kill ends the broker at once, as a crash would, and waits until it is gone.
func (b *Broker) Kill() {
	if b.java == nil {
		return
	}
	b.java.signal(syscall.SIGKILL)
	<-b.java.ended
	b.java = nil
}

// Pause stops the broker's process without ending it, so that connections stay and
// nothing answers, until Resume.
func (b *Broker) Pause() { b.java.signal(syscall.SIGSTOP) }

// Resume lets a paused broker go on.
func (b *Broker) Resume() { b.java.signal(syscall.SIGCONT) }
