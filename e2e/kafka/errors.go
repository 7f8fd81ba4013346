package kafka

import "errors"

var (
	// ErrNotInstalled says that the machine has no Java, or the jars were never copied.
	ErrNotInstalled = errors.New("the Kafka broker is not installed: run `make kafka-jars`")

	// ErrNotReady says that the broker's process ended, or did not answer, before it was ready.
	ErrNotReady = errors.New("the Kafka broker did not become ready")
)
