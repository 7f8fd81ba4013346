-- +goose NO TRANSACTION
-- +goose Up

-- Sides: in which half of each pair of tables the rows of a generation are. A
-- generation without a row here is in replay. 'moving' is on its way between the
-- two: whoever asks for it by name is told to ask again, for neither half has all
-- of it. The current generation is never moving.
CREATE TABLE IF NOT EXISTS sides
(
    generation UInt32,
    side Enum8('replay' = 1, 'live' = 2, 'moving' = 3),
    stamp UInt64 COMMENT 'nanoseconds since 1970, when this was written; the highest holds'
)
ENGINE = ReplacingMergeTree(stamp)
ORDER BY generation
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- The border: windows that start before it are read from generation 0, where the
-- rows were copied that the log can no longer give. It only moves forward.
CREATE TABLE IF NOT EXISTS border
(
    one UInt8 COMMENT 'always 1: there is one row',
    history_from DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(history_from)
ORDER BY one
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- Until now all rows of all generations were written to the live tables.
INSERT INTO sides (generation, side, stamp)
SELECT DISTINCT generation, 'live', 1 FROM points_live;

-- +goose Down

DROP TABLE IF EXISTS sides;
DROP TABLE IF EXISTS border;
