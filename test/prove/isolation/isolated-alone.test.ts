import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type Write, WriteConflict } from "../../../lib/index.ts";
import { entityKinds } from "../../../lib/model/entities.ts";
import { type Kind, models } from "../../../lib/model/kinds.ts";
import type { Model } from "../../../lib/model/model.ts";
import { collectReferences } from "../../../lib/model/references.ts";
import type { Result } from "../../support/harness.ts";
import { figures, full, seededRandom } from "../size.ts";
import { assertSameRows } from "./database-rows.ts";
import { idsAt } from "./random-client.ts";
import { inputsOf, type TestCall, unknownId } from "./requests.ts";
import { credentialOf, openShared } from "./shared-database.ts";
import { addArchived, addEvents, cursorsOf, recordUse, successfulCalls, textsOf, useKeys } from "./tenant-texts.ts";
import { one, others } from "./tenants.ts";

/**
 * Each request of a tenant has the same response, byte for byte, as if the tenant were alone in the database, although
 * other tenants have records with the same IDs and the same texts.
 */

const { twin, namesake, unrelated } = others;
const crowd = await openShared([twin, namesake, one, unrelated]);
const alone = await openShared([one]);
after(() => Promise.all([crowd.close(), alone.close()]));
for (const each of [twin, namesake, one, unrelated]) await addArchived(crowd, each);
await addArchived(alone, one);
for (const each of [twin, namesake, one, unrelated]) await addEvents(crowd, each);
await addEvents(alone, one);
for (const file of [crowd, alone]) await recordUse(file, one);
const words = textsOf(alone, one);
for (const file of [crowd, alone]) file.keep();
const calls = await successfulCalls(alone, one, words);
words.push(...(await cursorsOf(alone, one, calls)));
// The twin has used these idempotency keys for the same requests, with an integration of the same ID.
const usedByTwin = await useKeys(crowd, twin, await successfulCalls(crowd, twin, textsOf(crowd, twin)), one);
words.push(...usedByTwin);
crowd.keep();
const [inShared = [], inSingle = []] = [crowd, alone].map(({ watched }) => watched.contents({ tenant: one.id }));
assertSameRows(inShared, inSingle, "rows before the requests");

const random = seededRandom();
const counted = { requests: 0, "of them successful": 0 };

function comparable({ status, headers, text }: Result): unknown {
  return { status, headers: Object.fromEntries(headers), text };
}

/** Sends a call to both databases, compares the responses and the rows, and restores both databases. */
async function compare(call: TestCall): Promise<void> {
  const { endpoint, ...sent } = call;
  const credential = await credentialOf(call, one);
  const [among, single] = [await crowd.call(call, one, credential), await alone.call(call, one, credential)];
  const description = `${endpoint.name} ${JSON.stringify(sent)}`;
  assert.deepEqual(comparable(among), comparable(single), description);
  counted.requests++;
  if (single.status < 300) counted["of them successful"]++;
  if (crowd.watched.changed() || alone.watched.changed()) {
    const [inShared = [], inSingle = []] = [crowd, alone].map(({ watched }) => watched.changes({ tenant: one.id }));
    assertSameRows(inShared, inSingle, `changed rows after ${description}`);
    assert.deepEqual(crowd.watched.changes({ allBut: one.id }), [], `changed rows of others after ${description}`);
  }
  for (const file of [crowd, alone]) file.restore();
}

for (const endpoint of alone.api.endpoints) {
  test(`${endpoint.name} has the same response and writes as for a tenant alone in the database`, async () => {
    for (const base of calls.filter((each) => each.endpoint === endpoint)) {
      await compare(base);
      for (const input of inputsOf(endpoint)) {
        const accepted = words.filter(input.accepts);
        const meant = input.name === "Idempotency-Key" ? usedByTwin : idsAt(alone, one, endpoint, input);
        const chosen = accepted.filter(
          (word) => full || accepted.length < 12 || meant.includes(word) || random() < 0.05,
        );
        for (const word of chosen) for (const each of input.with(base, word)) await compare(each);
      }
    }
  });
}

/** Returns why the storage rejects a record with the ID of a record of another tenant. */
async function rejectionOf({ storage, clock }: typeof alone, kind: Kind, id: string): Promise<unknown> {
  const [record] = await storage.list(one.id, kind, {});
  const [referral] = collectReferences(models[kind] as Model, record as never);
  assert.ok(record !== undefined && referral !== undefined, `${kind} refers to something`);
  const odd = JSON.parse(JSON.stringify(record).replaceAll(referral.id, unknownId)) as typeof record;
  const insert = (at: number) => ({ op: "insert", kind, record: { ...odd, id, updatedAt: at } }) as unknown as Write;
  try {
    await storage.commit(one.id, clock.now(), (at) => [insert(at)]);
    return "accepted";
  } catch (error) {
    const { reason, field, id: conflicting } = error instanceof WriteConflict ? error : ({} as Partial<WriteConflict>);
    return [(error as Error).message, reason, field, conflicting];
  }
}

test("a write is rejected for the same reason whether or not another tenant has a record with its ID", async () => {
  for (const kind of ["stage", "apiKey", "grant", ...entityKinds] as const) {
    const [theirs] = await crowd.storage.list(unrelated.id, kind, {});
    assert.deepEqual(
      await rejectionOf(crowd, kind, theirs?.id ?? ""),
      await rejectionOf(alone, kind, theirs?.id ?? ""),
    );
  }
});

test("each request has the same response and writes as for a tenant alone in the database", (t) =>
  figures(t, "isolated-alone", counted));
