-- What are the observations that readers see now, dated in [from, to), as a file
-- for others? A person is a pseudonym, in hex; empty where nobody belongs to it.
SELECT
    metric, team, service, at, entity, item, toString(outcome) AS outcome, reason, start, value, hit,
    if(person = toFixedString('', 16), '', lower(hex(person))) AS person, is_primary, class,
    ['', 'configured', 'inferred', 'assumed'][zone_known + 1] AS zone_known, basis, url, label,
    generation, toString(version) AS version
FROM {table:Identifier} FINAL
WHERE (generation = {generation:UInt32} AND at >= fromUnixTimestamp64Milli({border:Int64}, 'UTC')
        OR generation = 0 AND at < fromUnixTimestamp64Milli({border:Int64}, 'UTC'))
    AND at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
    AND at < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
ORDER BY at, team, metric, service, entity, item, outcome, reason
