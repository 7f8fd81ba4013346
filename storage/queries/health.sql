-- Are the tables there?
SELECT generation FROM generations LIMIT 1
