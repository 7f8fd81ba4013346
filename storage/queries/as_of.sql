-- Which generations are there, the current one first; in which half of the tables
-- is each, up to which clock have all its shards their rows there, how many shards
-- have said so, and before which instant is generation 0 read?
SELECT generation, max(sequence) AS turn, max(side), minOrNull(clock), toInt64(count(clock)), (SELECT max(toUnixTimestamp64Milli(history_from)) FROM border)
FROM
(
    SELECT generation, sequence, '' AS side, CAST(NULL, 'Nullable(DateTime64(3, \'UTC\'))') AS clock FROM generations FINAL
    UNION ALL
    SELECT generation, 0 AS sequence, toString(side) AS side, NULL AS clock FROM sides FINAL
    UNION ALL
    SELECT generation, 0 AS sequence, '' AS side, clock FROM progress FINAL
)
GROUP BY generation
ORDER BY turn DESC, generation DESC
