-- What became of the events of cells that start in [from, to)?
SELECT
    team, source, kind, cell, decoded, accepted, late_accepted, backfilled, healed, late, duplicates, quarantined, version
FROM {table:Identifier} FINAL
WHERE (generation = {generation:UInt32} AND cell >= fromUnixTimestamp64Milli({border:Int64}, 'UTC')
        OR generation = 0 AND cell < fromUnixTimestamp64Milli({border:Int64}, 'UTC'))
    AND cell >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
    AND cell < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
ORDER BY team, source, kind, cell
