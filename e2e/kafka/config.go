package kafka

import (
	_ "embed"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Config says where a broker lives. The zero value of everything but Dir is right for a test.
type Config struct {
	// Dir holds server.properties, the log directory and kafka.log. It is made when absent; a broker that was
	// formatted there before keeps its topics.
	Dir string

	// Port of the listener for clients; 0 takes a free one.
	Port int

	// Detach leaves the broker running when this process ends. Stop it with StopDetached.
	Detach bool
}

//go:embed server.properties.tmpl
var propertiesTemplate string

// writeProperties puts the broker's configuration into the directory.
func (c Config) writeProperties(client, controller int) error {
	text := strings.NewReplacer(
		"{{client}}", strconv.Itoa(client),
		"{{controller}}", strconv.Itoa(controller),
		"{{data}}", filepath.ToSlash(filepath.Join(c.Dir, "data")),
	).Replace(propertiesTemplate)
	if err := os.WriteFile(c.path("server.properties"), []byte(text), 0o600); err != nil {
		return fmt.Errorf("configure the Kafka broker: %w", err)
	}
	return nil
}

func (c Config) path(name string) string { return filepath.Join(c.Dir, name) }

// freePort finds a loopback port that nothing listens on. Another process may take it before the broker does;
// Start then tries again with others.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port for the Kafka broker: %w", err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}
