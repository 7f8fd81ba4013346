-- Which points does one partition hold, in the order of their keys, after the one
-- that the arguments name?
SELECT
    team, metric, toString(grain), service, start, end, zone, toString(status), withdrawn,
    missing, late_accepted, late_dropped, duplicates, quarantined, given_n, given_value, covered_days, state, version
FROM {table:Identifier} FINAL
WHERE generation = {generation:UInt32}
    AND _partition_id = {partition:String}
    AND team >= {team:String}
    AND ({first:Bool} OR (team, toInt8(grain), metric, service, start)
        > ({team:String}, {grain:Int8}, {metric:String}, {service:String}, fromUnixTimestamp64Milli({start:Int64}, 'UTC')))
ORDER BY team, toInt8(grain), metric, service, start
LIMIT {limit:UInt32}
