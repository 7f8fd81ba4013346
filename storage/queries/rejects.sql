-- Which events were not accepted (with one verdict, '' is any), newest receipt
-- first, after the row that the cursor names?
SELECT
    team, origin_partition, origin_offset, origin_ordinal, source, kind, id, entity, time, received, clock, verdict, reason, detail, version
FROM {table:Identifier} FINAL
WHERE (generation = {generation:UInt32} AND received >= fromUnixTimestamp64Milli({border:Int64}, 'UTC')
        OR generation = 0 AND received < fromUnixTimestamp64Milli({border:Int64}, 'UTC'))
    AND ({verdict:String} = '' OR verdict = {verdict:String})
    AND received <= fromUnixTimestamp64Milli({received:Int64}, 'UTC')
    AND ({first:Bool} OR (received, origin_partition, origin_offset, origin_ordinal, team)
        < (fromUnixTimestamp64Milli({received:Int64}, 'UTC'), {after_partition:Int32}, {after_offset:Int64}, {after_ordinal:Int32}, {after_team:String}))
ORDER BY received DESC, origin_partition DESC, origin_offset DESC, origin_ordinal DESC, team DESC
LIMIT {limit:UInt32}
