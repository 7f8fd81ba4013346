package kafka_test

import (
	"strings"
	"testing"

	"meridian/streaming/kafka"
)

func TestConfigTellsAllProblems(t *testing.T) {
	for _, tt := range []struct {
		config kafka.Config
		want   []string // parts of the error, none: valid
	}{
		{kafka.Config{Brokers: []string{"a:1"}}, nil},
		{kafka.Config{Brokers: []string{"a:1"}, Prefix: "acme.meridian", SASL: kafka.SASL{Mechanism: "SCRAM-SHA-512", User: "u", Password: "p"}}, nil},
		{kafka.Config{Prefix: "a b", SASL: kafka.SASL{Mechanism: "GSSAPI"}}, []string{"no brokers", `"a b"`, `"GSSAPI"`}},
		{kafka.Config{Brokers: []string{"a:1"}, SASL: kafka.SASL{User: "u"}}, []string{"no mechanism"}},
		{kafka.Config{Brokers: []string{"a:1"}, SASL: kafka.SASL{Mechanism: "PLAIN", User: "u"}}, []string{"needs a user and a password"}},
	} {
		err := tt.config.Validate()
		if (err == nil) != (len(tt.want) == 0) {
			t.Errorf("%+v: %v", tt.config, err)
			continue
		}
		for _, part := range tt.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%+v: %q does not tell %q", tt.config, err, part)
			}
		}
	}
}

func TestNames(t *testing.T) {
	c := kafka.Config{}
	if got := []string{c.DeliveriesTopic(), c.ControlTopic(), c.EventsTopic(3), c.CheckTopic(), c.Group("engine", 3), kafka.ShardName("route", 3, 0)}; strings.Join(got, " ") !=
		"meridian.deliveries meridian.control meridian.events.3 meridian.check meridian.engine.3 route-3-0" {
		t.Errorf("names %v", got)
	}
}

// A port of the loopback interface is open to every user of the machine.
func TestEmbeddedBrokerAsksForAPassword(t *testing.T) {
	c := broker(t, "").Config("")
	if err := kafka.Ping(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	c.SASL.Password += "x"
	if err := kafka.Ping(t.Context(), c); err == nil {
		t.Error("a wrong password was taken")
	}
}
