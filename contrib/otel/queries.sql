-- Questions to ClickHouse, over the tables of the collector's clickhouse exporter.

-- The slowest tools of the last week, with what it costs to wait for them.
SELECT
    SpanAttributes['shakescope.server.name'] AS server,
    SpanAttributes['gen_ai.tool.name'] AS tool,
    count() AS calls,
    round(quantile(0.5)(Duration) / 1e6, 1) AS median_ms,
    round(quantile(0.95)(Duration) / 1e6, 1) AS p95_ms,
    round(max(Duration) / 1e6, 1) AS max_ms
FROM mcp.otel_traces
WHERE Timestamp > now() - INTERVAL 7 DAY AND SpanAttributes['mcp.method.name'] = 'tools/call'
GROUP BY server, tool
ORDER BY p95_ms DESC
LIMIT 20;

-- Errors by version of the server: JSON-RPC errors, tool errors and calls without an answer.
SELECT
    SpanAttributes['shakescope.server.name'] AS server,
    SpanAttributes['shakescope.server.version'] AS version,
    count() AS requests,
    countIf(SpanAttributes['error.type'] != '') AS failed,
    round(100 * failed / requests, 2) AS percent,
    topK(3)(SpanAttributes['error.type']) AS kinds
FROM mcp.otel_traces
WHERE Timestamp > now() - INTERVAL 7 DAY AND SpanAttributes['mcp.method.name'] != ''
GROUP BY server, version
ORDER BY percent DESC;

-- Capabilities that are used without having been declared, and by whom.
SELECT
    SpanAttributes['shakescope.capability'] AS capability,
    SpanAttributes['shakescope.from'] AS used_by,
    SpanAttributes['shakescope.client.name'] AS client,
    SpanAttributes['shakescope.server.name'] AS server,
    uniqExact(SpanAttributes['mcp.session.id']) AS sessions,
    count() AS messages
FROM mcp.otel_traces
WHERE Timestamp > now() - INTERVAL 7 DAY AND SpanAttributes['shakescope.capability.state'] = 'undeclared'
GROUP BY capability, used_by, client, server
ORDER BY sessions DESC;

-- Which rules of the protocol are broken most, by which server.
SELECT
    arrayJoin(arrayMap(a -> (a['shakescope.rule'], a['shakescope.by']),
        arrayFilter((a, n) -> n = 'shakescope.finding', Events.Attributes, Events.Name))) AS finding,
    finding.1 AS rule,
    finding.2 AS side,
    SpanAttributes['shakescope.server.name'] AS server,
    count() AS times
FROM mcp.otel_traces
WHERE Timestamp > now() - INTERVAL 7 DAY
GROUP BY rule, side, server
ORDER BY times DESC
LIMIT 50;

-- What servers write on standard error, once each although a session may have been sent twice.
SELECT Timestamp, LogAttributes['shakescope.server.name'] AS server, Body
FROM mcp.otel_logs
WHERE Timestamp > now() - INTERVAL 1 DAY AND LogAttributes['shakescope.kind'] = 'stderr'
ORDER BY Timestamp DESC
LIMIT 1 BY LogAttributes['log.record.uid']
LIMIT 200;
