import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { after } from "node:test";
import { inspect } from "node:util";
import { serve } from "../../../lib/http/index.ts";
import type { RateLimitResult } from "../../../lib/index.ts";
import { sqliteRequestLog, sqliteStorage } from "../../../lib/storage/sqlite/index.ts";
import { adminAuth, adminOf, tokenFor } from "../../support/admin.ts";
import { one, openCrm, type Shown, sales, service, two, unknown } from "../../support/crm.ts";
import { forEachEntity } from "../../support/entity-fields.ts";
import { type Result, send } from "../../support/harness.ts";
import { dataOf } from "../../support/responses.ts";
import { watch } from "../database-state.ts";
import type { Draft } from "./requests.ts";

const rate: RateLimitResult = { accepted: true, limit: 300, remaining: 299, resetMs: 60_000, retryMs: 0 };
const rules = [
  { entity: "opportunity", field: "amount", when: { stageIds: [sales.contract], statuses: ["won"] } },
  { entity: "opportunity", field: "customFields.segment", when: { statuses: ["won"] } },
  { entity: "account", field: "customFields.lines" },
];
/** A field whose options would make a response long. */
const options = Array.from({ length: 40 }, (_, index) => `${"漢😀\u0001".repeat(40)}${index}`);
const odd = { entity: "opportunity", key: "odd", label: "Odd", type: "multi_list", options };
const keys: Readonly<Record<string, string | null>> = {
  own: one.key,
  other: two.key,
  reader: one.readKey,
  bare: one.bareKey,
  revoked: one.revokedKey,
  none: null,
  junk: "crm_test_junk",
  two: one.key,
};

/** A request as sent, and its response. */
export type Exchange = {
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly result: Result;
};

/** An API over a database file, in process and on a real server. Both are closed after the tests. */
export async function fuzzCrm() {
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "crm-fuzz-"));
  const file = join(folder, "crm.db");
  const storage = sqliteStorage({ file });
  const edits = { "/rules": rules, "/customFields/18": odd, "/grants": [{ userId: one.member }] };
  const logFile = join(folder, "requests.db");
  const requestLog = sqliteRequestLog({ file: logFile, maxAgeMs: Number.MAX_SAFE_INTEGER });
  const errorLog: string[] = [];
  const crm = await openCrm(edits, {
    ...{ storage, adminAuth, requestLog, rateLimiter: { take: async () => rate } },
    webhooks: { fetch: async () => ({ status: 204 }) },
    logger: { error: (fields, message) => void errorLog.push(`${message} ${inspect(fields, { depth: 5 })}`) },
  });
  const { server, url, close } = await serve(crm.api, { host: "127.0.0.1", port: 0 });
  const database = watch(file);
  const agent = new Agent({ keepAlive: true });
  after(async () => {
    agent.destroy();
    server.closeAllConnections();
    await close();
    database.close();
    requestLog.close();
    rmSync(folder, { recursive: true });
  });
  const grants = await storage.list(one.id, "grant", {});
  const pool: Record<string, string[]> = {
    tenant: [one.id, two.id],
    user: [one.member, one.admin],
    ...forEachEntity((kind) => [one[kind]]),
    pipeline: [sales.id, service.id],
    stage: [sales.lead, sales.offer, sales.contract, service.survey, service.review],
    integration: [two.integration, two.otherIntegration],
    key: (await storage.list(two.id, "apiKey", {})).map(({ id }) => id),
    grant: [...grants.map(({ id }) => id), unknown],
    webhook: [(await crm.create("/webhooks", { url: "https://hooks.test/own" })).id],
    event: [],
    other: [
      unknown,
      two.account,
      two.contact,
      two.task,
      two.stage,
      one.archivedAccount,
      one.archivedTask,
      one.inactive,
    ],
  };
  const admin = adminOf(crm as never, two.id, two.admin);
  const hook = dataOf<Shown>(
    await admin("POST", "/admin/webhooks", { body: { url: "https://hooks.test/admin" } }),
    201,
  );
  pool.other?.push(hook.id);
  await crm.create("/tasks", { title: "Call" });
  for (const tenant of [one, two])
    pool.event?.push(...(await storage.list(tenant.id, "event", {})).map(({ id }) => id));
  const replaceNames = (text: string, endpoint: string): string =>
    text.replace(/@(\w+):(\d+)/g, (_, kind: string, n: string) => {
      const ids = pool[kind === "cursor" ? `cursor ${endpoint}` : kind] ?? [""];
      return ids[Number(n) % ids.length] ?? "";
    });
  /** Sends a request, over HTTP if the draft says so or requires it. */
  const exchange = async (draft: Draft, overHttp: boolean): Promise<Exchange> => {
    const isAdmin = crm.api.endpoints.find(({ name }) => name === draft.endpoint)?.access === "admin";
    const [path, query] = [replaceNames(draft.path, draft.endpoint), replaceNames(draft.query, draft.endpoint)];
    const body = draft.body === undefined ? undefined : replaceNames(draft.body, draft.endpoint);
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(draft.headers))
      headers[name] = replaceNames(value, draft.endpoint).trim();
    const key = keys[draft.key] ?? null;
    if (isAdmin && draft.key === "own") headers.authorization = `Bearer ${await tokenFor(crm, two.id, two.admin)}`;
    else if (key !== null) headers["x-api-key"] = key;
    if (draft.key === "two") headers.authorization = "Bearer junk";
    if (isAdmin && draft.key === "own") headers["x-tenant-id"] &&= two.id;
    if (body !== undefined) {
      headers["content-type"] ??= "application/json";
      headers["content-length"] = String(Buffer.byteLength(body));
    }
    const target = `/integrations${isAdmin ? "" : "/v1"}${path}?${query}`;
    const hasBody = body !== undefined && draft.method === "GET";
    const sent = { headers, ...(body === undefined ? {} : { raw: Buffer.from(body) }) };
    const result =
      overHttp || hasBody
        ? await overWire(draft.method, target, headers, body)
        : await send(crm.api, draft.method, `http://crm.test${target}`, sent);
    return { path, query, headers, body, result };
  };
  const overWire = (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
  ) =>
    new Promise<Result>((resolve, reject) => {
      const outgoing = request(url + path, { method, headers, agent, timeout: 20_000 }, (incoming) => {
        textOf(incoming).then((text) => {
          const { statusCode: status = 0, headersDistinct } = incoming;
          const pairs = Object.entries(headersDistinct).flatMap(([name, values]) =>
            (values ?? []).map((value): [string, string] => [name, value]),
          );
          resolve({ status, headers: new Headers(pairs), text, body: text === "" ? undefined : JSON.parse(text) });
        }, reject);
      });
      outgoing.once("timeout", () => outgoing.destroy(new Error("no response in 20 s")));
      outgoing.once("error", reject).end(body);
    });
  /** Remembers created IDs and issued cursors, so that later requests use them. */
  const rememberIds = ({ endpoint }: Draft, { result }: Exchange): void => {
    const { data, nextCursor } = (result.body ?? {}) as { data?: { id?: unknown }; nextCursor?: unknown };
    const kind = /^create(\w+)$/.exec(endpoint)?.[1]?.toLowerCase();
    if (result.status === 201 && kind !== undefined && typeof data?.id === "string") pool[kind]?.push(data.id);
    const cursors = `cursor ${endpoint}`;
    if (typeof nextCursor === "string") pool[cursors] = [...(pool[cursors] ?? []).slice(-50), nextCursor];
  };
  /** Returns the bytes of the request log. */
  const readRequestLog = async (): Promise<Buffer> => {
    await crm.api.idle();
    requestLog.close();
    return readFileSync(logFile);
  };
  return { ...crm, database, exchange, learn: rememberIds, readRequestLog, errorLog, keys: Object.values(keys) };
}

export type FuzzCrm = Awaited<ReturnType<typeof fuzzCrm>>;
