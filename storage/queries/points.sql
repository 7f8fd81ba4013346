-- What are the points of these teams and metrics, over windows that start
-- in [from, to)?
SELECT
    team, metric, toString(grain), service, start, end, zone, toString(status), withdrawn,
    missing, late_accepted, late_dropped, duplicates, quarantined, given_n, given_value, covered_days, state, version
FROM {table:Identifier} FINAL
WHERE (generation = {generation:UInt32} AND start >= fromUnixTimestamp64Milli({border:Int64}, 'UTC')
        OR generation = 0 AND start < fromUnixTimestamp64Milli({border:Int64}, 'UTC'))
    AND ({all_teams:Bool} OR team IN {teams:Array(String)})
    AND ({all_metrics:Bool} OR metric IN {metrics:Array(String)})
    AND grain = {grain:String}
    AND ({service:String} = '*' OR service = {service:String})
    AND start >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
    AND start < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
ORDER BY team, metric, service, start
