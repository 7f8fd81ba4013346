-- Which rows of these teams' gauges have been written with a version above this one,
-- whether they overlap anything or not? One that has ended takes the place of the one
-- that was open, and what was taken back takes it away. Of a key perhaps several.
SELECT
    team, metric, service, at, entity, item, toString(outcome), reason, start, value, hit, person,
    is_primary, class, zone_known, basis, url, label, version, is_deleted
FROM {table:Identifier}
WHERE generation = {generation:UInt32}
    AND version > {since:UInt64}
    AND at >= fromUnixTimestamp64Milli({border:Int64}, 'UTC')
    AND ({all_teams:Bool} OR team IN {teams:Array(String)})
    AND metric IN {gauges:Array(String)}
    AND ({service:String} IN ('', '*') OR service = {service:String})
    AND at < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
    AND outcome = 'observed'
