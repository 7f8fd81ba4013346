-- Which observations have been written or taken back with a version above this one,
-- of days that may still change, and of gauges whenever they began? Of a key perhaps
-- several rows.
SELECT
    team, metric, service, at, entity, item, toString(outcome), reason, start, value, hit, person,
    is_primary, class, zone_known, basis, url, label, version, is_deleted
FROM {table:Identifier}
WHERE generation = {generation:UInt32}
    AND version > {since:UInt64}
    AND at >= fromUnixTimestamp64Milli({border:Int64}, 'UTC')
    AND (at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') OR metric IN {gauges:Array(String)})
