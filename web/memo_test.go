package web

import (
	"errors"
	"sync"
	"testing"

	"meridian/metrics"
)

func TestMemo_DoesTheWorkOnceAClock(t *testing.T) {
	var m memo
	works := 0
	ask := func(as metrics.AsOf, key string) int {
		v, err := remember(&m, as, key, func() (int, error) { works++; return works, nil })
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	first, second := metrics.AsOf{Generation: 1, Clock: 500}, metrics.AsOf{Generation: 1, Clock: 1000}
	for i, c := range []struct {
		as   metrics.AsOf
		key  string
		want int
	}{{first, "a", 1}, {first, "a", 1}, {first, "b", 2}, {second, "a", 3}, {second, "a", 3}, {first, "a", 4}} {
		if got := ask(c.as, c.key); got != c.want {
			t.Errorf("question %d: answer of work %d, want %d", i, got, c.want)
		}
	}
	if len(m.answers) != 1 {
		t.Errorf("%d answers of older clocks are kept", len(m.answers)-1)
	}
}

func TestMemo_AFailureIsNotRemembered(t *testing.T) {
	var m memo
	as := metrics.AsOf{Generation: 1, Clock: 500}
	if _, err := remember(&m, as, "a", func() (int, error) { return 0, errors.New("gone") }); err == nil {
		t.Error("no error")
	}
	if v, err := remember(&m, as, "a", func() (int, error) { return 7, nil }); v != 7 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if v, err := remember(&m, as, "a", func() (int, error) { return 8, nil }); v != 7 || err != nil {
				t.Errorf("%d, %v", v, err)
			}
		})
	}
	all.Wait()
}
