-- +goose NO TRANSACTION
-- +goose Up

-- Each pair of tables has one schema, so that promotion can move the partitions
-- of a generation from replay to live. Generation and team stand first in every
-- sorting key: a reader asks for one generation, and mostly for few teams. The
-- version is never part of a key; the higher one replaces the lower.
--
-- A key's month never changes (its window's start, its date), so rows of one
-- key always meet in one partition, and FINAL may look at each on its own.

-- Points: one metric over one window. `state` is the aggregate that all other
-- columns are computed from, and what wider windows and scopes are merged from.
-- Every question names its grain, which therefore stands before the metric: days of
-- all metrics lie together, and not strewn among the hours, of which there are
-- twelve times as many. A metric of all teams is a few rows of each: in small
-- granules an eighth of the usual is read for it, and the index takes 60 bytes of
-- memory for 1,024 rows.
CREATE TABLE IF NOT EXISTS points_live ON CLUSTER 'meridian'
(
    generation UInt32,
    team String,
    metric LowCardinality(String),
    grain Enum8('hour' = 1, 'day' = 2, 'day30' = 3),
    service String,
    start DateTime64(3, 'UTC') CODEC(Delta, ZSTD),
    end DateTime64(3, 'UTC') CODEC(Delta, ZSTD),
    zone LowCardinality(String),
    status Enum8('provisional' = 1, 'final' = 2, 'revised' = 3),
    withdrawn Bool COMMENT 'the last fact was taken back: n is 0 and value null',
    n Int64,
    value Nullable(Float64) COMMENT 'the headline statistic, in unit',
    unit LowCardinality(String),
    p50 Nullable(Float64),
    p75 Nullable(Float64),
    p90 Nullable(Float64),
    sum Nullable(Float64),
    numerator Nullable(Int64),
    denominator Nullable(Int64),
    missing LowCardinality(String) COMMENT 'why value is null',
    late_accepted Int64,
    late_dropped Int64,
    duplicates Int64,
    covered_days Int32 COMMENT 'of 30; -1 for hours and days',
    state String CODEC(ZSTD(3)),
    version UInt64 COMMENT 'generation << 40 | round',
    is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version, is_deleted)
PARTITION BY (generation, toYYYYMM(start))
ORDER BY (generation, team, grain, metric, service, start)
SETTINGS index_granularity = 1024;

-- Observations: the evidence behind points. One that moves to another date or
-- service leaves a tombstone (is_deleted = 1) under its old key.
CREATE TABLE IF NOT EXISTS observations_live ON CLUSTER 'meridian'
(
    generation UInt32,
    team String,
    metric LowCardinality(String),
    service String,
    at DateTime64(3, 'UTC') CODEC(Delta, ZSTD),
    entity String,
    item String,
    outcome Enum8('observed' = 1, 'excluded' = 2, 'ignored' = 3),
    reason LowCardinality(String),
    start Nullable(DateTime64(3, 'UTC')),
    value Int64 COMMENT 'milliseconds, lines, or 1',
    hit Bool COMMENT 'in the numerator of a share',
    person FixedString(16) COMMENT 'a pseudonym; zero where no person belongs to it',
    is_primary Bool COMMENT 'counts in sums over teams',
    class UInt8,
    zone_known UInt8 COMMENT '1 configured, 2 inferred, 3 assumed',
    basis LowCardinality(String),
    url String,
    label String,
    version UInt64,
    is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version, is_deleted)
PARTITION BY (generation, toYYYYMM(at))
ORDER BY (generation, team, metric, service, at, entity, item, outcome, reason);

-- Quality: verdicts by quarter of an hour of event time, as whole counts.
CREATE TABLE IF NOT EXISTS quality_live ON CLUSTER 'meridian'
(
    generation UInt32,
    team String,
    source LowCardinality(String),
    kind LowCardinality(String),
    cell DateTime64(3, 'UTC') CODEC(Delta, ZSTD),
    decoded Int64,
    accepted Int64,
    late_accepted Int64,
    backfilled Int64,
    healed Int64,
    late Int64,
    duplicates Int64,
    quarantined Int64,
    version UInt64,
    is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version, is_deleted)
PARTITION BY (generation, toYYYYMM(cell))
ORDER BY (generation, team, source, kind, cell);

-- Rejects: one row for each event that was late or quarantined. Its own time is
-- a number, since it may be absurd, which is why it is here.
CREATE TABLE IF NOT EXISTS rejects_live ON CLUSTER 'meridian'
(
    generation UInt32,
    team String,
    origin_partition Int32,
    origin_offset Int64,
    origin_ordinal Int32,
    source LowCardinality(String),
    kind LowCardinality(String),
    id FixedString(16),
    entity String,
    time Int64 COMMENT 'milliseconds since 1970, as the sender said',
    received DateTime64(3, 'UTC'),
    clock Nullable(DateTime64(3, 'UTC')) COMMENT 'that judged it; null before the first tick',
    verdict LowCardinality(String),
    reason LowCardinality(String),
    detail String,
    version UInt64,
    is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version, is_deleted)
PARTITION BY (generation, toYYYYMM(received))
ORDER BY (generation, team, origin_partition, origin_offset, origin_ordinal);

-- Coverage: since when a team's source is covered. Few rows, so one partition
-- for each generation.
CREATE TABLE IF NOT EXISTS coverage_live ON CLUSTER 'meridian'
(
    generation UInt32,
    team String,
    source LowCardinality(String),
    covered_from Nullable(DateTime64(3, 'UTC')),
    last_received Nullable(DateTime64(3, 'UTC')),
    version UInt64,
    is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version, is_deleted)
PARTITION BY generation
ORDER BY (generation, team, source);

-- Points: one metric over one window. `state` is the aggregate that all other
-- columns are computed from, and what wider windows and scopes are merged from.
-- Every question names its grain, which therefore stands before the metric: days of
-- all metrics lie together, and not strewn among the hours, of which there are
-- twelve times as many. A metric of all teams is a few rows of each: in small
-- granules an eighth of the usual is read for it, and the index takes 60 bytes of
-- memory for 1,024 rows.
CREATE TABLE IF NOT EXISTS points_replay ON CLUSTER 'meridian'
(
    generation UInt32,
    team String,
    metric LowCardinality(String),
    grain Enum8('hour' = 1, 'day' = 2, 'day30' = 3),
    service String,
    start DateTime64(3, 'UTC') CODEC(Delta, ZSTD),
    end DateTime64(3, 'UTC') CODEC(Delta, ZSTD),
    zone LowCardinality(String),
    status Enum8('provisional' = 1, 'final' = 2, 'revised' = 3),
    withdrawn Bool COMMENT 'the last fact was taken back: n is 0 and value null',
    n Int64,
    value Nullable(Float64) COMMENT 'the headline statistic, in unit',
    unit LowCardinality(String),
    p50 Nullable(Float64),
    p75 Nullable(Float64),
    p90 Nullable(Float64),
    sum Nullable(Float64),
    numerator Nullable(Int64),
    denominator Nullable(Int64),
    missing LowCardinality(String) COMMENT 'why value is null',
    late_accepted Int64,
    late_dropped Int64,
    duplicates Int64,
    covered_days Int32 COMMENT 'of 30; -1 for hours and days',
    state String CODEC(ZSTD(3)),
    version UInt64 COMMENT 'generation << 40 | round',
    is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version, is_deleted)
PARTITION BY (generation, toYYYYMM(start))
ORDER BY (generation, team, grain, metric, service, start)
SETTINGS index_granularity = 1024;

-- Observations: the evidence behind points. One that moves to another date or
-- service leaves a tombstone (is_deleted = 1) under its old key.
CREATE TABLE IF NOT EXISTS observations_replay ON CLUSTER 'meridian'
(
    generation UInt32,
    team String,
    metric LowCardinality(String),
    service String,
    at DateTime64(3, 'UTC') CODEC(Delta, ZSTD),
    entity String,
    item String,
    outcome Enum8('observed' = 1, 'excluded' = 2, 'ignored' = 3),
    reason LowCardinality(String),
    start Nullable(DateTime64(3, 'UTC')),
    value Int64 COMMENT 'milliseconds, lines, or 1',
    hit Bool COMMENT 'in the numerator of a share',
    person FixedString(16) COMMENT 'a pseudonym; zero where no person belongs to it',
    is_primary Bool COMMENT 'counts in sums over teams',
    class UInt8,
    zone_known UInt8 COMMENT '1 configured, 2 inferred, 3 assumed',
    basis LowCardinality(String),
    url String,
    label String,
    version UInt64,
    is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version, is_deleted)
PARTITION BY (generation, toYYYYMM(at))
ORDER BY (generation, team, metric, service, at, entity, item, outcome, reason);

-- Quality: verdicts by quarter of an hour of event time, as whole counts.
CREATE TABLE IF NOT EXISTS quality_replay ON CLUSTER 'meridian'
(
    generation UInt32,
    team String,
    source LowCardinality(String),
    kind LowCardinality(String),
    cell DateTime64(3, 'UTC') CODEC(Delta, ZSTD),
    decoded Int64,
    accepted Int64,
    late_accepted Int64,
    backfilled Int64,
    healed Int64,
    late Int64,
    duplicates Int64,
    quarantined Int64,
    version UInt64,
    is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version, is_deleted)
PARTITION BY (generation, toYYYYMM(cell))
ORDER BY (generation, team, source, kind, cell);

-- Rejects: one row for each event that was late or quarantined. Its own time is
-- a number, since it may be absurd, which is why it is here.
CREATE TABLE IF NOT EXISTS rejects_replay ON CLUSTER 'meridian'
(
    generation UInt32,
    team String,
    origin_partition Int32,
    origin_offset Int64,
    origin_ordinal Int32,
    source LowCardinality(String),
    kind LowCardinality(String),
    id FixedString(16),
    entity String,
    time Int64 COMMENT 'milliseconds since 1970, as the sender said',
    received DateTime64(3, 'UTC'),
    clock Nullable(DateTime64(3, 'UTC')) COMMENT 'that judged it; null before the first tick',
    verdict LowCardinality(String),
    reason LowCardinality(String),
    detail String,
    version UInt64,
    is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version, is_deleted)
PARTITION BY (generation, toYYYYMM(received))
ORDER BY (generation, team, origin_partition, origin_offset, origin_ordinal);

-- Coverage: since when a team's source is covered. Few rows, so one partition
-- for each generation.
CREATE TABLE IF NOT EXISTS coverage_replay ON CLUSTER 'meridian'
(
    generation UInt32,
    team String,
    source LowCardinality(String),
    covered_from Nullable(DateTime64(3, 'UTC')),
    last_received Nullable(DateTime64(3, 'UTC')),
    version UInt64,
    is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version, is_deleted)
PARTITION BY generation
ORDER BY (generation, team, source);

-- Progress: up to which clock each shard of the engine has all its rows here.
-- It is written behind them.
CREATE TABLE IF NOT EXISTS progress ON CLUSTER 'meridian'
(
    generation UInt32,
    shard Int32,
    clock DateTime64(3, 'UTC'),
    version UInt64
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version)
ORDER BY (generation, shard);

-- Generations that are or were the current one, so in the live tables. The one
-- with the highest sequence is what readers see; a promotion or a rollback
-- writes one row with a higher one.
CREATE TABLE IF NOT EXISTS generations ON CLUSTER 'meridian'
(
    generation UInt32,
    sequence UInt64
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', sequence)
ORDER BY generation;

-- +goose Down

DROP TABLE IF EXISTS points_live ON CLUSTER 'meridian';
DROP TABLE IF EXISTS observations_live ON CLUSTER 'meridian';
DROP TABLE IF EXISTS quality_live ON CLUSTER 'meridian';
DROP TABLE IF EXISTS rejects_live ON CLUSTER 'meridian';
DROP TABLE IF EXISTS coverage_live ON CLUSTER 'meridian';

DROP TABLE IF EXISTS points_replay ON CLUSTER 'meridian';
DROP TABLE IF EXISTS observations_replay ON CLUSTER 'meridian';
DROP TABLE IF EXISTS quality_replay ON CLUSTER 'meridian';
DROP TABLE IF EXISTS rejects_replay ON CLUSTER 'meridian';
DROP TABLE IF EXISTS coverage_replay ON CLUSTER 'meridian';

DROP TABLE IF EXISTS progress ON CLUSTER 'meridian';
DROP TABLE IF EXISTS generations ON CLUSTER 'meridian';
