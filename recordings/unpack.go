package recordings

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

const (
	// maxWindow bounds the memory that a compressed file may ask for.
	maxWindow = 128 << 20

	// A file that grows more than maxRatio times when it is unpacked, beyond freely many bytes, was
	// made to fill a disk or a day.
	maxRatio = 300
	freely   = 1 << 30
)

var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// unpack returns a reader of what l holds compressed, nil when it is not compressed.
func (r *Reader) unpack(l *lines) (io.Reader, error) {
	for l.to < len(zstdMagic) && l.fill() {
	}
	start := l.buf[:l.to]
	packed := &counter{src: io.MultiReader(bytes.NewReader(start), l.src)}
	switch {
	case bytes.HasPrefix(start, gzipMagic):
		z, err := gzip.NewReader(packed)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFormat, err)
		}
		return &bounded{src: z, packed: packed}, nil
	case bytes.HasPrefix(start, zstdMagic):
		z, err := zstd.NewReader(packed, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFormat, err)
		}
		r.closers = append(r.closers, z.IOReadCloser())
		return &bounded{src: z, packed: packed}, nil
	}
	return nil, nil
}

// counter counts what is read.
type counter struct {
	src io.Reader
	n   int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.src.Read(p)
	c.n += int64(n)
	return n, err
}

// bounded reads what is unpacked, up to a ratio.
type bounded struct {
	src    io.Reader
	packed *counter
	n      int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.n > freely && b.n/maxRatio > b.packed.n {
		return 0, fmt.Errorf("unpacks to more than %d times its size", maxRatio)
	}
	n, err := b.src.Read(p)
	b.n += int64(n)
	return n, err
}
