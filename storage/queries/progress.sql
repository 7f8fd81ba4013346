-- How many shards of this generation have said how far their rows are here, and
-- which of them is furthest behind?
SELECT toInt64(count()), minOrNull(toNullable(clock))
FROM progress FINAL
WHERE generation = {generation:UInt32}
