-- Which intervals of these teams' gauges overlap [from, to)? One begins at `at`
-- and is `value` milliseconds long; -1 is one that is still open.
SELECT
    team, metric, service, at, entity, item, toString(outcome), reason, start, value, hit, person,
    is_primary, class, zone_known, basis, url, label, version
FROM {table:Identifier} FINAL
WHERE (generation = {generation:UInt32} AND at >= fromUnixTimestamp64Milli({border:Int64}, 'UTC')
        OR generation = 0 AND at < fromUnixTimestamp64Milli({border:Int64}, 'UTC'))
    AND ({all_teams:Bool} OR team IN {teams:Array(String)})
    AND metric IN {gauges:Array(String)}
    AND ({service:String} IN ('', '*') OR service = {service:String})
    AND at < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
    AND outcome = 'observed'
    AND (value = -1 OR toUnixTimestamp64Milli(at) + value > {from:Int64})
ORDER BY team, metric, at, service, entity, item
