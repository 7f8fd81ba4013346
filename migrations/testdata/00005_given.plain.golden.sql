-- +goose NO TRANSACTION
-- +goose Up

-- What a row said when it was final, where it was revised since: so that a page can
-- show both. Rows of before say nothing.

ALTER TABLE points_live
    ADD COLUMN IF NOT EXISTS given_n Nullable(Int64) AFTER quarantined,
    ADD COLUMN IF NOT EXISTS given_value Nullable(Float64) AFTER given_n;

ALTER TABLE points_replay
    ADD COLUMN IF NOT EXISTS given_n Nullable(Int64) AFTER quarantined,
    ADD COLUMN IF NOT EXISTS given_value Nullable(Float64) AFTER given_n;

-- +goose Down

ALTER TABLE points_live DROP COLUMN IF EXISTS given_n, DROP COLUMN IF EXISTS given_value;

ALTER TABLE points_replay DROP COLUMN IF EXISTS given_n, DROP COLUMN IF EXISTS given_value;

