package recordings

import (
	"io"
	"os"
)

// Position says how far the reading is: the bytes that were taken from the file, all segments counted, and the
// size of what there is of it now. It looks at the files, so it is for progress displays, not for each
// record. A reader takes bytes ahead of the records it gives, so at may be size before the last one. Both
// are 0 for what has no size: pipes, and readers of [NewReader].
func (r *Reader) Position() (at, size int64) {
	if r.file == nil {
		return 0, 0
	}
	info, err := r.file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0, 0
	}
	if at, err = r.file.Seek(0, io.SeekCurrent); err != nil {
		return 0, 0
	}
	size = info.Size()
	if r.chain == nil {
		return min(at, size), size
	}
	for _, s := range r.chain.all {
		if s.number == r.chain.at.number {
			continue
		}
		if info, err := os.Stat(s.path); err == nil {
			size += info.Size()
			if s.number < r.chain.at.number {
				at += info.Size()
			}
		}
	}
	return min(at, size), size
}
