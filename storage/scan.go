package storage

import (
	"context"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"meridian/metrics"
	"meridian/streaming"
)

// defaultScanRows is how many points are asked for at once: the embedded engine holds an
// answer whole in memory.
const defaultScanRows = 50_000

// grainNumbers are those of the table's Enum8, by which its key is sorted.
var grainNumbers = map[metrics.Grain]int8{metrics.Hour: 1, metrics.Day: 2, metrics.Day30: 3}

// Scan calls row for every stored point of a generation, withdrawn ones included,
// month by month, however many there are and however long that takes. What
// generation 0 has kept is not among them. It ends with the first error of row.
func (r *Reader) Scan(ctx context.Context, g streaming.Generation, row func(*metrics.Point) error) error {
	p, err := r.db.find(ctx, g)
	if err != nil {
		return err
	}
	months, err := r.db.partitions(ctx, func(m partition, have streaming.Generation) bool {
		return have == p.generation && m.side == p.side && m.pair == "points"
	})
	if err != nil {
		return err
	}
	for _, m := range months {
		if err := r.scanMonth(ctx, p, m.id, row); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) scanMonth(ctx context.Context, p place, month string, row func(*metrics.Point) error) error {
	last := new(metrics.Point)
	for first := true; ; first = false {
		args := p.args("points")
		args["partition"], args["first"], args["limit"] = month, first, uint32(r.scanRows)
		args["team"], args["metric"], args["grain"], args["service"], args["start"] = last.Team, string(last.Metric), grainNumbers[last.Grain], last.Service, int64(last.Start)
		var page []*metrics.Point
		err := r.db.query(ctx, "scan_points", args, func(rows driver.Rows) error {
			point, err := r.scanPoint(rows)
			page = append(page, point)
			return err
		})
		if err != nil {
			return err
		}
		for _, point := range page { // the answer is closed: row may take its time
			if err := row(point); err != nil {
				return err
			}
		}
		if len(page) < r.scanRows {
			return nil
		}
		last = page[len(page)-1]
	}
}
