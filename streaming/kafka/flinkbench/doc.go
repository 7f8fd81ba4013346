// Command flinkbench puts Meridian's stage beside Apache Flink and beside a
// plain consumer: it fills a topic with a made-up history of 4,000,000 records,
// runs a job on [streaming.Shard] and the runner of streaming/kafka, and prints
// events per CPU second and a checksum of the final table. `make bench-flink`
// starts a broker for it.
//
// The job: drop redeliveries, fold each pull request from facts in any order,
// and keep windows of an hour and of 30 days, sliding daily, of what it observes
// by team and metric: count, sum and median. An expert's Flink 2.3 job over the
// same records ends with the same table, 2672799/8501400/e1200a3b60fdb3ad.
//
// It knows streaming and streaming/kafka, and nothing of Meridian's events or
// metrics. Surprising: it takes no snapshots, for it is compared with Flink
// without checkpoints; and unlike Flink's, its topic holds ticks, one for each
// hour of arrival and partition, since here nothing else moves time.
package main
