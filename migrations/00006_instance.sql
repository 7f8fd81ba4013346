-- +goose NO TRANSACTION
-- +goose Up

-- Instance: whose tables these are. Two instances number their generations by
-- themselves, so in one database each would drop and count the other's rows. Of
-- several rows, which two first starts may write at once, the lowest stamp holds.
CREATE TABLE IF NOT EXISTS instance{{cluster}}
(
    id String COMMENT 'a hash of the key of its pseudonyms',
    stamp UInt64 COMMENT 'nanoseconds since 1970, when this was written'
)
ENGINE = {{replacing "stamp"}}
ORDER BY id{{settings}};

-- +goose Down

DROP TABLE IF EXISTS instance{{cluster}};
