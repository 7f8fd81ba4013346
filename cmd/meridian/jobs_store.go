package main

import (
	"context"

	"meridian/cmd/meridian/jobs"
	"meridian/streaming/kafka"
)

// jobStore keeps jobs in meridian.control, which every process of an instance
// reads.
type jobStore struct{ *kafka.Control }

var _ jobs.Store = jobStore{}

func (s jobStore) All(prefix string) map[string][]byte {
	all := map[string][]byte{}
	for _, e := range s.Control.All(prefix) {
		all[e.Key] = e.Value
	}
	return all
}

func (s jobStore) Watch(ctx context.Context, prefix string, changed func(string)) {
	s.Control.Watch(ctx, prefix, func(e kafka.ControlEntry) { changed(e.Key) })
}

func (m *machine) newJobs() *jobs.Manager {
	return jobs.New(jobStore{m.control}, map[jobs.Kind]jobs.Func{
		backfillGitHub: m.backfillGitHub, backfillJira: m.backfillJira, redeliverGitHub: m.redeliverGitHub, erasePerson: m.erase, reconcileAll: m.reconcile,
	}, m.app.log, nil)
}

// runJobs runs jobs while this process leads the instance.
func (m *machine) runJobs(ctx context.Context) error {
	select {
	case <-m.coordinator.checked: // what a job reads needs a generation that takes it
	case <-ctx.Done():
		return nil
	}
	return m.jobs.Run(ctx)
}
