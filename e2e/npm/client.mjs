// A client of the official TypeScript SDKs that makes the calls of a plan and prints the answers.
//
//   node client.mjs v1|v2|v2-auto '[{"name":"echo","arguments":{}}]' COMMAND ARGS…
//
// v1 is @modelcontextprotocol/sdk, v2 is @modelcontextprotocol/client; v2-auto probes for the modern
// era first, with a process of its own. Prints {"server":…,"tools":[…],"calls":[…]} on one line.

const [line, plan, command, ...args] = process.argv.slice(2);

const sdk = line === 'v1'
  ? { ...await import('@modelcontextprotocol/sdk/client/index.js'), ...await import('@modelcontextprotocol/sdk/client/stdio.js') }
  : { ...await import('@modelcontextprotocol/client'), ...await import('@modelcontextprotocol/client/stdio') };

const options = { capabilities: {} };
if (line === 'v2-auto') options.versionNegotiation = { mode: 'auto' };

const client = new sdk.Client({ name: `e2e-${line}`, version: '1.0.0' }, options);
await client.connect(new sdk.StdioClientTransport({ command, args, env: process.env, stderr: 'inherit' }));

const calls = [];
for (const { steps, ...call } of JSON.parse(plan)) {
  const progress = [];
  // Without the last one: the server sends it together with the answer, and the SDKs drop it or not
  // depending on whether both come in one read.
  const onprogress = steps ? (p) => p.progress < p.total && progress.push(p) : undefined;
  try {
    const result = line === 'v1'
      ? await client.callTool(call, undefined, { onprogress })
      : await client.callTool(call, { onprogress });
    calls.push(steps ? { result, progress } : { result });
  } catch (error) {
    calls.push({ code: error.code, message: error.message });
  }
}

const { tools } = await client.listTools();
console.log(JSON.stringify({ server: client.getServerVersion(), tools, calls }));
await client.close();
