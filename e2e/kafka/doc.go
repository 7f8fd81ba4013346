// Package kafka starts and stops a real Apache Kafka broker for tests, from the jars that `make kafka-jars`
// copied to lib/ beside this file: one node in KRaft mode, on free loopback ports, in a directory of its own.
//
// It knows how a broker is formatted, started, asked whether it is ready, killed and started again. It knows
// nothing of Meridian and makes no topics.
//
// Surprising: the broker is a child of the test, yet a test that is killed leaves no broker behind. A watchdog
// holds the read end of a pipe whose write end only the test has; when the test ends in whatever way, the
// watchdog reads the end of the pipe and kills the broker. (Pdeathsig would be shorter, but it fires when the
// *thread* that forked ends, and Go ends threads.)
package kafka
