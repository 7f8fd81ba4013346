// Package logpb is the record format of meridian.deliveries, generated from
// log.proto, for people and for other languages.
//
// The surprising thing: the program does not use it. Package ingest has a codec
// of its own, which is faster; tests hold the two together.
package logpb
