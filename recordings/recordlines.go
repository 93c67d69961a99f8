package recordings

import "sort"

// RecordLines tells on which line of which file the records of a recording begin. It takes little room: nothing is
// kept but where records do not follow each other line by line. The zero RecordLines knows of none.
type RecordLines struct{ runs []run }

// run is records that stand on lines that follow each other: that with number seq on line, 0 for none of them.
type run struct {
	seq, line int64
	file      string
}

// Add takes the next record, in the order in which a reader gives them.
func (l *RecordLines) Add(rec *Record) {
	if rec.Seq == 0 {
		return
	}
	var last run
	if n := len(l.runs); n > 0 {
		last = l.runs[n-1]
	}
	if file, line := last.of(rec.Seq); line == rec.Line && (line == 0 || file == rec.File) {
		return
	}
	l.runs = append(l.runs, run{rec.Seq, rec.Line, rec.File})
}

func (r *run) of(seq int64) (file string, line int64) {
	if r.line == 0 {
		return "", 0
	}
	return r.file, r.line + seq - r.seq
}

// Of returns the line of the record with the number seq, from 1, and the base name of the segment that it is a
// line of, "" where the recording is one file. 0 says that it has no line, or is none of those that were added.
func (l *RecordLines) Of(seq int64) (file string, line int64) {
	i := sort.Search(len(l.runs), func(i int) bool { return l.runs[i].seq > seq }) - 1
	if i < 0 {
		return "", 0
	}
	return l.runs[i].of(seq)
}

// First returns the file that the recording begins with, as [RecordLines.Of] names it. ok is false where no record has
// a line.
func (l *RecordLines) First() (file string, ok bool) {
	for i := range l.runs {
		if l.runs[i].line > 0 {
			return l.runs[i].file, true
		}
	}
	return "", false
}
