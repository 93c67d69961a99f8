package export

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/shakescope/shakescope/internal/redact"
)

// decoded is what the collector's own decoder makes of requests.
type decoded struct {
	spans []ptrace.Span
	logs  []plog.LogRecord
}

func (d *decoded) line(t *testing.T, line []byte) {
	t.Helper()
	if bytes.HasPrefix(line, []byte(`{"resourceLogs"`)) {
		r := plogotlp.NewExportRequest()
		if err := r.UnmarshalJSON(line); err != nil {
			t.Fatalf("%v: %.300s", err, line)
		}
		for _, rl := range r.Logs().ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, l := range sl.LogRecords().All() {
					d.logs = append(d.logs, l)
				}
			}
		}
		return
	}
	r := ptraceotlp.NewExportRequest()
	if err := r.UnmarshalJSON(line); err != nil {
		t.Fatalf("%v: %.300s", err, line)
	}
	for _, rs := range r.Traces().ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			if ss.Scope().Name() != "shakescope" {
				t.Errorf("scope %q", ss.Scope().Name())
			}
			for _, s := range ss.Spans().All() {
				d.spans = append(d.spans, s)
			}
		}
	}
}

func (d *decoded) named(t *testing.T, name string) ptrace.Span {
	t.Helper()
	for _, s := range d.spans {
		if s.Name() == name {
			return s
		}
	}
	t.Fatalf("no span %q", name)
	return ptrace.NewSpan()
}

func attribute(s ptrace.Span, name string) string {
	v, _ := s.Attributes().Get(name)
	return v.AsString()
}

func TestOTLP(t *testing.T) {
	out := render(t, "otlp", session(), redact.New(), options)
	var d decoded
	for line := range bytes.Lines(out) {
		d.line(t, bytes.TrimSuffix(line, []byte("\n")))
	}
	root := d.named(t, "mcp session")
	if root.Kind() != ptrace.SpanKindInternal || !root.ParentSpanID().IsEmpty() || attribute(root, "mcp.session.id") != "session" {
		t.Errorf("the root is %v", root)
	}
	call := d.named(t, "tools/call moor")
	start := time.Date(2026, 11, 29, 20, 39, 19, 0, time.UTC)
	if call.Kind() != ptrace.SpanKindClient || call.TraceID().String() != "0af7651916cd43dd8448eb211c80319c" || call.ParentSpanID().String() != "b7ad6b7169203331" {
		t.Errorf("trace %s, parent %s", call.TraceID(), call.ParentSpanID())
	}
	if !call.StartTimestamp().AsTime().Equal(start.Add(4*time.Millisecond)) || call.EndTimestamp().AsTime().Sub(call.StartTimestamp().AsTime()) != 5*time.Millisecond {
		t.Errorf("from %v to %v", call.StartTimestamp().AsTime(), call.EndTimestamp().AsTime())
	}
	if call.Links().Len() != 1 || call.Links().At(0).SpanID() != root.SpanID() || call.Links().At(0).TraceID() != root.TraceID() {
		t.Error("a call of a foreign trace has no link to the session")
	}
	for name, want := range map[string]string{
		"mcp.method.name": "tools/call", "gen_ai.tool.name": "moor", "gen_ai.operation.name": "execute_tool", "jsonrpc.request.id": "a", "error.type": "tool_error",
		"mcp.protocol.version": "2025-06-18", "network.transport": "pipe", "shakescope.capability": "server:tools",
	} {
		if got := attribute(call, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if call.Status().Code() != ptrace.StatusCodeError || call.Events().Len() == 0 || call.Events().At(0).Name() != "notifications/progress" {
		t.Errorf("status %v, %d events", call.Status().Code(), call.Events().Len())
	}
	list := d.named(t, "prompts/list")
	if attribute(list, "error.type") != "-32601" || attribute(list, "rpc.response.status_code") != "-32601" || list.Status().Message() != "Method not found" || list.ParentSpanID() != root.SpanID() || list.TraceID() != root.TraceID() {
		t.Errorf("prompts/list is %v", list.Attributes().AsRaw())
	}
	if open := d.spans[len(d.spans)-2]; open.Name() != "ping" || attribute(open, "error.type") != "timeout" || open.EndTimestamp() != root.EndTimestamp() {
		t.Errorf("an unanswered call is %s %v", open.Name(), open.Attributes().AsRaw())
	}
	ids := map[string]bool{}
	for _, s := range d.spans {
		if s.SpanID().IsEmpty() || ids[s.SpanID().String()] {
			t.Errorf("span id %s of %s is empty or not the only one", s.SpanID(), s.Name())
		}
		ids[s.SpanID().String()] = true
	}
	found := map[string]plog.SeverityNumber{}
	for _, l := range d.logs {
		found[l.Body().Str()] = l.SeverityNumber()
		if l.TraceID() != root.TraceID() || l.SpanID() != root.SpanID() {
			t.Errorf("log %q belongs to no session", l.Body().Str())
		}
	}
	if found["harbour starts"] != plog.SeverityNumberInfo || found["not JSON: ahoy, this is no JSON"] != plog.SeverityNumberError {
		t.Errorf("logs are %v", found)
	}
	warned := false
	for body, n := range found {
		warned = warned || strings.Contains(body, "low water") && n == plog.SeverityNumberWarn
	}
	if !warned {
		t.Errorf("the server's own log is not there: %v", found)
	}
	if bytes.Contains(out, []byte("Seute Deern")) {
		t.Error("arguments are in the traces")
	}
}

func TestTraceparent(t *testing.T) {
	const good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for s, ok := range map[string]bool{
		good: true, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00": true, "01" + good[2:] + "-more": true,
		"": false, good + "-more": false, "ff" + good[2:]: false, strings.ToUpper(good): false, good[:54]: false,
		"00-00000000000000000000000000000000-b7ad6b7169203331-01": false, "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01": false,
	} {
		if _, _, _, got := parseTraceparent(s); got != ok {
			t.Errorf("%q: %v", s, got)
		}
	}
}

func TestSend(t *testing.T) {
	var d decoded
	paths := map[string]int{}
	tries := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tries++; tries == 1 {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if r.Header.Get("X-Tenant") != "a b" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("header %v", r.Header)
		}
		paths[r.URL.Path]++
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		body, _ := io.ReadAll(z)
		d.line(t, body)
		io.WriteString(w, `{"partialSuccess":{"rejectedSpans":"1"}}`)
	}))
	defer server.Close()
	env := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": server.URL + "/", "OTEL_EXPORTER_OTLP_HEADERS": "x-tenant=a%20b", "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"}
	s, err := NewSender(context.Background(), func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	var waited []time.Duration
	s.wait = func(_ context.Context, d time.Duration) error { waited = append(waited, d); return nil }
	out := render(t, "otlp", session(), nil, options)
	for len(out) > 0 { // in pieces, as a buffer writes it
		n := min(len(out), 1000)
		if _, err := s.Write(out[:n]); err != nil {
			t.Fatal(err)
		}
		out = out[n:]
	}
	if paths["/v1/traces"] == 0 || paths["/v1/logs"] == 0 || len(d.spans) == 0 || len(d.logs) == 0 {
		t.Errorf("%v: %d spans, %d logs", paths, len(d.spans), len(d.logs))
	}
	if len(waited) != 1 || waited[0] != 7*time.Second || s.Sent != paths["/v1/traces"]+paths["/v1/logs"] || s.Rejected == 0 {
		t.Errorf("waited %v, sent %d, rejected %d", waited, s.Sent, s.Rejected)
	}
}

// Over TLS HTTP/1.1 is spoken even to a server that would rather have HTTP/2, and one connection serves all requests.
func TestSendTLS(t *testing.T) {
	var seen, from []string
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen, from = append(seen, r.Proto), append(from, r.RemoteAddr)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	s, err := NewSender(context.Background(), func(name string) string {
		return map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": server.URL}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	s.client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
	if _, err := s.Write([]byte("{\"resourceSpans\":[]}\n{\"resourceLogs\":[]}\n")); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 2 || seen[0] != "HTTP/1.1" || seen[1] != "HTTP/1.1" || from[0] != from[1] {
		t.Errorf("requests by %v from %v", seen, from)
	}
}

func TestSendGivesUp(t *testing.T) {
	tries := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tries++
		w.WriteHeader(map[bool]int{true: http.StatusTooManyRequests, false: http.StatusBadRequest}[r.URL.Path == "/v1/traces"])
	}))
	defer server.Close()
	s, err := NewSender(context.Background(), func(name string) string {
		if name == "OTEL_EXPORTER_OTLP_ENDPOINT" {
			return server.URL
		}
		return ""
	})
	if err != nil {
		t.Fatal(err)
	}
	s.wait = func(context.Context, time.Duration) error { return nil }
	if _, err := s.Write([]byte("{\"resourceSpans\":[]}\n")); err == nil || tries != maxTries {
		t.Errorf("%v after %d tries", err, tries)
	}
	tries, s.line = 0, nil
	if _, err := s.Write([]byte("{\"resourceLogs\":[]}\n")); err == nil || tries != 1 {
		t.Errorf("%v after %d tries", err, tries)
	}
}

// The keys in the headers are for the collector that was named.
func TestSendFollowsNoRedirect(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, strings.Replace(other.URL, "://", "://user:secret@", 1)+r.URL.Path, status)
		}))
		s, err := NewSender(context.Background(), func(name string) string {
			return map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": server.URL, "OTEL_EXPORTER_OTLP_HEADERS": "x-key=abc"}[name]
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Write([]byte("{\"resourceSpans\":[]}\n"))
		if err == nil || !strings.Contains(err.Error(), other.URL) || strings.Contains(err.Error(), "secret") || reached {
			t.Errorf("%d: %v, reached %v", status, err, reached)
		}
		server.Close()
	}
}

func TestSenderEnvironment(t *testing.T) {
	for name, bad := range map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "ftp://x", "OTEL_EXPORTER_OTLP_TIMEOUT": "soon", "OTEL_EXPORTER_OTLP_COMPRESSION": "zip", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
		"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "nowhere",
	} {
		if _, err := NewSender(context.Background(), func(n string) string { return map[bool]string{true: bad}[n == name] }); err == nil {
			t.Errorf("%s=%s was taken", name, bad)
		}
	}
}
