-- Which months (their first instants, UTC) have rows that readers see now?
SELECT DISTINCT toUnixTimestamp64Milli(toDateTime64(toStartOfMonth({column:Identifier}, 'UTC'), 3, 'UTC')) AS month
FROM {table:Identifier}
WHERE (generation = {generation:UInt32} AND {column:Identifier} >= fromUnixTimestamp64Milli({border:Int64}, 'UTC')
        OR generation = 0 AND {column:Identifier} < fromUnixTimestamp64Milli({border:Int64}, 'UTC'))
    AND {column:Identifier} >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
    AND {column:Identifier} < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
ORDER BY month
