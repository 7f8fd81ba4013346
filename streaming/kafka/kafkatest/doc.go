// Package kafkatest holds what streaming/kafka must do on every broker, as one
// suite: the embedded broker runs it with each build, a real one when
// MERIDIAN_TEST_KAFKA names its address, as e2e does.
//
// It knows two small programs, of the shape of route and engine, and recomputes
// what they must give without any broker.
package kafkatest
