import assert from "node:assert/strict";
import { after, test } from "node:test";
import { isUuid } from "../../lib/model/scalars.ts";
import type { Result } from "../support/harness.ts";
import { type Ask, nobodys, type Place, placesOf, takesIdsOnly } from "./asks.ts";
import { choiceAmong, textsByColumn } from "./choice.ts";
import { addArchived, cursorsOf, noteUse, useKeys, wordsOf, workingAsks } from "./known.ts";
import { type Neighbour, one, others } from "./neighbours.ts";
import { type Credential, credentialOf, openShared } from "./shared-file.ts";
import { dice, figures, full } from "./size.ts";
import { assertSameRows } from "./watched-file.ts";

/**
 * Every text that is kept of another tenant, ids above all, is sent to every endpoint at every place that takes it.
 * The answer must be the one that a text gets which nobody has, byte for byte, and nothing of the others may change.
 * The places follow from the endpoint list, and all that can be sent from what is in the file.
 */

const { stranger } = others;
const shared = await openShared([others.twin, others.namesake, one, stranger]);
after(() => shared.close());
const { api, watched } = shared;
const roll = dice();
const counted = { requests: 0, "places that take a text": 0, "texts of another tenant": 0 };

/** What is kept of a tenant, the archived too, the cursors it was given, the keys it used; and asks that succeed. */
async function moveIn(who: Neighbour) {
  const archived = await addArchived(shared, who);
  await noteUse(shared, who);
  shared.keep();
  const kept = wordsOf(shared, who);
  const asks = await workingAsks(shared, who, kept);
  const cursors = await cursorsOf(shared, who, asks);
  const used = await useKeys(shared, who, asks);
  shared.keep();
  return { archived, asks, cursors, used, words: [...kept, ...cursors, ...used, who.key] };
}

const theirs = await moveIn(stranger);
const { archived, asks, words: ours, ...own } = await moveIn(one);
const tenantIds = Object.values(others).map(({ id }) => id);
const foreign = [...new Set([...theirs.words, ...tenantIds])].filter((word) => !ours.includes(word));
const sorts = new Map<string, ReadonlySet<string>>([
  ...textsByColumn(watched, [one.id, stranger.id]),
  ["tenants", new Set([one.id, ...tenantIds])],
  ["cursors", new Set([...own.cursors, ...theirs.cursors])],
  ["used keys", new Set([...own.used, ...theirs.used])],
]);
const choice = choiceAmong(foreign, sorts, roll);
const untouched = watched.contents({ allBut: one.id });
counted["texts of another tenant"] = foreign.length;

/** How the same id may be written otherwise. */
const forms: Readonly<Record<string, (id: string) => string>> = {
  "as it is": (id) => id,
  "in capitals": (id) => id.toUpperCase(),
  "with a blank before": (id) => ` ${id}`,
  "with a blank after": (id) => `${id} `,
  "in braces": (id) => `{${id}}`,
  "as a urn": (id) => `urn:uuid:${id}`,
  "without hyphens": (id) => id.replaceAll("-", ""),
  "with a NUL after": (id) => `${id}\0`,
};

/** A text of the same form that nobody has. */
function unheardOf(word: string): string {
  if (isUuid(word)) return nobodys;
  if (/^\+[\d ]+$/.test(word)) return word.replace(/\d/g, (digit) => String((Number(digit) + 1) % 10));
  return word.replace(/[a-z]/gi, (letter) => String.fromCharCode(letter.charCodeAt(0) + (/z/i.test(letter) ? -25 : 1)));
}

/** Sends it as the watched tenant. Whatever is asked, nothing of the others changes and it is no fault of ours. */
async function ask(what: Ask, credential: Credential): Promise<Result> {
  const result = await shared.ask(what, one, credential);
  counted.requests++;
  if (watched.changed()) {
    assertSameRows(watched.contents({ allBut: one.id }), untouched, `${what.endpoint.name} changed others`);
  }
  shared.restore();
  assert.ok(result.status < 500, `${what.endpoint.name}: ${result.text}`);
  return result;
}

/** Whether the request did all that it is for. The operation of a batch failed if the status is 207. */
function succeeded({ status }: Result): boolean {
  return status < 300 && status !== 207;
}

/** All that can be seen of an answer, but for the echo of what was sent. */
function seen({ status, headers, text }: Result, word: string): string {
  const all = [status, ...[...headers].map(([name, value]) => `${name}: ${value}`), text].join("\n");
  const sent = word.replace("\0", "").trim();
  const echoes = [sent, sent.slice(0, 100), sent.slice(0, 57)].map((each) => each.replace(/[\W]/g, "\\$&"));
  // The ID of a record that an upsert creates is derived from the value that was sent.
  return all.replace(new RegExp(echoes.join("|"), "gi"), "*").replace(/[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f-]{21}/g, "*");
}

/** What is seen of an answer to a text that nobody has. Every request finds the same, so that one is enough. */
const known = new Map<string, string>();

async function seenOfNobodys(what: Ask, credential: Credential, place: Place, word: string): Promise<string> {
  const { params, query, body, headers } = what;
  const name = JSON.stringify([what.endpoint.name, params, query, body, headers]);
  const before = known.get(name);
  if (before !== undefined) return before;
  const result = await ask(what, credential);
  const accepted = what.endpoint.method !== "GET" && takesIdsOnly(place) && succeeded(result);
  assert.ok(!accepted, `${what.endpoint.name} ${place.name} takes an id that names nothing`);
  known.set(name, seen(result, word));
  return seen(result, word);
}

/** Asks with both texts at the place, in each way, and compares. */
async function compare(base: Ask, place: Place, word: string, unknown: string, what: string): Promise<void> {
  const credential = await credentialOf(base, one);
  const unknowns = place.with(base, unknown);
  for (const [index, each] of place.with(base, word).entries()) {
    const expected = await seenOfNobodys(unknowns[index] ?? base, credential, place, unknown);
    assert.equal(seen(await ask(each, credential), word), expected, `${base.endpoint.name} ${place.name}: ${what}`);
  }
}

/** A text of the tenant's own that makes the request succeed and its answer another; without one nothing is proved. */
async function ownThatCounts(bases: readonly Ask[], place: Place): Promise<string | undefined> {
  for (const base of bases) {
    const credential = await credentialOf(base, one);
    for (const word of [...thatCounted, ...ours].filter(place.takes)) {
      const unknowns = place.with(base, unheardOf(word));
      for (const [index, each] of place.with(base, word).entries()) {
        const own = await ask(each, credential);
        if (!succeeded(own)) continue;
        if (seen(own, word) === seen(await ask(unknowns[index] ?? base, credential), unheardOf(word))) continue;
        thatCounted.add(word);
        return word;
      }
    }
  }
  return undefined;
}
/** Those that counted at one place are likely to count at the next. */
const thatCounted = new Set<string>();

/** Whether a place is there to name something. */
function names(place: Place): boolean {
  return takesIdsOnly(place) || /^[:?](?!tenantId)/.test(place.name);
}

for (const endpoint of api.endpoints) {
  const bases = asks.filter((each) => each.endpoint === endpoint);
  const places = placesOf(endpoint).filter(({ takes }) => ours.some(takes));
  counted["places that take a text"] += places.length;
  const telling = ["?tenantId", "/tenantId", "x-tenant-id", "Idempotency-Key"];

  test(`${endpoint.name} responds to another tenant's texts as to unknown ones`, { timeout: 600_000 }, async () => {
    for (const place of places) {
      const tells = names(place) || telling.includes(place.name);
      const own = tells ? await ownThatCounts(bases, place) : undefined;
      assert.ok(!tells || own !== undefined, `${place.name} ${noProof}`);
      const taken = foreign.filter((word) => place.takes(word) && place.takes(unheardOf(word)));
      for (const base of bases) {
        const chosen = choice.of(taken, place, own);
        for (const word of chosen) await compare(base, place, word, unheardOf(word), word);
        const ids = chosen.filter(isUuid);
        for (const [form, write] of Object.entries(forms)) {
          for (const id of (full ? ids : ids.slice(0, 1)).filter((id) => place.takes(write(id))))
            await compare(base, place, write(id), write(nobodys), `${id} ${form}`);
        }
        const gone = place.name.startsWith(":") && !endpoint.path.endsWith("/restore") ? archived : [];
        for (const id of gone) await compare(base, place, id, nobodys, `${id}, which was archived`);
      }
    }
  });
}

const noProof = "makes no difference between what is the tenant's and what is nobody's, so nothing is proved";

const malformed = ["1", "null", "%00", "%ff", "..%2F..%2Fme", "__proto__", "*", `%7B${nobodys}%7D`, nobodys.slice(1)];

test("an invalid ID in a path gets the same response as an unknown one", async () => {
  for (const base of asks.filter(({ endpoint }) => endpoint.path.includes(":"))) {
    const credential = await credentialOf(base, one);
    const [place] = placesOf(base.endpoint);
    const [unknown = base] = place?.with(base, nobodys) ?? [];
    const expected = seen(await ask(unknown, credential), nobodys);
    for (const text of malformed) {
      const path = base.endpoint.path.replace(/:\w+/, text);
      const odd = { ...base, endpoint: { ...base.endpoint, path } };
      assert.equal(seen(await ask(odd, credential), nobodys), expected, path);
    }
  }
});

test("a text of another tenant gets the same response as an unknown text, in every input", (t) =>
  figures(t, "isolated", counted));
