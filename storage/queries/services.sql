-- Which services of a team have points? Whatever has one has one of 30 days, and
-- those are few.
SELECT DISTINCT service
FROM {table:Identifier}
WHERE generation IN ({generation:UInt32}, if({border:Int64} > -2208988800000, 0, {generation:UInt32}))
    AND team = {team:String} AND grain = 'day30' AND service != ''
ORDER BY service
