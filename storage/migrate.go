package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/pressly/goose/v3"

	"meridian/migrations"
)

// Migrate brings the schema up to what this program knows, and returns the
// names of the migrations that it ran. Running it again does nothing. A schema
// that is ahead of this program is ErrNewerSchema.
func (d *Database) Migrate(ctx context.Context) (ran []string, err error) {
	provider, db, err := d.provider()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := d.notAhead(ctx, provider); err != nil {
		return nil, err
	}
	results, err := provider.Up(ctx)
	for _, r := range results {
		ran = append(ran, r.Source.Path)
	}
	return ran, classify(ctx, "migrate", err)
}

// Behind reports which version the schema has and which one this program writes, when
// the first is the lower: rows cannot be written until somebody has migrated.
func (d *Database) Behind(ctx context.Context) (have, want int64, behind bool, err error) {
	if want, err = migrations.Newest(); err != nil {
		return 0, 0, false, err
	}
	err = d.query(ctx, "schema_version", nil, func(rows driver.Rows) error { return rows.Scan(&have) })
	return have, want, err == nil && have < want, err
}

func (d *Database) provider() (*goose.Provider, *sql.DB, error) {
	files, err := migrations.Render(migrations.Target{Cluster: d.cfg.Cluster, Embedded: d.cfg.Embedded})
	if err != nil {
		return nil, nil, err
	}
	options := *d.cfg.Options
	options.MaxIdleConns, options.MaxOpenConns, options.ConnMaxLifetime = 0, 0, 0 // database/sql has its own pool
	db := clickhouse.OpenDB(&options)
	provider, err := goose.NewProvider(goose.DialectClickHouse, db, files, goose.WithVerbose(false))
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("storage: read the migrations: %w", err), db.Close())
	}
	return provider, db, nil
}

func (d *Database) notAhead(ctx context.Context, provider *goose.Provider) error {
	have, err := provider.GetDBVersion(ctx)
	if err != nil {
		return classify(ctx, "read the schema's version", err)
	}
	sources := provider.ListSources()
	if know := sources[len(sources)-1].Version; have > know {
		return fmt.Errorf("storage: the schema has version %d and this program knows %d: %w", have, know, ErrNewerSchema)
	}
	return nil
}
