// Package deploy holds what docker-compose.yml mounts, and the tests that keep both true.
//
// Nothing here runs in Meridian. The tests need no Docker engine: they read the Compose file with the library that
// Docker itself reads it with, and ask of it what an engine would have shown: that it follows the specification, names
// no secret, pins what it pulls, and configures Meridian with keys that Meridian knows.
package deploy
