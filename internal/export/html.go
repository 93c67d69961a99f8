package export

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/shakescope/shakescope/annotate"
	"github.com/shakescope/shakescope/recordings"
)

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// page writes one file that shows the recording in a browser, without a network and without a server. The content
// security policy lets nothing run or load but the script and the style of the page itself, by their digests; traffic
// stands in data blocks, a line an entry, and reaches the page as text only.
type page struct {
	w       io.Writer
	o       Options
	err     error
	buf     []byte
	shapes  map[string]int
	block   int   // bytes of the block that is open
	raw     int64 // bytes of messages so far
	extra   int64 // bytes that annotations cost so far
	entries int
}

// The data stands in blocks, each from one line on to the end of another: a browser takes four times as long to read one
// large block as many of this size.
const (
	blockStart = `<script type="text/plain" class="data">` + "\n"
	blockEnd   = "</script>\n"
	blockBytes = 256 << 10
)

func newHTML(w io.Writer, o Options) *page { return &page{w: w, o: o, shapes: make(map[string]int)} }

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func (p *page) Begin(h *recordings.Header) error {
	title := h.Label
	if title == "" {
		title = commandLine(h)
	}
	if title == "" {
		title = "recording"
	}
	title, _ = cut(title, 200)
	started := ""
	if !h.Start.IsZero() {
		started = h.Start.UTC().Format(time.RFC3339Nano)
	}
	_, p.err = fmt.Fprintf(p.w, `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width">
<title>%s · shakescope</title><style>%s</style></head><body>
<header><h1>%s</h1><p id="about" data-start="%s">%s</p>
<div id="bar"><input id="q" type="search" placeholder="text in method, message or finding" aria-label="filter">
<select id="kind" aria-label="kind"><option value="">all kinds</option></select>
<select id="group" aria-label="primitive"><option value="">all primitives</option></select>
<label><input id="bad" type="checkbox"> findings and errors</label>
<label><input id="ladder" type="checkbox"> ladder</label>
<button id="theme" type="button">dark / light</button><output id="count"></output></div></header>
<main><div id="list" tabindex="0" role="listbox" aria-label="entries"><div id="space"></div></div><section id="detail" aria-live="polite"><p>Choose an entry.</p></section></main>
<noscript><p>This page needs JavaScript to show the recording; the data stands in its source, a line an entry.</p></noscript>
`+blockStart, digest(pageScript), digest(pageStyle), html.EscapeString(visible(title, ' ')), pageStyle, html.EscapeString(visible(title, ' ')), started, html.EscapeString(visible(aboutOf(h), ' ')))
	return p.err
}

func aboutOf(h *recordings.Header) string {
	about := commandLine(h)
	about, _ = cut(about, 1000)
	if h.Imported != nil {
		about += " · imported from " + h.Imported.Format
	}
	if h.Redacted {
		about += " · recorded with secrets masked"
	}
	return about
}

// shape is what many entries have in common: it is written once and named by its number.
func (p *page) shape(e *annotate.Entry) int {
	b := []byte("[")
	for _, s := range []string{streamName(e.Stream), string(e.Kind), e.From, e.Method, e.Group, e.Primitive, string(e.Phase), e.Era, e.Revision} {
		b = quote(b, s)
		b = append(b, ',')
	}
	b = append(b, '[')
	for i, c := range e.Capability {
		if i > 0 {
			b = append(b, ',')
		}
		b = quote(b, c.Side+" "+c.Path+" "+string(c.State))
	}
	b = append(b, "]]"...)
	n, ok := p.shapes[string(b)]
	if !ok {
		n = len(p.shapes)
		p.shapes[string(b)] = n
		p.buf = append(append(append(p.buf, '='), b...), '\n')
	}
	return n
}

func quote(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // the only error says that s is not UTF-8
	return dst
}

// Entry writes [shape,seq,sub,µs,pair,state,latency µs,size,target,findings,summary], a tab, the message. The summary
// is left out where annotations would cost too much beside the messages: the page makes do without.
func (p *page) Entry(e *annotate.Entry) error {
	p.entries++
	if p.block >= blockBytes && p.err == nil {
		p.block = 0
		_, p.err = io.WriteString(p.w, blockEnd+blockStart)
	}
	p.buf = p.buf[:0]
	n := p.shape(e)
	p.buf = append(p.buf, '[')
	p.int(int64(n))
	p.int(e.Seq)
	p.int(int64(e.Sub))
	p.int(e.T.Microseconds())
	if e.Pair.IsZero() {
		p.buf = append(p.buf, "0,"...)
	} else {
		p.buf = append(quote(p.buf, refText(e.Pair)), ',')
	}
	p.buf = append(quote(p.buf, string(e.State)), ',')
	if e.HasLatency {
		p.int(e.Latency.Microseconds())
	} else {
		p.int(-1)
	}
	p.int(e.Size)
	target, _ := cut(e.Target, 200)
	p.buf = append(quote(p.buf, target), ",["...)
	for i := range e.Findings {
		f := &e.Findings[i]
		if i > 0 {
			p.buf = append(p.buf, ',')
		}
		p.buf = append(p.buf, '[')
		for k, s := range []string{string(f.Level), f.Rule, f.By, f.Message, f.Spec, f.Path} {
			if k > 0 {
				p.buf = append(p.buf, ',')
			}
			p.buf = quote(p.buf, s)
		}
		p.buf = append(p.buf, ']')
	}
	p.buf = append(p.buf, ']')
	if p.extra+int64(len(p.buf)) < p.raw/4+100_000 || e.Message == nil {
		p.buf = quote(append(p.buf, ','), e.Summary())
	}
	p.buf = append(p.buf, "]\t"...)
	p.extra += int64(len(p.buf))
	p.raw += int64(len(e.Raw))
	if e.Kind == annotate.Batch {
		// Its members follow.
	} else if e.Message != nil && utf8.Valid(e.Raw) && bytes.IndexByte(e.Raw, '\r') < 0 {
		p.buf = append(p.buf, e.Raw...)
	} else if e.Stream != recordings.Control {
		p.buf = append(p.buf, '"')
		p.buf = append(p.buf[:len(p.buf)-1], quote(nil, string(e.Raw))...)
	}
	p.buf = append(p.buf, '\n')
	p.block += len(p.buf)
	return p.flush()
}

func (p *page) int(n int64) { p.buf = append(strconv.AppendInt(p.buf, n, 10), ',') }

// flush writes lines of a data block. A < that could end the block, or change how it is read, is escaped: it can
// stand in JSON strings only, in which \u003c means the same.
func (p *page) flush() error {
	if p.err != nil {
		return p.err
	}
	rest := p.buf
	for {
		i := bytes.IndexByte(rest, '<')
		if i < 0 {
			break
		}
		next := byte('/')
		if i+1 < len(rest) {
			next = rest[i+1]
		}
		end := i
		if next == '/' || next == '!' || next == '?' || next|0x20 == 's' {
			if _, p.err = p.w.Write(rest[:end]); p.err == nil {
				_, p.err = io.WriteString(p.w, `\u003c`)
			}
		} else {
			_, p.err = p.w.Write(rest[:end+1])
		}
		if p.err != nil {
			return p.err
		}
		rest = rest[i+1:]
	}
	_, p.err = p.w.Write(rest)
	return p.err
}

func (p *page) End(rec *annotate.Recording) error {
	p.buf = append(p.buf[:0], '!')
	p.buf = append(p.buf, `{"revision":`...)
	p.buf = quote(p.buf, rec.Revision)
	p.buf = append(p.buf, `,"era":`...)
	p.buf = quote(p.buf, rec.Era)
	p.buf = append(p.buf, `,"whole":[`...)
	first := true
	for i := range rec.Findings {
		if f := &rec.Findings[i]; f.At.IsZero() {
			if !first {
				p.buf = append(p.buf, ',')
			}
			first = false
			p.buf = quote(p.buf, string(f.Level)+" "+f.Rule+": "+f.Message)
		}
	}
	p.buf = append(p.buf, `],"version":`...)
	p.buf = quote(p.buf, p.o.Version)
	p.buf = append(p.buf, "}\n"...)
	if err := p.flush(); err != nil {
		return err
	}
	_, p.err = fmt.Fprintf(p.w, blockEnd+"<script>%s</script>\n</body></html>\n", pageScript)
	return p.err
}
