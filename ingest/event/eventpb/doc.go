// Package eventpb is the record format of events and their copies, generated
// from event.proto, for people and for other languages.
//
// The surprising thing: the program does not use it. Package event has a codec
// of its own, which is faster; tests hold the two together.
package eventpb
