import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type Write, WriteConflict } from "../../lib/index.ts";
import { type Kind, models } from "../../lib/model/kinds.ts";
import type { Model } from "../../lib/model/model.ts";
import { collectReferences } from "../../lib/model/references.ts";
import type { Result } from "../support/harness.ts";
import { type Ask, nobodys, placesOf } from "./asks.ts";
import { addArchived, cursorsOf, noteUse, useKeys, wordsOf, workingAsks } from "./known.ts";
import { one, others } from "./neighbours.ts";
import { credentialOf, openShared } from "./shared-file.ts";
import { dice, figures, full } from "./size.ts";
import { idsAt } from "./walker.ts";
import { assertSameRows } from "./watched-file.ts";

/**
 * Whatever a tenant asks about what is its own, it is answered as if it were alone in the database, byte for byte,
 * though one neighbour's records have the same ids and another's say the same.
 */

const { twin, namesake, stranger } = others;
const crowd = await openShared([twin, namesake, one, stranger]);
const alone = await openShared([one]);
after(() => Promise.all([crowd.close(), alone.close()]));
for (const each of [twin, namesake, one, stranger]) await addArchived(crowd, each);
await addArchived(alone, one);
for (const file of [crowd, alone]) await noteUse(file, one);
const words = wordsOf(alone, one);
for (const file of [crowd, alone]) file.keep();
const asks = await workingAsks(alone, one, words);
words.push(...(await cursorsOf(alone, one, asks)));
// The twin has used keys of these names for the same requests, by an integration of the same id.
const usedByTwin = await useKeys(crowd, twin, await workingAsks(crowd, twin, wordsOf(crowd, twin)), one);
words.push(...usedByTwin);
crowd.keep();
const untouched = crowd.watched.contents({ allBut: one.id });

const roll = dice();
const counted = { requests: 0, "of them successful": 0 };

function seen({ status, headers, text }: Result): unknown {
  return { status, headers: Object.fromEntries(headers), text };
}

/** Asks in both files, looks at answers and at what was kept, and puts both back as they were. */
async function compare(ask: Ask): Promise<void> {
  const { endpoint, ...sent } = ask;
  const credential = await credentialOf(ask, one);
  const [among, single] = [await crowd.ask(ask, one, credential), await alone.ask(ask, one, credential)];
  const told = `${endpoint.name} ${JSON.stringify(sent)}`;
  assert.deepEqual(seen(among), seen(single), told);
  counted.requests++;
  if (single.status < 300) counted["of them successful"]++;
  if (crowd.watched.changed() || alone.watched.changed()) {
    const [inCrowd, byItself] = [crowd, alone].map(({ watched }) => watched.contents({ tenant: one.id }));
    assertSameRows(inCrowd ?? [], byItself ?? [], `what is kept after ${told}`);
    assertSameRows(crowd.watched.contents({ allBut: one.id }), untouched, `what is kept of others after ${told}`);
  }
  for (const file of [crowd, alone]) file.restore();
}

for (const endpoint of alone.api.endpoints) {
  test(`${endpoint.name} has the same response and writes as for a tenant alone in the database`, async () => {
    for (const base of asks.filter((each) => each.endpoint === endpoint)) {
      await compare(base);
      for (const place of placesOf(endpoint)) {
        const taken = words.filter(place.takes);
        const meant = place.name === "Idempotency-Key" ? usedByTwin : idsAt(alone, one, endpoint, place);
        const chosen = taken.filter((word) => full || taken.length < 12 || meant.includes(word) || roll() < 0.05);
        for (const word of chosen) for (const each of place.with(base, word)) await compare(each);
      }
    }
  });
}

/** Why the storage refuses a record that has the id of another tenant's and refers to nothing. */
async function refusalOf({ storage, clock }: typeof alone, kind: Kind, id: string): Promise<unknown> {
  const [record] = await storage.list(one.id, kind, {});
  const [referral] = collectReferences(models[kind] as Model, record as never);
  assert.ok(record !== undefined && referral !== undefined, `${kind} refers to something`);
  const strange = JSON.parse(JSON.stringify(record).replaceAll(referral.id, nobodys)) as typeof record;
  const insert = (at: number) =>
    ({ op: "insert", kind, record: { ...strange, id, updatedAt: at } }) as unknown as Write;
  try {
    await storage.commit(one.id, clock.now(), (at) => [insert(at)]);
    return "kept";
  } catch (error) {
    const { reason, field, id: inTheWay } = error instanceof WriteConflict ? error : ({} as Partial<WriteConflict>);
    return [(error as Error).message, reason, field, inTheWay];
  }
}

test("a write is rejected for the same reason whether or not another tenant has a record with its ID", async () => {
  for (const kind of ["stage", "apiKey", "grant", "account", "contact", "opportunity", "task"] as const) {
    const [theirs] = await crowd.storage.list(stranger.id, kind, {});
    assert.deepEqual(await refusalOf(crowd, kind, theirs?.id ?? ""), await refusalOf(alone, kind, theirs?.id ?? ""));
  }
});

test("each request has the same response and writes as for a tenant alone in the database", (t) =>
  figures(t, "isolated-alone", counted));
