-- For which time is each source of each team covered?
SELECT team, source, covered_from, last_received, covered, gaps, version
FROM {table:Identifier} FINAL
WHERE generation = {generation:UInt32}
ORDER BY team, source
