// Package e2e tests the built binary from outside: what goes in over HTTP or in a file, and what comes out of the API,
// the pages, the terminal and the exit code. Everything is embedded here; e2e/broker does it on a real Apache Kafka
// broker, and e2e/pages in a real browser.
//
// It knows the shapes that stay stable, and numbers that were worked out by hand. It imports none of the product's
// packages.
//
// Surprising: an instance that has imported an archive of last spring gives no ticks of its own, since its clock is
// more than a day ahead of them and nobody has vouched for it. So its numbers stand still, and can be compared byte
// for byte with those of `replay`.
package e2e
