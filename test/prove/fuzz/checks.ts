import assert from "node:assert/strict";
import { one, two } from "../../support/crm.ts";
import { entityOfPath, listPaths } from "../../support/entity-fields.ts";
import type { Result } from "../../support/harness.ts";
import { assertContract } from "../response-contract.ts";
import type { Exchange, FuzzCrm } from "./fuzz-crm.ts";
import type { Draft } from "./requests.ts";

/** Sends a request and checks everything that is documented for every response. */
export async function checkRequest(crm: FuzzCrm, draft: Draft, overHttp: boolean, sent: SentTexts): Promise<Result> {
  crm.clock.advance(1_000);
  await crm.api.idle();
  const before = crm.database.digest();
  const exchange = await crm.exchange(draft, overHttp);
  const { result, headers } = exchange;
  remember(sent, exchange);
  const id = headers["x-request-id"];
  // A head that is too large isn't read, so its request ID is unknown.
  const known = id !== undefined && /^[A-Za-z0-9._:-]{1,128}$/.test(id) && result.status !== 431;
  assertContract(result, known ? id : undefined, draft.method);
  const isSafe = ["GET", "HEAD", "OPTIONS"].includes(draft.method);
  if (result.status >= 400 || isSafe) {
    assert.equal(crm.database.digest(), before, `${result.status}, but something was stored`);
  }
  if (result.status >= 400) assertShort(exchange);
  else if (!isSafe) await assertStored(crm, draft, exchange);
  if (draft.key === "own" && !isAdmin(crm, draft)) assertOwn(exchange);
  if (result.status < 400 && draft.method !== "OPTIONS")
    assertOwnTenant(exchange, isAdmin(crm, draft) || draft.key === "other" ? two.id : one.id);
  crm.learn(draft, exchange);
  return result;
}

/** The texts that requests have sent as values, and those that are also names. */
export type SentTexts = { readonly values: Set<string>; readonly names: Set<string> };

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Remembers the values of headers and of the body. The log may have IDs, and the request ID that the client chose. */
function remember({ values, names }: SentTexts, { query, headers, body }: Exchange): void {
  for (const [name, value] of Object.entries(headers)) if (name !== "x-request-id") values.add(value);
  for (const name of new URLSearchParams(query).keys()) names.add(name);
  let parsed: unknown;
  try {
    parsed = JSON.parse(body ?? "null");
  } catch {
    return;
  }
  for (const value of strings(parsed, false)) values.add(value);
  for (const name of strings(parsed)) if (!values.has(name)) names.add(name);
}

/** Returns the values of at least 6 characters that are in a request log. `known` has texts that may be in it. */
export async function findLogged(crm: FuzzCrm, { values, names }: SentTexts, known: string): Promise<string[]> {
  const log = await crm.readRequestLog();
  // The log has the names of members, which can contain a value.
  const allowed = [known, ...names].join("\n");
  const secret = [...values].filter(
    (text) => text.length >= 6 && !uuid.test(text) && !/^\d+$/.test(text) && !allowed.includes(text),
  );
  const found = secret.filter((text) => log.includes(text) || log.includes(JSON.stringify(text).slice(1, -1)));
  return [...found, ...crm.keys.filter((key) => key !== null && log.includes(key))] as string[];
}

function isAdmin({ api }: FuzzCrm, { endpoint }: Draft): boolean {
  return api.endpoints.find(({ name }) => name === endpoint)?.access === "admin";
}

/** Checks that a GET returns what a POST or PATCH returned, and 404 after a DELETE. */
async function assertStored(crm: FuzzCrm, draft: Draft, { result, headers, path }: Exchange): Promise<void> {
  const { data } = (result.body ?? {}) as { data?: { id?: unknown } };
  const kind = entityOfPath(path);
  if (kind === undefined || result.headers.get("idempotent-replayed") === "true") return;
  const key = headers["x-api-key"] ?? null;
  const id = draft.method === "DELETE" ? decodeURIComponent(path.split("/")[2] ?? "") : data?.id;
  if (Array.isArray(data)) return;
  const read = await crm.send("GET", `${listPaths[kind]}/${String(id)}`, { key });
  if (draft.method === "DELETE") assert.equal(read.status, 404);
  else assert.deepEqual([read.status, read.body], [200, result.body]);
}

/** No error repeats more than 100 characters of the request. */
function assertShort({ path, query, headers, body, result }: Exchange): void {
  const long = [path, query, ...Object.values(headers), ...decoded(query), ...stringsIn(body)].filter(
    (text) => text.length > 100,
  );
  if (long.length === 0) return;
  const longTexts = strings(result.body).filter((text) => text.length > 100);
  for (const text of longTexts) {
    for (let at = 0; at + 101 <= text.length; at++) {
      const part = text.slice(at, at + 101);
      assert.ok(!long.some((each) => each.includes(part)), `repeats ${part}`);
    }
  }
}

function decoded(query: string): string[] {
  return [...new URLSearchParams(query)].flat();
}

function stringsIn(json: string | undefined): string[] {
  try {
    return strings(JSON.parse(json ?? "null"));
  } catch {
    return [json ?? ""];
  }
}

/** Returns every text in a value. By default, keys too. */
function strings(value: unknown, hasKeys = true): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  const names = hasKeys && !Array.isArray(value) ? Object.keys(value) : [];
  return [...names, ...Object.values(value).flatMap((each) => strings(each, hasKeys))];
}

/** A request with the ID of another tenant must not succeed. */
function assertOwnTenant({ query, headers, body, result }: Exchange, own: string): void {
  // A byte order mark is ignored.
  const inBody = body === undefined || body === "" ? undefined : JSON.parse(body.replace(/^\ufeff/, "")).tenantId;
  const sent = [...new URLSearchParams(query).getAll("tenantId"), headers["x-tenant-id"], inBody];
  for (const id of sent) assert.equal(id?.trim().toLowerCase() ?? own, own, result.text);
}

/** IDs of the other tenant that no request contains. */
const foreign = [two.opportunity, two.admin, two.member, two.pipeline, two.archivedTask, two.archivedAccount];

function assertOwn({ result }: Exchange): void {
  for (const id of foreign) assert.ok(!result.text.includes(id), `${id} is another tenant's`);
}
