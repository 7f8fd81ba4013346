-- Which migrations have run?
SELECT toInt64(max(version_id)) FROM goose_db_version WHERE is_applied = 1
