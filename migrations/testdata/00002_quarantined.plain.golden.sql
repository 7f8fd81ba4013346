-- +goose NO TRANSACTION
-- +goose Up

-- How many events were set aside beside a point, as the late ones and the copies
-- are counted there. Rows of before say 0; the next generation knows better.

ALTER TABLE points_live ADD COLUMN IF NOT EXISTS quarantined Int64 DEFAULT 0 AFTER duplicates;

ALTER TABLE points_replay ADD COLUMN IF NOT EXISTS quarantined Int64 DEFAULT 0 AFTER duplicates;

-- +goose Down

ALTER TABLE points_live DROP COLUMN IF EXISTS quarantined;

ALTER TABLE points_replay DROP COLUMN IF EXISTS quarantined;

