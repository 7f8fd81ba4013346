-- Which points have been written with a version above this one, of windows that may
-- still change? The last row of each; what generation 0 has kept does not change.
SELECT
    team, metric, toString(grain), service, start, end, zone, toString(status), withdrawn,
    missing, late_accepted, late_dropped, duplicates, quarantined, given_n, given_value, covered_days, state, version
FROM {table:Identifier}
WHERE generation = {generation:UInt32}
    AND version > {since:UInt64}
    AND start >= fromUnixTimestamp64Milli({border:Int64}, 'UTC')
    AND start >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
ORDER BY version DESC
LIMIT 1 BY team, metric, grain, service, start
