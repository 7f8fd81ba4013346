-- Which observations are behind the windows of [from, to), newest first, after
-- the row that the cursor names?
SELECT
    team, metric, service, at, entity, item, toString(outcome), reason, start, value, hit, person,
    is_primary, class, zone_known, basis, url, label, version
FROM {table:Identifier} FINAL
WHERE (generation = {generation:UInt32} AND at >= fromUnixTimestamp64Milli({border:Int64}, 'UTC')
        OR generation = 0 AND at < fromUnixTimestamp64Milli({border:Int64}, 'UTC'))
    AND ({all_teams:Bool} OR team IN {teams:Array(String)})
    AND ({all_metrics:Bool} OR metric IN {metrics:Array(String)})
    AND ({service:String} IN ('', '*') OR service = {service:String})
    AND at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
    AND at < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
    AND at <= fromUnixTimestamp64Milli({at:Int64}, 'UTC')
    AND ({first:Bool} OR (at, team, metric, service, entity, item, toString(outcome), reason)
        < (fromUnixTimestamp64Milli({at:Int64}, 'UTC'), {after_team:String}, {after_metric:String}, {after_service:String},
            {after_entity:String}, {after_item:String}, {after_outcome:String}, {after_reason:String}))
ORDER BY at DESC, team DESC, metric DESC, service DESC, entity DESC, item DESC, toString(outcome) DESC, reason DESC
LIMIT {limit:UInt32}
