import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Client, StreamableHTTPClientTransport, type Tool } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioClientTransport1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as StreamableHTTPClientTransport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { runSession, type SdkClient } from "../support/mcp-session.ts";
import { programCommand } from "../support/program.ts";
import { crmIntegrations, runProgram, serveInProcess } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const info = { name: "test", version: "1" };
const auto = { versionNegotiation: { mode: "auto" as const } };
const [command, ...programArgs] = programCommand;

/** The clients of the SDK that servers must support, and how they are connected over each transport. */
const clients: Readonly<Record<string, { http: Connect<string>; stdio: Connect<Parameters> }>> = {
  "the client of version 2 in automatic mode": {
    http: (to) => connect(new Client(info, auto), httpOf(to)),
    stdio: (to) => connect(new Client(info, auto), new StdioClientTransport(to)),
  },
  "the client of version 2 in legacy mode": {
    http: (to) => connect(new Client(info), httpOf(to)),
    stdio: (to) => connect(new Client(info), new StdioClientTransport(to)),
  },
  "the client of version 1": {
    http: ({ url, key }) => {
      const requestInit = { headers: { "x-api-key": key } };
      return connect(new Client1(info), new StreamableHTTPClientTransport1(new URL(url), { requestInit }));
    },
    stdio: (to) => connect(new Client1(info), new StdioClientTransport1(to)),
  },
};
type HttpTarget = { readonly url: string; readonly key: string };
type Parameters = { readonly command: string; readonly args: string[]; readonly env: Record<string, string> };
type Connect<To> = (to: To extends string ? HttpTarget : Parameters) => Promise<SdkClient & { close(): Promise<void> }>;

function httpOf({ url, key }: HttpTarget): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
}

async function connect<C extends { connect(transport: T): Promise<void> }, T>(client: C, transport: T): Promise<C> {
  await client.connect(transport);
  return client;
}

async function serveDemo(t: TestContext, ...args: string[]) {
  const { greeting } = await serveInProcess(t, "--fixtures", "demo", ...args);
  return { url: greeting.url, key: greeting.keys[0]?.key ?? "" };
}

const stdioOf = (args: readonly string[], env: Record<string, string> = {}): Parameters => ({
  command,
  args: [...programArgs, "mcp", ...args],
  env: { ...(process.env as Record<string, string>), ...env },
});

const message = (id: number, method: string, params = {}) => JSON.stringify({ jsonrpc: "2.0", id, method, params });

test("each client of the SDK completes a session over HTTP", async (t) => {
  const { url, key } = await serveDemo(t);
  for (const [index, [name, { http }]] of Object.entries(clients).entries()) {
    const client = await http({ url: `${url}/mcp`, key });
    t.after(() => client.close());
    await runSession(client, `ana${index}@new.example`).catch((cause) => {
      throw new Error(`${name} over HTTP`, { cause });
    });
  }
});

test("each client of the SDK completes a session over stdio, with a database or a server", async (t) => {
  const folder = temporaryFolder(t);
  const { code, stderr } = await crmIntegrations("load", "fixtures/demo.json", "--data", folder);
  assert.equal(code, 0, stderr);
  const { url, key } = await serveDemo(t);
  const targets = [stdioOf(["--data", folder]), stdioOf(["--url", url], { CRM_API_KEY: key })];
  for (const [index, [name, { stdio }]] of Object.entries(clients).entries())
    for (const target of targets) {
      const client = await stdio(target);
      t.after(() => client.close());
      await runSession(client, `ben${index}@new.example`).catch((cause) => {
        throw new Error(`${name} over stdio with ${target.args.at(-1)}`, { cause });
      });
    }
});

test("--read-only leaves out the tools that write", async (t) => {
  const { url, key } = await serveDemo(t);
  const env = { ...process.env, CRM_API_KEY: key };
  const { stdout } = await runProgram(["mcp", "--url", url, "--read-only"], {
    env,
    stdin: `${message(1, "tools/list")}\n`,
  });
  const { tools } = (JSON.parse(stdout) as { result: { tools: Tool[] } }).result;
  assert.ok(tools.length > 0 && tools.every(({ annotations }) => annotations?.readOnlyHint === true));
});

test("serve --mcp off has no /mcp, and --cors-origin allows web pages of an origin", async (t) => {
  const post = { method: "POST", body: "{}" };
  const off = await serveDemo(t, "--mcp", "off");
  assert.equal((await fetch(`${off.url}/mcp`, post)).status, 404);
  const on = await serveDemo(t, "--cors-origin", "https://app.example.com");
  const fromPage = (origin: string) => fetch(`${on.url}/mcp`, { ...post, headers: { origin } });
  assert.equal((await fromPage("https://evil.example")).status, 403);
  const allowed = await fromPage("https://app.example.com");
  assert.deepEqual(
    [allowed.status, allowed.headers.get("access-control-allow-origin")],
    [401, "https://app.example.com"],
  );
});

test("mcp sends the responses that it owes after the end of its input, and rejects messages that aren't JSON-RPC", async (t) => {
  const { url, key } = await serveDemo(t);
  const lines = [
    message(1, "tools/call", { name: "list_records", arguments: { entity: "task", limit: 1 } }),
    "{",
    '{"jsonrpc":"2.0","id":{}}',
    `{"jsonrpc":"2.0","id":2,"method":"ping","params":{"a":${"[".repeat(40)}${"]".repeat(40)}}}`,
    message(3, "ping"),
  ];
  const env = { ...process.env, CRM_API_KEY: key };
  const { code, stdout, stderr } = await runProgram(["mcp", "--url", url], { env, stdin: `${lines.join("\n")}\n` });
  const responses = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual([code, stderr], [0, ""]);
  const codes = responses.map(({ id, error }) => [id, error?.code ?? null]);
  assert.deepEqual(
    codes.sort(),
    [
      [1, null],
      [3, null],
      [null, -32600],
      [null, -32700],
      [null, -32700],
    ].sort(),
  );
});

test("mcp says what is wrong with its settings", async (t) => {
  const { url } = await serveDemo(t);
  const run = (args: readonly string[], key?: string) =>
    runProgram(["mcp", ...args], { env: key === undefined ? {} : { CRM_API_KEY: key } });
  const unset = await run(["--url", url]);
  assert.deepEqual([unset.code, /Set CRM_API_KEY/.test(unset.stderr)], [2, true]);
  const both = await run(["--url", url, "--data", "x"], "k");
  assert.deepEqual([both.code, /Set only one of them/.test(both.stderr)], [2, true]);
  const wrong = await run(["--url", url], "wrong");
  assert.deepEqual(
    [wrong.code, wrong.stderr],
    [1, `crm-integrations: ${url}: Malformed API key. It was truncated or mistyped.\n`],
  );
  const missing = await run(["--data", "/nonexistent"]);
  assert.deepEqual([missing.code, /No database at/.test(missing.stderr)], [1, true]);
});
