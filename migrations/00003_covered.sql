-- +goose NO TRANSACTION
-- +goose Up

-- For which time APIs were read beside what webhooks brought, and of which time
-- deliveries may be missing: intervals [from, to), sorted and disjoint.
{{range sides}}
ALTER TABLE coverage_{{.}}{{cluster}}
    ADD COLUMN IF NOT EXISTS covered Array(Tuple(DateTime64(3, 'UTC'), DateTime64(3, 'UTC'))) AFTER last_received,
    ADD COLUMN IF NOT EXISTS gaps Array(Tuple(DateTime64(3, 'UTC'), DateTime64(3, 'UTC'))) AFTER covered;
{{end}}
-- +goose Down
{{range sides}}
ALTER TABLE coverage_{{.}}{{cluster}} DROP COLUMN IF EXISTS covered, DROP COLUMN IF EXISTS gaps;
{{end}}
