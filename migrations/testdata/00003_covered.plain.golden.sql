-- +goose NO TRANSACTION
-- +goose Up

-- For which time APIs were read beside what webhooks brought, and of which time
-- deliveries may be missing: intervals [from, to), sorted and disjoint.

ALTER TABLE coverage_live
    ADD COLUMN IF NOT EXISTS covered Array(Tuple(DateTime64(3, 'UTC'), DateTime64(3, 'UTC'))) AFTER last_received,
    ADD COLUMN IF NOT EXISTS gaps Array(Tuple(DateTime64(3, 'UTC'), DateTime64(3, 'UTC'))) AFTER covered;

ALTER TABLE coverage_replay
    ADD COLUMN IF NOT EXISTS covered Array(Tuple(DateTime64(3, 'UTC'), DateTime64(3, 'UTC'))) AFTER last_received,
    ADD COLUMN IF NOT EXISTS gaps Array(Tuple(DateTime64(3, 'UTC'), DateTime64(3, 'UTC'))) AFTER covered;

-- +goose Down

ALTER TABLE coverage_live DROP COLUMN IF EXISTS covered, DROP COLUMN IF EXISTS gaps;

ALTER TABLE coverage_replay DROP COLUMN IF EXISTS covered, DROP COLUMN IF EXISTS gaps;

