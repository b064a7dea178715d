import type { Writable } from "node:stream";
import { createApi, type HostCaller, type Logger, type Storage, scopes, unlimitedRateLimiter } from "#lib";
import { CrmError } from "#lib/client";
import type { McpCall } from "#lib/mcp";
import { command } from "../cli/command.ts";
import { Failure } from "../cli/errors.ts";
import type { ProgramProcess } from "../cli/program-process.ts";
import { booleanSetting } from "../cli/setting.ts";
import { connectRemote, remoteSettings } from "../import/remote-server.ts";
import { tenantSettings, withTenant } from "../tenants/tenant.ts";

export const mcpCommand = command({
  name: "mcp",
  summary: "Serve the MCP server for agents on stdin and stdout",
  details: "Programs such as desktop assistants start it. A database is opened with all scopes.",
  settings: {
    ...tenantSettings,
    ...remoteSettings,
    readOnly: booleanSetting("leave out the tools that write"),
  },
  examples: [
    "CRM_API_KEY=… crm-integrations mcp --url https://crm.example.com",
    "crm-integrations mcp --data /var/lib/crm --read-only",
  ],
  async run({ readOnly, ...values }, _operands, program) {
    const { url } = values;
    if (url !== undefined) return serve(await remoteCall(url, values), readOnly, program);
    let caller: HostCaller | undefined;
    const logger = errorLogger(program.stderr);
    const rateLimiter = unlimitedRateLimiter;
    const openApi = (storage: Storage) => createApi({ storage, rateLimiter, logger, authenticate: () => caller });
    await withTenant(
      values,
      program,
      async ({ api, tenantId }) => {
        caller = { tenantId, scopes };
        const { inProcessCall } = await import("#lib/mcp");
        await serve(inProcessCall(api), readOnly, program);
      },
      openApi,
    );
  },
});

/** Serves until the client closes stdin, or the first SIGTERM or SIGINT. */
async function serve(call: McpCall, readOnly: boolean, program: ProgramProcess): Promise<void> {
  // The SDK is loaded here, so that no other command waits for it.
  const { serveMcpStdio } = await import("#lib/mcp");
  const onError = (error: unknown): void => void program.stderr.write(`crm-integrations: ${describe(error)}\n`);
  const { closed, close } = serveMcpStdio({ call, readOnly, onError }, program);
  for (const signal of ["SIGINT", "SIGTERM"] as const) program.once(signal, () => void close());
  await closed;
}

/**
 * Returns a function that sends requests to a server.
 * @throws UsageError @throws Failure if the server rejects the API key
 */
async function remoteCall(url: string, values: Parameters<typeof connectRemote>[1]): Promise<McpCall> {
  const send = connectRemote(url, values);
  const call: McpCall = async (method, path, { idempotencyKey, ...options } = {}) => {
    try {
      const keys = idempotencyKey === undefined ? {} : { idempotencyKey };
      const { body } = await send(method, path, { ...options, ...keys, isReadOnly: options.dryRun === true });
      return { status: 200, body };
    } catch (error) {
      if (!(error instanceof CrmError)) throw error;
      const { status, code, message, details } = error;
      return { status, body: { error: { code, message, details } } };
    }
  };
  const { status, body } = await call("GET", "/me").catch((error) => {
    throw new Failure(`${url}: ${describe(error)}`);
  });
  if (status !== 200) throw new Failure(`${url}: ${(body as { error: { message: string } }).error.message}`);
  return call;
}

function errorLogger(stderr: Writable): Logger {
  return { error: ({ err }, message) => void stderr.write(`${message}: ${describe(err)}\n`) };
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return reason instanceof Error ? `${error.message} ${reason.message}.` : error.message;
}
