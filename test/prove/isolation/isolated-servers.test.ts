import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Storage, signAdminToken } from "../../../lib/index.ts";
import { type Kind, models } from "../../../lib/model/kinds.ts";
import { isUuid } from "../../../lib/model/scalars.ts";
import { sendHttp } from "../../support/http-request.ts";
import { serving } from "../../support/program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { createServedStorage, type ServedStorage, serverCounts } from "../served-storage.ts";
import { figures, full, seed, seededRandom } from "../size.ts";
import { acceptsIdsOnly, inputsOf, type RequestInput, type TestCall, unknownId } from "./requests.ts";
import { openShared, requestOf } from "./shared-database.ts";
import { addEvents, successfulCalls, textsOf } from "./tenant-texts.ts";
import { one, others, type TestTenant } from "./tenants.ts";

/**
 * The test `isolated` over HTTP, on two servers of one database. Sends texts of another tenant to either server in
 * every input for IDs. The response must be the same as for an unknown ID.
 */

const { unrelated } = others;
const random = seededRandom();
const none = { requests: 0, "inputs for IDs": 0, "texts of another tenant": 0 };
let counted = none;
/** A POST that doesn't write. */
const activeEndpoint = "listActiveOpportunities";

type WireResponse = { readonly status: number; readonly headers: Headers; readonly text: string };

/** Returns calls of a tenant that succeed, and every text of it, from a database in this process. */
async function known(
  tenant: TestTenant,
): Promise<{ readonly calls: readonly TestCall[]; readonly words: readonly string[] }> {
  const shared = await openShared([others.namesake, tenant]);
  await addEvents(shared, tenant);
  shared.keep();
  const words = textsOf(shared, tenant);
  const calls = await successfulCalls(shared, tenant, words);
  await shared.close();
  return { calls, words };
}

class Servers {
  readonly #urls: readonly string[];
  readonly #tokens: ReadonlyMap<string, string>;

  constructor(urls: readonly string[], tokens: ReadonlyMap<string, string>) {
    this.#urls = urls;
    this.#tokens = tokens;
  }

  /** Starts the servers with both tenants. */
  static async start(t: TestContext, folder: string, storageOptions: ServedStorage, count: number): Promise<Servers> {
    const files = [unrelated, one].map(({ file }, index) => {
      const path = join(folder, `${index}.json`);
      writeFileSync(path, JSON.stringify(file));
      return path;
    });
    const args = [...storageOptions.args, "--rate-limit", "99999"];
    const all = [await serving(t, ...args, "--fixtures", ...files)];
    while (all.length < count) all.push(await serving(t, ...args));
    const now = Math.floor(Date.now() / 1_000);
    const tokens = [unrelated, one].map(async ({ id, admin }): Promise<[string, string]> => {
      const times = { issuedAt: now, expiresAt: now + 36_000 };
      return [id, await signAdminToken(storageOptions.adminAuth, { tenantId: id, userId: admin }, times)];
    });
    return new Servers(
      all.map(({ greeting }) => greeting.url),
      new Map(await Promise.all(tokens)),
    );
  }

  /** Sends a call to either server. */
  async call(call: TestCall, as: TestTenant): Promise<WireResponse> {
    counted.requests++;
    const credential =
      call.endpoint.access === "admin"
        ? { authorization: `Bearer ${this.#tokens.get(as.id)}` }
        : { "x-api-key": as.key };
    const request = requestOf(call, credential);
    const url = `${this.#urls[Math.floor(random() * this.#urls.length)]}${request.url.replace(/^\w+:\/\/[^/]+/, "")}`;
    const body = call.body === undefined ? {} : { body: JSON.stringify(call.body) };
    return sendHttp(url, { method: request.method, headers: Object.fromEntries(request.headers), ...body });
  }
}

/** Returns everything of a response except the echo of the request, the time and the number of requests. */
function comparable({ status, headers, text }: WireResponse, word: string): string {
  const own = /^(?:date|x-request-id|x-ratelimit-.*|content-length|connection|keep-alive)$/;
  const description = [...headers].filter(([name]) => !own.test(name)).map(([name, value]) => `${name}: ${value}`);
  // Paths in errors escape slashes.
  const echoes = [word, word.slice(0, 57)].flatMap((each) => [each, each.replaceAll("/", "~1")]);
  const echo = new RegExp(echoes.map((each) => each.replace(/[\W]/g, "\\$&")).join("|"), "gi");
  return [status, ...description, text]
    .join("\n")
    .replace(/"(?:requestId|serverTime)":"[^"]*"/g, "")
    .replace(echo, "*");
}

/** Returns a text of the same form that no tenant has, or the same text if it has no letters. */
function unknownLike(word: string): string {
  if (isUuid(word)) return unknownId;
  const [scheme = ""] = /^https:\/\//.exec(word) ?? [];
  const next = (letter: string): string => String.fromCharCode(letter.charCodeAt(0) + (/z/i.test(letter) ? -25 : 1));
  return scheme + word.slice(scheme.length).replace(/[a-z]/gi, next);
}

/** Whether the input is for IDs, so that an unknown text in it creates nothing. */
function names({ endpoint }: TestCall, input: RequestInput): boolean {
  return (
    acceptsIdsOnly(input) || /^[:?]|^\/tenantId$|^x-tenant-id$/.test(input.name) || endpoint.name === activeEndpoint
  );
}

/** Returns every row of a tenant, except for the last use of API keys. */
async function rowsOf(storage: Storage, tenant: string): Promise<readonly unknown[]> {
  const kinds = (Object.keys(models) as Kind[]).filter((kind) => kind !== "tenant");
  const rows = await Promise.all(kinds.map((kind) => storage.list(tenant, kind, { includeArchived: true })));
  return rows.flat().map((row) => ({ ...row, lastUsedAt: undefined, updatedAt: undefined }));
}

const [theirs, own] = [await known(unrelated), await known(one)];

for (const count of serverCounts) {
  const name = `with ${count} servers on one database, an ID of another tenant gets the same response as an unknown ID`;
  test(name, { timeout: 3_600_000 }, async (t) => {
    counted = { ...none };
    t.diagnostic(`FC_SEED=${seed}`);
    const folder = temporaryFolder(t);
    const served = await createServedStorage(folder);
    const servers = await Servers.start(t, folder, served, count);
    const cursors = await cursorsOf(servers, theirs.calls);
    const foreign = [...theirs.words, ...cursors, unrelated.key].filter((word) => !own.words.includes(word));
    counted["texts of another tenant"] = foreign.length;
    const storage = await served.open();
    const before = await rowsOf(storage, unrelated.id);
    const unknown = new Map<string, string>();
    for (const base of own.calls) {
      for (const textInput of inputsOf(base.endpoint).filter((each) => names(base, each))) {
        counted["inputs for IDs"]++;
        const accepted = foreign.filter((word) => {
          const other = unknownLike(word);
          return other !== word && textInput.accepts(word) && textInput.accepts(other);
        });
        for (const word of accepted.filter(() => full || random() < 0.03)) {
          const others = textInput.with(base, unknownLike(word));
          for (const [index, each] of textInput.with(base, word).entries()) {
            const other = others[index] ?? base;
            const { endpoint, ...input } = other;
            const name = JSON.stringify([endpoint.name, input]);
            const expected = unknown.get(name) ?? comparable(await servers.call(other, one), unknownLike(word));
            unknown.set(name, expected);
            const response = await servers.call(each, one);
            const what = `${endpoint.name} ${textInput.name}: ${word}`;
            assert.equal(comparable(response, word), expected, what);
            assert.ok(response.status < 500, what);
            const isTaken =
              response.status < 300 &&
              response.status !== 207 &&
              endpoint.method !== "GET" &&
              endpoint.name !== activeEndpoint;
            assert.ok(!isTaken, `${what} was taken`);
          }
        }
      }
    }
    assert.deepEqual(await rowsOf(storage, unrelated.id), before);
    await storage.close();
    figures(t, "isolated-servers", counted);
  });
}

/** Returns the cursors of the other tenant's lists. */
async function cursorsOf(servers: Servers, calls: readonly TestCall[]): Promise<string[]> {
  // A tenant file has no events, and requests aren't in the database.
  const lists = calls.filter(({ endpoint }) => "includeArchived" in endpoint.query && "cursor" in endpoint.query);
  const pages = lists.map((call) => servers.call({ ...call, query: { ...call.query, limit: "1" } }, unrelated));
  return (await Promise.all(pages)).map(({ text }) => JSON.parse(text).nextCursor ?? assert.fail(text));
}
