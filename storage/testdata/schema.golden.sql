CREATE TABLE border
(
    `one` UInt8 COMMENT 'always 1: there is one row',
    `history_from` DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(history_from)
ORDER BY one
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192;

CREATE TABLE coverage_live
(
    `generation` UInt32,
    `team` String,
    `source` LowCardinality(String),
    `covered_from` Nullable(DateTime64(3, 'UTC')),
    `last_received` Nullable(DateTime64(3, 'UTC')),
    `covered` Array(Tuple(
        DateTime64(3, 'UTC'),
        DateTime64(3, 'UTC'))),
    `gaps` Array(Tuple(
        DateTime64(3, 'UTC'),
        DateTime64(3, 'UTC'))),
    `version` UInt64,
    `is_deleted` UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
PARTITION BY generation
ORDER BY (generation, team, source)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192;

CREATE TABLE coverage_replay
(
    `generation` UInt32,
    `team` String,
    `source` LowCardinality(String),
    `covered_from` Nullable(DateTime64(3, 'UTC')),
    `last_received` Nullable(DateTime64(3, 'UTC')),
    `covered` Array(Tuple(
        DateTime64(3, 'UTC'),
        DateTime64(3, 'UTC'))),
    `gaps` Array(Tuple(
        DateTime64(3, 'UTC'),
        DateTime64(3, 'UTC'))),
    `version` UInt64,
    `is_deleted` UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
PARTITION BY generation
ORDER BY (generation, team, source)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192;

CREATE TABLE generations
(
    `generation` UInt32,
    `sequence` UInt64
)
ENGINE = ReplacingMergeTree(sequence)
ORDER BY generation
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192;

CREATE TABLE goose_db_version
(
    `version_id` Int64,
    `is_applied` UInt8,
    `date` Date DEFAULT now(),
    `tstamp` DateTime DEFAULT now()
)
ENGINE = MergeTree
ORDER BY (version_id)
SETTINGS index_granularity = 8192;

CREATE TABLE instance
(
    `id` String COMMENT 'a hash of the key of its pseudonyms',
    `stamp` UInt64 COMMENT 'nanoseconds since 1970, when this was written'
)
ENGINE = ReplacingMergeTree(stamp)
ORDER BY id
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192;

CREATE TABLE observations_live
(
    `generation` UInt32,
    `team` String,
    `metric` LowCardinality(String),
    `service` String,
    `at` DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `entity` String,
    `item` String,
    `outcome` Enum8('observed' = 1, 'excluded' = 2, 'ignored' = 3),
    `reason` LowCardinality(String),
    `start` Nullable(DateTime64(3, 'UTC')),
    `value` Int64 COMMENT 'milliseconds, lines, or 1',
    `hit` Bool COMMENT 'in the numerator of a share',
    `person` FixedString(16) COMMENT 'a pseudonym; zero where no person belongs to it',
    `is_primary` Bool COMMENT 'counts in sums over teams',
    `class` UInt8,
    `zone_known` UInt8 COMMENT '1 configured, 2 inferred, 3 assumed',
    `basis` LowCardinality(String),
    `url` String,
    `label` String,
    `version` UInt64,
    `is_deleted` UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
PARTITION BY (generation, toYYYYMM(at))
ORDER BY (generation, team, metric, service, at, entity, item, outcome, reason)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192;

CREATE TABLE observations_replay
(
    `generation` UInt32,
    `team` String,
    `metric` LowCardinality(String),
    `service` String,
    `at` DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `entity` String,
    `item` String,
    `outcome` Enum8('observed' = 1, 'excluded' = 2, 'ignored' = 3),
    `reason` LowCardinality(String),
    `start` Nullable(DateTime64(3, 'UTC')),
    `value` Int64 COMMENT 'milliseconds, lines, or 1',
    `hit` Bool COMMENT 'in the numerator of a share',
    `person` FixedString(16) COMMENT 'a pseudonym; zero where no person belongs to it',
    `is_primary` Bool COMMENT 'counts in sums over teams',
    `class` UInt8,
    `zone_known` UInt8 COMMENT '1 configured, 2 inferred, 3 assumed',
    `basis` LowCardinality(String),
    `url` String,
    `label` String,
    `version` UInt64,
    `is_deleted` UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
PARTITION BY (generation, toYYYYMM(at))
ORDER BY (generation, team, metric, service, at, entity, item, outcome, reason)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192;

CREATE TABLE points_live
(
    `generation` UInt32,
    `team` String,
    `metric` LowCardinality(String),
    `grain` Enum8('hour' = 1, 'day' = 2, 'day30' = 3),
    `service` String,
    `start` DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `end` DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `zone` LowCardinality(String),
    `status` Enum8('provisional' = 1, 'final' = 2, 'revised' = 3),
    `withdrawn` Bool COMMENT 'the last fact was taken back: n is 0 and value null',
    `n` Int64,
    `value` Nullable(Float64) COMMENT 'the headline statistic, in unit',
    `unit` LowCardinality(String),
    `p50` Nullable(Float64),
    `p75` Nullable(Float64),
    `p90` Nullable(Float64),
    `sum` Nullable(Float64),
    `numerator` Nullable(Int64),
    `denominator` Nullable(Int64),
    `missing` LowCardinality(String) COMMENT 'why value is null',
    `late_accepted` Int64,
    `late_dropped` Int64,
    `duplicates` Int64,
    `quarantined` Int64 DEFAULT 0,
    `given_n` Nullable(Int64),
    `given_value` Nullable(Float64),
    `covered_days` Int32 COMMENT 'of 30; -1 for hours and days',
    `state` String CODEC(ZSTD(3)),
    `version` UInt64 COMMENT 'generation << 40 | round',
    `is_deleted` UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
PARTITION BY (generation, toYYYYMM(start))
ORDER BY (generation, team, grain, metric, service, start)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE points_replay
(
    `generation` UInt32,
    `team` String,
    `metric` LowCardinality(String),
    `grain` Enum8('hour' = 1, 'day' = 2, 'day30' = 3),
    `service` String,
    `start` DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `end` DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `zone` LowCardinality(String),
    `status` Enum8('provisional' = 1, 'final' = 2, 'revised' = 3),
    `withdrawn` Bool COMMENT 'the last fact was taken back: n is 0 and value null',
    `n` Int64,
    `value` Nullable(Float64) COMMENT 'the headline statistic, in unit',
    `unit` LowCardinality(String),
    `p50` Nullable(Float64),
    `p75` Nullable(Float64),
    `p90` Nullable(Float64),
    `sum` Nullable(Float64),
    `numerator` Nullable(Int64),
    `denominator` Nullable(Int64),
    `missing` LowCardinality(String) COMMENT 'why value is null',
    `late_accepted` Int64,
    `late_dropped` Int64,
    `duplicates` Int64,
    `quarantined` Int64 DEFAULT 0,
    `given_n` Nullable(Int64),
    `given_value` Nullable(Float64),
    `covered_days` Int32 COMMENT 'of 30; -1 for hours and days',
    `state` String CODEC(ZSTD(3)),
    `version` UInt64 COMMENT 'generation << 40 | round',
    `is_deleted` UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
PARTITION BY (generation, toYYYYMM(start))
ORDER BY (generation, team, grain, metric, service, start)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE progress
(
    `generation` UInt32,
    `shard` Int32,
    `clock` DateTime64(3, 'UTC'),
    `version` UInt64
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (generation, shard)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192;

CREATE TABLE quality_live
(
    `generation` UInt32,
    `team` String,
    `source` LowCardinality(String),
    `kind` LowCardinality(String),
    `cell` DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `decoded` Int64,
    `accepted` Int64,
    `late_accepted` Int64,
    `backfilled` Int64,
    `healed` Int64,
    `late` Int64,
    `duplicates` Int64,
    `quarantined` Int64,
    `version` UInt64,
    `is_deleted` UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
PARTITION BY (generation, toYYYYMM(cell))
ORDER BY (generation, team, source, kind, cell)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192;

CREATE TABLE quality_replay
(
    `generation` UInt32,
    `team` String,
    `source` LowCardinality(String),
    `kind` LowCardinality(String),
    `cell` DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `decoded` Int64,
    `accepted` Int64,
    `late_accepted` Int64,
    `backfilled` Int64,
    `healed` Int64,
    `late` Int64,
    `duplicates` Int64,
    `quarantined` Int64,
    `version` UInt64,
    `is_deleted` UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
PARTITION BY (generation, toYYYYMM(cell))
ORDER BY (generation, team, source, kind, cell)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192;

CREATE TABLE rejects_live
(
    `generation` UInt32,
    `team` String,
    `origin_partition` Int32,
    `origin_offset` Int64,
    `origin_ordinal` Int32,
    `source` LowCardinality(String),
    `kind` LowCardinality(String),
    `id` FixedString(16),
    `entity` String,
    `time` Int64 COMMENT 'milliseconds since 1970, as the sender said',
    `received` DateTime64(3, 'UTC'),
    `clock` Nullable(DateTime64(3, 'UTC')) COMMENT 'that judged it; null before the first tick',
    `verdict` LowCardinality(String),
    `reason` LowCardinality(String),
    `detail` String,
    `version` UInt64,
    `is_deleted` UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
PARTITION BY (generation, toYYYYMM(received))
ORDER BY (generation, team, origin_partition, origin_offset, origin_ordinal)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192;

CREATE TABLE rejects_replay
(
    `generation` UInt32,
    `team` String,
    `origin_partition` Int32,
    `origin_offset` Int64,
    `origin_ordinal` Int32,
    `source` LowCardinality(String),
    `kind` LowCardinality(String),
    `id` FixedString(16),
    `entity` String,
    `time` Int64 COMMENT 'milliseconds since 1970, as the sender said',
    `received` DateTime64(3, 'UTC'),
    `clock` Nullable(DateTime64(3, 'UTC')) COMMENT 'that judged it; null before the first tick',
    `verdict` LowCardinality(String),
    `reason` LowCardinality(String),
    `detail` String,
    `version` UInt64,
    `is_deleted` UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
PARTITION BY (generation, toYYYYMM(received))
ORDER BY (generation, team, origin_partition, origin_offset, origin_ordinal)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192;

CREATE TABLE sides
(
    `generation` UInt32,
    `side` Enum8('replay' = 1, 'live' = 2, 'moving' = 3),
    `stamp` UInt64 COMMENT 'nanoseconds since 1970, when this was written; the highest holds'
)
ENGINE = ReplacingMergeTree(stamp)
ORDER BY generation
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192;

