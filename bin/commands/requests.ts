import { setTimeout as wait } from "node:timers/promises";
import { InvalidArgumentError } from "commander";
import type { RequestEntry, RequestLog, RequestQuery } from "#lib";
import { command } from "../cli/command.ts";
import type { ProgramProcess } from "../cli/program-process.ts";
import { booleanSetting, type Setting } from "../cli/setting.ts";
import { openRequestLog, openSnapshot } from "../database/database.ts";
import { findTenant, tenantSettings } from "../tenants/tenant.ts";

/** Entries that the command prints at first. */
const maxEntries = 1_000;
const followMs = 1_000;

const statusSetting: Setting<string | undefined> = {
  argument: "STATUS",
  description: "only requests with this status, such as 422, 4xx or 5xx",
  parse(text) {
    if (/^(?:[1-5]xx|[1-5]\d\d)$/.test(text)) return text;
    throw new InvalidArgumentError("must be a status such as 422, or 4xx or 5xx.");
  },
};

export const requestsCommand = command({
  name: "requests",
  summary: "Print the last failed and writing requests of a tenant, oldest first",
  details: "The server can be running or stopped. It writes the requests of the last second later.",
  settings: {
    ...tenantSettings,
    status: statusSetting,
    follow: booleanSetting("keep printing new requests until Ctrl-C"),
    json: booleanSetting("print one JSON object per line"),
  },
  examples: ["crm-integrations requests --status 4xx", "crm-integrations requests --tenant 'Acme Ltd' --follow"],
  async run({ tenant, status, follow, json, ...database }, _operands, program) {
    const snapshot = await openSnapshot(database);
    const { id } = await findTenant(snapshot, tenant, "any").finally(() => snapshot.close());
    const log = await openRequestLog(database);
    const format = json ? (entry: RequestEntry) => JSON.stringify(entry) : formatLine;
    const print = (entries: readonly RequestEntry[]): void => {
      for (const entry of entries) program.stdout.write(`${format(entry)}\n`);
    };
    try {
      const statuses = status === undefined ? undefined : statusesOf(status);
      const found = await log.find(id, { statuses, limit: maxEntries });
      print(found.toReversed());
      if (follow) await followLog(log, id, { statuses, limit: maxEntries }, found, print, program);
    } finally {
      log.close();
    }
  },
});

/**
 * Prints new entries until Ctrl-C. An entry appears after its request has ended, so its time can be older than that of
 * others.
 */
async function followLog(
  log: RequestLog,
  tenantId: string,
  query: RequestQuery,
  first: readonly RequestEntry[],
  print: (entries: readonly RequestEntry[]) => void,
  program: ProgramProcess,
): Promise<void> {
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  for (const signal of ["SIGINT", "SIGTERM"] as const) program.once(signal, onSignal);
  let printed = new Set(first.map(({ id }) => id));
  while (!stop.signal.aborted) {
    await wait(followMs, undefined, { signal: stop.signal }).catch(() => {});
    const found = await log.find(tenantId, query);
    print(found.filter(({ id }) => !printed.has(id)).toReversed());
    printed = new Set(found.map(({ id }) => id));
  }
}

function statusesOf(status: string): readonly [number, number] {
  const first = Number(status.replace("xx", "00"));
  return status.endsWith("xx") ? [first, first + 99] : [first, first];
}

/** Formats an entry: time, status, method and path, duration, caller, and the reason of a failure. */
function formatLine(entry: RequestEntry): string {
  const { at, status, method, path, durationMs, integrationId, userId, requestId, code, problem, changes } = entry;
  const errors = (problem?.errors ?? []).map((error) => `${error.path} ${error.code}`).join(", ");
  const reason =
    problem === null ? `${changes.count} written` : `${code ?? "failed"} (${problem.step}) ${errors}`.trimEnd();
  const caller = integrationId === null ? `user ${userId}` : `integration ${integrationId}`;
  const time = new Date(at).toISOString();
  return `${time} ${status} ${method} ${path} ${Math.round(durationMs)} ms  ${caller}  ${requestId}  ${reason}`;
}
