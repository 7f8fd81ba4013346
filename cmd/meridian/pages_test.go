package main

import "testing"

func TestAnAddressAsThisMachineReachesIt(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080", "0.0.0.0:8080": "http://127.0.0.1:8080", "[::]:80": "http://127.0.0.1:80",
		":9000": "http://127.0.0.1:9000", "[::1]:9000": "http://[::1]:9000", "hooks.internal:9000": "http://hooks.internal:9000",
	} {
		if got := urlOf(addr); got != want {
			t.Errorf("%s: got %s, want %s", addr, got, want)
		}
	}
}
