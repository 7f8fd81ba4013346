package storage

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Claim makes the tables those of an instance, for good. It is
// [ErrOtherInstance] when they are another's.
func (d *Database) Claim(ctx context.Context, id string) error {
	holder, err := d.holder(ctx)
	if err == nil && holder == "" {
		if err = d.writeClaim(ctx, id); err == nil {
			holder, err = d.holder(ctx) // another one may have begun at the same moment
		}
	}
	if err == nil && holder != id && holder != "" { // a replica that has not heard of it yet says ""
		err = fmt.Errorf("storage: the tables in database %s are of instance %s, and this is %s: %w", d.cfg.Options.Auth.Database, holder, id, ErrOtherInstance)
	}
	return err
}

// holder is the instance whose tables these are; "": nobody has claimed them.
func (d *Database) holder(ctx context.Context) (id string, err error) {
	err = d.query(ctx, "instance", nil, func(rows driver.Rows) error { return rows.Scan(&id) })
	return id, err
}

func (d *Database) writeClaim(ctx context.Context, id string) error {
	b, err := d.prepare(ctx, "INSERT INTO instance (id, stamp)")
	if err == nil {
		if err = b.Append(id, uint64(time.Now().UnixNano())); err == nil {
			err = b.Send()
		}
	}
	return classify(ctx, "say whose tables these are", err)
}
