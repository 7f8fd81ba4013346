-- Which partitions does each half of the pairs have?
SELECT DISTINCT table, partition_id
FROM system.parts
WHERE database = currentDatabase() AND active AND rows > 0
    AND match(table, '^(points|observations|quality|rejects|coverage)_(live|replay)$')
ORDER BY table, partition_id
