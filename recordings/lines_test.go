package recordings

import (
	"fmt"
	"strings"
	"testing"
)

// A file may end anywhere, also where the buffer does.
func TestLinesOfFilesAboutAsLongAsTheBuffer(t *testing.T) {
	const line = "0123456789012345678901234567890123456789\n"
	for size := firstRead - 2*len(line); size <= firstRead+2*len(line); size++ {
		text := strings.Repeat(line, size/len(line)+1)[:size]
		l := lines{src: strings.NewReader(text)}
		var got strings.Builder
		for {
			b, pos, ok := l.next()
			if !ok {
				break
			}
			if int(pos) != got.Len() {
				t.Fatalf("%d bytes: a line said to stand at %d stands at %d", size, pos, got.Len())
			}
			fmt.Fprintf(&got, "%s\n", b)
		}
		rest, _ := l.rest()
		if got.Write(rest); got.String() != text {
			t.Fatalf("%d bytes: read %d, or others", size, got.Len())
		}
	}
}
