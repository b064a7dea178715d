import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Storage, signAdminToken } from "../../lib/index.ts";
import { type Kind, models } from "../../lib/model/kinds.ts";
import { isUuid } from "../../lib/model/scalars.ts";
import { serving } from "../support/program.ts";
import { type Ask, nobodys, type Place, placesOf, takesIdsOnly } from "./asks.ts";
import { wordsOf, workingAsks } from "./known.ts";
import { type Neighbour, one, others } from "./neighbours.ts";
import { type ServedPlace, servedPlace, serverCounts } from "./served-place.ts";
import { openShared, requestOf } from "./shared-file.ts";
import { dice, figures, full, seed } from "./size.ts";

/**
 * The same as `isolated` over HTTP, at two server processes of one place: what is kept of another tenant is sent to
 * either, at every place that names something, and answered as what nobody has is answered by either.
 */

const { stranger } = others;
const roll = dice();
const none = { requests: 0, "places that name something": 0, "texts of another tenant": 0 };
let counted = none;
/** What asks only, though it is a POST. */
const asking = "listActiveOpportunities";

type Answer = { readonly status: number; readonly headers: Headers; readonly text: string };

/** Requests of a tenant that succeed, and every text that is kept of it: from a file that the engine itself has open. */
async function known(who: Neighbour): Promise<{ readonly asks: readonly Ask[]; readonly words: readonly string[] }> {
  const shared = await openShared([others.namesake, who]);
  shared.keep();
  const words = wordsOf(shared, who);
  const asks = await workingAsks(shared, who, words);
  await shared.close();
  return { asks, words };
}

class Servers {
  readonly #urls: readonly string[];
  readonly #tokens: ReadonlyMap<string, string>;

  constructor(urls: readonly string[], tokens: ReadonlyMap<string, string>) {
    this.#urls = urls;
    this.#tokens = tokens;
  }

  /** Starts so many, with both tenants. */
  static async start(t: TestContext, folder: string, place: ServedPlace, count: number): Promise<Servers> {
    const files = [stranger, one].map(({ file }, index) => {
      const path = join(folder, `${index}.json`);
      writeFileSync(path, JSON.stringify(file));
      return path;
    });
    const args = [...place.args, "--rate-limit", "99999"];
    const all = [await serving(t, ...args, "--fixtures", ...files)];
    while (all.length < count) all.push(await serving(t, ...args));
    const now = Math.floor(Date.now() / 1_000);
    const tokens = [stranger, one].map(async ({ id, admin }): Promise<[string, string]> => {
      const times = { issuedAt: now, expiresAt: now + 36_000 };
      return [id, await signAdminToken(place.adminAuth, { tenantId: id, userId: admin }, times)];
    });
    return new Servers(
      all.map(({ greeting }) => greeting.url),
      new Map(await Promise.all(tokens)),
    );
  }

  /** Asks either. */
  async ask(ask: Ask, as: Neighbour): Promise<Answer> {
    counted.requests++;
    const credential =
      ask.endpoint.access === "admin"
        ? { authorization: `Bearer ${this.#tokens.get(as.id)}` }
        : { "x-api-key": as.key };
    const request = requestOf(ask, credential);
    const url = `${this.#urls[Math.floor(roll() * this.#urls.length)]}${request.url.replace(/^\w+:\/\/[^/]+/, "")}`;
    const body = ask.body === undefined ? {} : { body: JSON.stringify(ask.body) };
    const response = await fetch(url, { method: request.method, headers: request.headers, ...body });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
}

/** All that can be seen of an answer, but for the echo of what was sent, and for the time and the number of requests. */
function seen({ status, headers, text }: Answer, word: string): string {
  const own = /^(?:date|x-request-id|x-ratelimit-.*|content-length|connection|keep-alive)$/;
  const told = [...headers].filter(([name]) => !own.test(name)).map(([name, value]) => `${name}: ${value}`);
  const echo = new RegExp([word, word.slice(0, 57)].map((each) => each.replace(/[\W]/g, "\\$&")).join("|"), "gi");
  return [status, ...told, text]
    .join("\n")
    .replace(/"(?:requestId|serverTime)":"[^"]*"/g, "")
    .replace(echo, "*");
}

/** A text of the same form that nobody has. */
function unheardOf(word: string): string {
  if (isUuid(word)) return nobodys;
  return word.replace(/[a-z]/gi, (letter) => String.fromCharCode(letter.charCodeAt(0) + (/z/i.test(letter) ? -25 : 1)));
}

/** Whether a place names something, so that nothing is made by what nobody has there. */
function names({ endpoint }: Ask, place: Place): boolean {
  return takesIdsOnly(place) || /^[:?]|^\/tenantId$|^x-tenant-id$/.test(place.name) || endpoint.name === asking;
}

/** Every row of every kind that is kept of a tenant, but for when its keys were used. */
async function keptOf(storage: Storage, tenant: string): Promise<readonly unknown[]> {
  const kinds = (Object.keys(models) as Kind[]).filter((kind) => kind !== "tenant");
  const rows = await Promise.all(kinds.map((kind) => storage.list(tenant, kind, { includeArchived: true })));
  return rows.flat().map((row) => ({ ...row, lastUsedAt: undefined, updatedAt: undefined }));
}

for (const count of serverCounts) {
  const name = `at ${count} servers of one place, what is another tenant's is answered as what is nobody's`;
  test(name, { timeout: 3_600_000 }, async (t) => {
    counted = { ...none };
    t.diagnostic(`FC_SEED=${seed}`);
    const folder = mkdtempSync(join(tmpdir(), "crm-isolated-servers-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const place = await servedPlace(folder);
    const servers = await Servers.start(t, folder, place, count);
    const [theirs, ours] = [await known(stranger), await known(one)];
    const cursors = await cursorsOf(servers, theirs.asks);
    const foreign = [...theirs.words, ...cursors, stranger.key].filter((word) => !ours.words.includes(word));
    counted["texts of another tenant"] = foreign.length;
    const storage = await place.open();
    const before = await keptOf(storage, stranger.id);
    const unknown = new Map<string, string>();
    for (const base of ours.asks) {
      for (const where of placesOf(base.endpoint).filter((each) => names(base, each))) {
        counted["places that name something"]++;
        const taken = foreign.filter((word) => where.takes(word) && where.takes(unheardOf(word)));
        for (const word of taken.filter(() => full || roll() < 0.03)) {
          const others = where.with(base, unheardOf(word));
          for (const [index, each] of where.with(base, word).entries()) {
            const other = others[index] ?? base;
            const { endpoint, ...said } = other;
            const name = JSON.stringify([endpoint.name, said]);
            const expected = unknown.get(name) ?? seen(await servers.ask(other, one), unheardOf(word));
            unknown.set(name, expected);
            const answer = await servers.ask(each, one);
            const what = `${endpoint.name} ${where.name}: ${word}`;
            assert.equal(seen(answer, word), expected, what);
            assert.ok(answer.status < 500, what);
            const isTaken =
              answer.status < 300 && answer.status !== 207 && endpoint.method !== "GET" && endpoint.name !== asking;
            assert.ok(!isTaken, `${what} was taken`);
          }
        }
      }
    }
    assert.deepEqual(await keptOf(storage, stranger.id), before);
    await storage.close();
    figures(t, "isolated-servers", counted);
  });
}

/** Those that the other tenant's lists give out. */
async function cursorsOf(servers: Servers, asks: readonly Ask[]): Promise<string[]> {
  const lists = asks.filter(({ endpoint }) => "cursor" in endpoint.query);
  const pages = lists.map((ask) => servers.ask({ ...ask, query: { ...ask.query, limit: "1" } }, stranger));
  return (await Promise.all(pages)).map(({ text }) => JSON.parse(text).nextCursor ?? assert.fail(text));
}
