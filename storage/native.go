package storage

import (
	"context"
	"errors"
	"io"
	"net"

	"github.com/ClickHouse/ch-go/compress"
	"github.com/ClickHouse/clickhouse-go/v2"
)

// insertNative sends blocks in the Native format. They may be cut into pieces
// anywhere, and are read while it runs.
func (d *Database) insertNative(ctx context.Context, insert string, pieces [][]byte) error {
	settings := d.insertSettings()
	body := net.Buffers(pieces)
	var data io.Reader = &body
	if c := d.cfg.Options.Compression; c != nil && (c.Method == clickhouse.CompressionLZ4 || c.Method == clickhouse.CompressionZSTD) {
		// The client packs nothing that it has not made itself. (gzip and the like it does.)
		settings["decompress"] = 1
		data = newPacker(data, c)
	}
	return d.conn.InsertFormat(clickhouse.Context(ctx, clickhouse.WithSettings(settings)), "Native", insert, data)
}

// packer is what it reads in ClickHouse's own compressed frames.
type packer struct {
	from  io.Reader
	frame *compress.Writer
	plain []byte
	rest  []byte // of the frame at hand
}

// packedAtOnce is what a ClickHouse client puts into a frame.
const packedAtOnce = 1 << 20

func newPacker(from io.Reader, c *clickhouse.Compression) *packer {
	method := compress.LZ4
	if c.Method == clickhouse.CompressionZSTD {
		method = compress.ZSTD
	}
	return &packer{from: from, frame: compress.NewWriter(compress.Level(c.Level), method), plain: make([]byte, packedAtOnce)}
}

func (p *packer) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		n, err := io.ReadFull(p.from, p.plain)
		if n == 0 {
			return 0, err
		}
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, err
		}
		if err := p.frame.Compress(p.plain[:n]); err != nil {
			return 0, err
		}
		p.rest = p.frame.Data
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}
