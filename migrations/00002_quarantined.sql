-- +goose NO TRANSACTION
-- +goose Up

-- How many events were set aside beside a point, as the late ones and the copies
-- are counted there. Rows of before say 0; the next generation knows better.
{{range sides}}
ALTER TABLE points_{{.}}{{cluster}} ADD COLUMN IF NOT EXISTS quarantined Int64 DEFAULT 0 AFTER duplicates;
{{end}}
-- +goose Down
{{range sides}}
ALTER TABLE points_{{.}}{{cluster}} DROP COLUMN IF EXISTS quarantined;
{{end}}
