// Package controlpb is the format of the values of meridian.control, generated
// from control.proto. Unlike the formats of the log, the program reads and
// writes with it: control records are few.
package controlpb
