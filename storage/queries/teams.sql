-- Which teams have points? Whatever has one has one of 30 days, and those are few.
SELECT DISTINCT team
FROM {table:Identifier}
WHERE generation IN ({generation:UInt32}, if({border:Int64} > -2208988800000, 0, {generation:UInt32}))
    AND grain = 'day30'
ORDER BY team
