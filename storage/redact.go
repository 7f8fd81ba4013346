package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// Texts of generation 0 that may name somebody: a repository of their own is a team
// where no catalog says otherwise, and stands in addresses and labels. Names of teams
// are part of keys; the others are not.
var (
	namedTeams = []string{"points", "observations", "quality", "rejects", "coverage"}
	namedTexts = map[string][]string{"observations": {"url", "label"}, "rejects": {"detail"}}
)

// redactAtOnce bounds the texts of one statement.
const redactAtOnce = 500

// Redact changes what names somebody in the rows of generation 0, which nothing can
// compute again. change returns what stands in the place of a text, or the text. It
// can be broken off anywhere and done again. It returns how many texts were changed,
// when no part of a table has them any more.
func (d *Database) Redact(ctx context.Context, change func(text string) string) (changed int, err error) {
	defer d.reread()
	for _, pair := range namedTeams {
		n, err := d.redactTeams(ctx, pair+"_live", change)
		changed += n
		if err != nil {
			return changed, err
		}
		for _, column := range namedTexts[pair] {
			n, err := d.redactTexts(ctx, pair+"_live", column, change)
			changed += n
			if err != nil {
				return changed, err
			}
		}
	}
	return changed, d.discardOldParts(ctx, "observations_live") // of those that were forgotten, too
}

// Statements name texts by their hashes. ClickHouse keeps the last hundred that have
// changed a table beside it, and servers write down every one: a name that is to go
// must not stand there.

// renamed is a text that changes.
type renamed struct {
	hash uint64
	to   string
}

// redactTeams gives rows another team. That is part of their key: so they are written
// under the new one before they are deleted under the old one.
func (d *Database) redactTeams(ctx context.Context, table string, change func(string) string) (int, error) {
	all, err := d.redacted(ctx, table, "team", change)
	for piece := range slices.Chunk(all, redactAtOnce) {
		if err != nil {
			break
		}
		hashes, names := listed(piece)
		where := fmt.Sprintf("generation = %d AND sipHash64(team) IN (%s)", keptGeneration, hashes)
		// The rows are chosen inside: outside, team would mean the new value.
		err = d.alter(ctx, fmt.Sprintf("INSERT INTO %s SELECT * REPLACE (transform(sipHash64(team), [%s], [%s], team) AS team) FROM (SELECT * FROM %s FINAL WHERE %s)",
			table, hashes, names, table, where))
		if err == nil {
			err = d.allThere(ctx, table, where, names)
		}
		if err == nil {
			err = d.alter(ctx, fmt.Sprintf("ALTER TABLE %s DELETE WHERE %s", table, where))
		}
	}
	if err == nil && len(all) > 0 {
		err = d.discardOldParts(ctx, table)
	}
	return len(all), err
}

// allThere makes sure that every row of some teams is there under its new name, before
// those under the old one are deleted.
func (d *Database) allThere(ctx context.Context, table, old, names string) error {
	var had, has uint64
	err := d.number(ctx, fmt.Sprintf("SELECT count() FROM %s FINAL WHERE %s", table, old), &had)
	if err == nil {
		err = d.number(ctx, fmt.Sprintf("SELECT count() FROM %s FINAL WHERE generation = %d AND team IN (%s)", table, keptGeneration, names), &has)
	}
	if err == nil && has < had {
		err = fmt.Errorf("storage: of %d rows of generation 0 in %s, %d are there under their new names: %w", had, table, has, ErrNotMoved)
	}
	return err
}

func (d *Database) redactTexts(ctx context.Context, table, column string, change func(string) string) (int, error) {
	all, err := d.redacted(ctx, table, column, change)
	for piece := range slices.Chunk(all, redactAtOnce) {
		if err != nil {
			break
		}
		hashes, texts := listed(piece)
		err = d.alter(ctx, fmt.Sprintf("ALTER TABLE %s UPDATE %s = transform(sipHash64(%s), [%s], [%s], %s) WHERE generation = %d AND sipHash64(%s) IN (%s)",
			table, column, column, hashes, texts, column, keptGeneration, column, hashes))
	}
	if err == nil && len(all) > 0 {
		err = d.discardOldParts(ctx, table)
	}
	return len(all), err
}

// redacted returns the texts of a column that change.
func (d *Database) redacted(ctx context.Context, table, column string, change func(string) string) (all []renamed, err error) {
	// Rows that merges have not removed yet hold texts too.
	whole := clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"max_execution_time": 0, "max_result_rows": 0}))
	rows, err := d.conn.Query(whole, fmt.Sprintf("SELECT DISTINCT %s AS text, sipHash64(text) FROM %s WHERE generation = %d ORDER BY text", column, table, keptGeneration))
	if err != nil {
		return nil, classify(ctx, "read what generation 0 names", err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		var one renamed
		if err := rows.Scan(&text, &one.hash); err != nil {
			return nil, err
		}
		if one.to = change(text); one.to != text {
			all = append(all, one)
		}
	}
	return all, classify(ctx, "read what generation 0 names", rows.Err())
}

// listed are hashes and new texts as lists of a statement.
func listed(all []renamed) (hashes, texts string) {
	escape := strings.NewReplacer(`\`, `\\`, `'`, `\'`)
	var h, t []string
	for _, one := range all {
		h, t = append(h, fmt.Sprint(one.hash)), append(t, "'"+escape.Replace(one.to)+"'")
	}
	return strings.Join(h, ", "), strings.Join(t, ", ")
}

// discardOldParts waits until the files are gone that a change has left behind. A
// server keeps them for some minutes, by its own rules.
func (d *Database) discardOldParts(ctx context.Context, table string) error {
	if !d.cfg.Embedded {
		return nil
	}
	if err := d.alter(ctx, "ALTER TABLE "+table+" MODIFY SETTING old_parts_lifetime = 0"); err != nil {
		return err
	}
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	var err error
	for left := uint64(1); left > 0 && err == nil; {
		// Dropping a partition, be it one that is not there, takes away what is old.
		if err = d.alter(ctx, fmt.Sprintf("ALTER TABLE %s DROP PARTITION ID 'none'", table)); err == nil {
			err = d.number(ctx, "SELECT count() FROM system.parts WHERE database = currentDatabase() AND table = '"+table+"' AND NOT active", &left)
		}
		if left > 0 && err == nil {
			select {
			case <-again.C:
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
	}
	if e := d.alter(context.WithoutCancel(ctx), "ALTER TABLE "+table+" RESET SETTING old_parts_lifetime"); err == nil {
		err = e
	}
	return err
}
