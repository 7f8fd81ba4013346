-- What are the points that readers see now, over windows that start in
-- [from, to), as a file for others? Columns are named as in a line of
-- `replay --print`; what is made of the state at read is not among them: only the
-- program can read that, and writes JSON lines itself (Reader.Seen).
SELECT
    metric, team, service, toString(grain) AS grain, start, end, zone,
    n, value, unit, p50, p75, p90, sum, numerator, denominator,
    toString(status) AS status, missing, late_accepted, late_dropped, duplicates, quarantined,
    generation, toString(version) AS version, if(covered_days < 0, NULL, covered_days) AS covered_days
FROM {table:Identifier} FINAL
WHERE (generation = {generation:UInt32} AND start >= fromUnixTimestamp64Milli({border:Int64}, 'UTC')
        OR generation = 0 AND start < fromUnixTimestamp64Milli({border:Int64}, 'UTC'))
    AND start >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
    AND start < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
ORDER BY start, team, metric, grain, service
