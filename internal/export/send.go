package export

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/shakescope/shakescope/jsonrpc"
)

// Sender sends what the otlp format writes to a collector, a line at a time: it is the writer of that format.
// It sends traces and logs as OTLP/HTTP in JSON and tries again where the protocol asks for it.
type Sender struct {
	traces, logs string // URLs
	header       http.Header
	gzip         bool
	client       *http.Client
	wait         func(context.Context, time.Duration) error
	ctx          context.Context
	line         []byte

	// Failed, when it is set, is told of every try that failed, and with nil of the first that did not. A request is
	// tried until the context ends then.
	Failed func(error)

	Sent     int   // requests that were taken
	Rejected int64 // spans and logs that the collector did not take
}

const (
	maxTries    = 5                // of a request
	longestWait = 30 * time.Second // between two
)

// NewSender reads the standard OTEL_EXPORTER_OTLP_… variables through env; those for traces and logs win over the
// general ones. Without an endpoint it is http://localhost:4318.
func NewSender(ctx context.Context, env func(string) string) (*Sender, error) {
	s := &Sender{ctx: ctx, header: make(http.Header), client: &http.Client{Transport: transport(), CheckRedirect: stay, Timeout: 10 * time.Second}, wait: pause}
	if p := env("OTEL_EXPORTER_OTLP_PROTOCOL"); p != "" && p != "http/json" && p != "http/protobuf" {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %s; only HTTP is spoken here, with JSON", p)
	}
	base := env("OTEL_EXPORTER_OTLP_ENDPOINT")
	if base == "" {
		base = "http://localhost:4318"
	}
	base = strings.TrimRight(base, "/")
	s.traces, s.logs = base+"/v1/traces", base+"/v1/logs"
	if own := env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"); own != "" {
		s.traces = own
	}
	if own := env("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"); own != "" {
		s.logs = own
	}
	for _, to := range []string{s.traces, s.logs} {
		if u, err := url.Parse(to); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, errors.New("the endpoint in OTEL_EXPORTER_OTLP_ENDPOINT is no http or https URL")
		}
	}
	if t := env("OTEL_EXPORTER_OTLP_TIMEOUT"); t != "" {
		ms, err := strconv.Atoi(t)
		if err != nil || ms <= 0 {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_TIMEOUT is %q; it must be milliseconds", t)
		}
		s.client.Timeout = time.Duration(ms) * time.Millisecond
	}
	switch c := env("OTEL_EXPORTER_OTLP_COMPRESSION"); c {
	case "", "none":
	case "gzip":
		s.gzip = true
	default:
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_COMPRESSION is %q; gzip and none are known", c)
	}
	for name, value := range Pairs(env("OTEL_EXPORTER_OTLP_HEADERS")) {
		s.header.Set(name, value)
	}
	return s, nil
}

// transport is the usual one (proxies as the environment says, connections kept), but for HTTP/2: requests go one after
// the other, every collector speaks HTTP/1.1, and releases are built without the code (the tag nethttpomithttp2), so that
// this makes all builds behave alike.
func transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(true)
	return t
}

// Pairs reads name=value,name=value, percent-encoded, as the OTEL_ variables for headers and resources have it.
func Pairs(list string) map[string]string {
	out := make(map[string]string)
	for pair := range strings.SplitSeq(list, ",") {
		name, value, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		if !ok || name == "" {
			continue
		}
		value = strings.TrimSpace(value)
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		out[name] = value
	}
	return out
}

// Write takes whole or partial lines and sends each line that is complete.
func (s *Sender) Write(p []byte) (int, error) {
	s.line = append(s.line, p...)
	for {
		i := bytes.IndexByte(s.line, '\n')
		if i < 0 {
			return len(p), nil
		}
		if err := s.send(s.line[:i]); err != nil {
			return 0, err
		}
		s.line = s.line[:copy(s.line, s.line[i+1:])]
	}
}

func (s *Sender) send(body []byte) error {
	to := s.traces
	if bytes.HasPrefix(body, []byte(`{"resourceLogs"`)) {
		to = s.logs
	}
	if s.gzip {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		z.Write(body)
		z.Close()
		body = packed.Bytes()
	}
	delay := 500 * time.Millisecond
	for try := 1; ; try++ {
		again, after, err := s.post(to, body)
		if err == nil {
			s.Sent++
			if s.Failed != nil && try > 1 {
				s.Failed(nil)
			}
			return nil
		}
		if again && s.Failed != nil {
			s.Failed(fmt.Errorf("sending to the collector: %w", err))
		} else if !again || try == maxTries {
			return fmt.Errorf("sending to the collector: %w", err)
		}
		if after > 0 {
			delay = min(after, longestWait)
		}
		if err := s.wait(s.ctx, delay); err != nil {
			return err
		}
		delay = min(2*delay, longestWait)
	}
}

// stay keeps requests from following a redirect: the keys in their headers are for the collector that was
// named, and a POST may become a GET on the way.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// post sends one request; again says whether another try may help, after how long to wait at least.
func (s *Sender) post(to string, body []byte) (again bool, after time.Duration, err error) {
	r, err := http.NewRequestWithContext(s.ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return false, 0, err
	}
	for name, values := range s.header {
		r.Header[name] = values
	}
	r.Header.Set("Content-Type", "application/json")
	if s.gzip {
		r.Header.Set("Content-Encoding", "gzip")
	}
	answer, err := s.client.Do(r)
	if err != nil {
		// The URL may hold credentials: the error says only what went wrong.
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return s.ctx.Err() == nil, 0, err
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	switch answer.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		s.partial(text)
		return false, 0, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		return true, time.Duration(max(seconds, 0)) * time.Second, fmt.Errorf("it answered %s", answer.Status)
	}
	if to, err := answer.Location(); err == nil {
		return false, 0, fmt.Errorf("it answered %s and names %s://%s, which is not followed: if that is right, make it the endpoint", answer.Status, to.Scheme, to.Host)
	}
	return false, 0, fmt.Errorf("it answered %s", answer.Status)
}

// partial counts what a collector took only a part of.
func (s *Sender) partial(answer []byte) {
	for _, name := range []string{"rejectedSpans", "rejectedLogRecords"} {
		if raw, ok := jsonrpc.Lookup(answer, "partialSuccess", name); ok {
			n, _ := strconv.ParseInt(strings.Trim(string(raw), `"`), 10, 64)
			s.Rejected += n
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
