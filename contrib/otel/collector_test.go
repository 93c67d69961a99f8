package otel

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.yaml.in/yaml/v3"
)

const session = `{"meta":{"command":["harbour"],"started":"2026-11-30T10:00:00Z"}}
{"t_ms":1,"dir":"c2s","raw":"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"pilot\",\"version\":\"3\"}}}"}
{"t_ms":2,"dir":"s2c","raw":"{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"harbour\",\"version\":\"1.4.2\"}}}"}
{"t_ms":3,"dir":"c2s","raw":"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"}
{"t_ms":4,"dir":"c2s","raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"moor\",\"arguments\":{\"password\":\"tr0ub4dor&3\"},\"_meta\":{\"progressToken\":1,\"traceparent\":\"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\",\"tracestate\":\"fleet=7\"}}}"}
{"t_ms":5,"dir":"s2c","raw":"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,\"progress\":1}}"}
{"t_ms":6,"dir":"stderr","raw":"tide is low"}
{"t_ms":1006,"dir":"s2c","raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"aground\"}]}}"}
{"t_ms":1007,"dir":"c2s","raw":"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"prompts/list\"}"}
{"t_ms":1008,"dir":"s2c","raw":"{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32601,\"message\":\"no prompts\"}}"}
{"t_ms":1009,"dir":"c2s","raw":"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"drift\"}}"}
`

// collecting runs the collector's own receiver, configured by the file.
func collecting(t *testing.T, file string) (endpoint string, traces *consumertest.TracesSink, logs *consumertest.LogsSink) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	endpoint = free.Addr().String()
	free.Close()
	part, err := confmap.NewFromStringMap(configuration(t, file)).Sub("receivers::otlp")
	if err != nil {
		t.Fatal(err)
	}
	if err := part.Merge(confmap.NewFromStringMap(map[string]any{"protocols": map[string]any{"http": map[string]any{"endpoint": endpoint}}})); err != nil {
		t.Fatal(err)
	}
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig()
	if err := part.Unmarshal(config); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	traces, logs = new(consumertest.TracesSink), new(consumertest.LogsSink)
	settings := receivertest.NewNopSettings(factory.Type())
	ctx := context.Background()
	r, err := factory.CreateTraces(ctx, settings, config, traces)
	if err != nil {
		t.Fatal(err)
	}
	l, err := factory.CreateLogs(ctx, settings, config, logs)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []interface {
		Start(context.Context, component.Host) error
		Shutdown(context.Context) error
	}{r, l} {
		if err := c.Start(ctx, componenttest.NewNopHost()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Shutdown(ctx) })
	}
	return endpoint, traces, logs
}

func attribute(m pcommon.Map, name string) string {
	if v, ok := m.Get(name); ok {
		return v.AsString()
	}
	return ""
}

// The collector takes what `export --format otlp --send` sends, whole and with its meaning, and nothing secret.
func TestCollectorTakesSessions(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "shakescope")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	recording := filepath.Join(dir, "session.wire.jsonl")
	if err := os.WriteFile(recording, []byte(session), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range configurations(t) {
		t.Run(file, func(t *testing.T) {
			endpoint, traces, logs := collecting(t, file)
			for _, follow := range []bool{false, true} {
				traces.Reset()
				logs.Reset()
				args := []string{"export", recording, "--format", "otlp", "--send"}
				if follow {
					args = append(args, "--follow")
				}
				send := exec.Command(program, args...)
				send.Env = append(os.Environ(), "OTEL_EXPORTER_OTLP_ENDPOINT=http://"+endpoint, "OTEL_EXPORTER_OTLP_COMPRESSION=gzip",
					"OTEL_RESOURCE_ATTRIBUTES=service.name=harbour,team=quay")
				if out, err := send.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				spans := map[string]ptrace.Span{}
				for _, batch := range traces.AllTraces() {
					for _, rs := range batch.ResourceSpans().All() {
						if attribute(rs.Resource().Attributes(), "team") != "quay" || attribute(rs.Resource().Attributes(), "service.name") != "harbour" {
							t.Error("the resource lacks what OTEL_RESOURCE_ATTRIBUTES says")
						}
						for _, s := range rs.ScopeSpans().At(0).Spans().All() {
							spans[s.Name()] = s
						}
					}
					text, _ := (&ptrace.JSONMarshaler{}).MarshalTraces(batch)
					if strings.Contains(string(text), "tr0ub4dor") {
						t.Error("a secret was sent")
					}
				}
				if len(spans) != 5 || traces.SpanCount() != 5 {
					t.Fatalf("%d spans: %v", traces.SpanCount(), spans)
				}
				if logs.LogRecordCount() < 2 {
					t.Errorf("%d logs", logs.LogRecordCount())
				}
				root, moor := spans["mcp session"], spans["tools/call moor"]
				if moor.TraceID().String() != "0af7651916cd43dd8448eb211c80319c" || moor.ParentSpanID().String() != "b7ad6b7169203331" || moor.TraceState().AsRaw() != "fleet=7" ||
					moor.Links().Len() != 1 || moor.Links().At(0).SpanID() != root.SpanID() || moor.Kind() != ptrace.SpanKindClient {
					t.Errorf("the call of a traced client: %v in %v below %v", moor.SpanID(), moor.TraceID(), moor.ParentSpanID())
				}
				if took := moor.EndTimestamp() - moor.StartTimestamp(); took != 1_002_000_000 {
					t.Errorf("it took %d ns", took)
				}
				for name, want := range map[string]map[string]string{
					"initialize":       {"shakescope.server.version": "1.4.2", "mcp.method.name": "initialize"},
					"tools/call moor":  {"error.type": "tool_error", "gen_ai.tool.name": "moor", "gen_ai.operation.name": "execute_tool", "shakescope.server.name": "harbour", "shakescope.server.version": "1.4.2", "shakescope.client.name": "pilot", "mcp.protocol.version": "2025-11-25", "network.transport": "pipe", "jsonrpc.request.id": "1"},
					"prompts/list":     {"error.type": "-32601", "rpc.response.status_code": "-32601", "shakescope.capability": "server:prompts", "shakescope.capability.state": "undeclared"},
					"tools/call drift": {"error.type": "timeout"},
				} {
					for key, value := range want {
						if got := attribute(spans[name].Attributes(), key); got != value {
							t.Errorf("follow %v: %s of %s is %q, not %q", follow, key, name, got, value)
						}
					}
					if name != "tools/call moor" && spans[name].ParentSpanID() != root.SpanID() {
						t.Errorf("%s is not below the session", name)
					}
				}
			}
		})
	}
}

func configurations(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("collector-*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no configurations", err)
	}
	return files
}

func configuration(t *testing.T, file string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var c map[string]any
	if err := yaml.Unmarshal(text, &c); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return c
}

// known are the components of the collector's contrib distribution that the configurations may use.
var known = map[string][]string{
	"receivers":  {"otlp", "otlpjsonfile"},
	"processors": {"memory_limiter", "resource", "batch"},
	"exporters":  {"clickhouse", "otlp_http", "file"},
}

// Every pipeline is made of components that exist and are configured, and none is configured for nothing.
func TestConfigurations(t *testing.T) {
	for _, file := range configurations(t) {
		c := configuration(t, file)
		used := map[string]bool{}
		pipelines := c["service"].(map[string]any)["pipelines"].(map[string]any)
		for _, signal := range []string{"traces", "logs"} {
			p, ok := pipelines[signal].(map[string]any)
			if !ok {
				t.Errorf("%s: no pipeline for %s", file, signal)
				continue
			}
			for kind, names := range known {
				list, _ := p[kind].([]any)
				if len(list) == 0 {
					t.Errorf("%s: the pipeline for %s has no %s", file, signal, kind)
				}
				for _, name := range list {
					id := name.(string)
					used[kind+" "+id] = true
					if _, ok := c[kind].(map[string]any)[id]; !ok {
						t.Errorf("%s: %s %s is not configured", file, kind, id)
					}
					if base, _, _ := strings.Cut(id, "/"); !strings.Contains(" "+strings.Join(names, " ")+" ", " "+base+" ") {
						t.Errorf("%s: there is no %s %s", file, kind, base)
					}
				}
			}
		}
		for kind := range known {
			for id := range c[kind].(map[string]any) {
				if !used[kind+" "+id] {
					t.Errorf("%s: %s %s is used by nothing", file, kind, id)
				}
			}
		}
	}
}

// The dashboard is what Grafana reads, and it and the queries ask only for attributes that shakescope sends.
func TestQueries(t *testing.T) {
	var dashboard struct {
		Title  string
		Panels []struct {
			Type, Title string
			Targets     []struct{ RawSQL string }
		}
	}
	text, err := os.ReadFile("grafana-clickhouse.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &dashboard); err != nil || dashboard.Title == "" || len(dashboard.Panels) == 0 {
		t.Fatalf("%v, %d panels", err, len(dashboard.Panels))
	}
	sources, err := filepath.Glob(filepath.Join("..", "..", "internal", "export", "otlp*.go"))
	if err != nil || len(sources) == 0 {
		t.Fatal("no sources", err)
	}
	var sent string
	for _, source := range sources {
		code, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		sent += string(code)
	}
	ask := regexp.MustCompile(`(?:span\.|\[')((?:shakescope|mcp|gen_ai|error|log)\.[a-z_.]+)`)
	for name, text := range map[string]string{"grafana-clickhouse.json": string(text), "queries.sql": content(t, "queries.sql"), "queries.traceql": content(t, "queries.traceql")} {
		asked := ask.FindAllStringSubmatch(text, -1)
		if len(asked) == 0 {
			t.Errorf("%s asks for nothing", name)
		}
		for _, m := range asked {
			if !strings.Contains(sent, `"`+m[1]+`"`) {
				t.Errorf("%s asks for %s, which is never sent", name, m[1])
			}
		}
	}
	for _, p := range dashboard.Panels {
		if len(p.Targets) == 0 || !strings.Contains(p.Targets[0].RawSQL, "$__timeFilter(Timestamp)") {
			t.Errorf("the panel %s does not heed the time that is chosen", p.Title)
		}
	}
}

func content(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
