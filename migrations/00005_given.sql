-- +goose NO TRANSACTION
-- +goose Up

-- What a row said when it was final, where it was revised since: so that a page can
-- show both. Rows of before say nothing.
{{range sides}}
ALTER TABLE points_{{.}}{{cluster}}
    ADD COLUMN IF NOT EXISTS given_n Nullable(Int64) AFTER quarantined,
    ADD COLUMN IF NOT EXISTS given_value Nullable(Float64) AFTER given_n;
{{end}}
-- +goose Down
{{range sides}}
ALTER TABLE points_{{.}}{{cluster}} DROP COLUMN IF EXISTS given_n, DROP COLUMN IF EXISTS given_value;
{{end}}
