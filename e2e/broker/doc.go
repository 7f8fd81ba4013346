// Package broker tests the built binary on a real Apache Kafka broker: the same flow as in e2e, with six partitions of
// deliveries and twelve of events, which the embedded broker does not have.
//
// It knows how to take the broker away in the middle of traffic. Results stay in the embedded ClickHouse.
package broker
