-- Whose tables are these?
SELECT id FROM instance ORDER BY stamp, id LIMIT 1
