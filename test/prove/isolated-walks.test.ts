import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Result } from "../support/harness.ts";
import { addArchived, wordsOf } from "./known.ts";
import { type Neighbour, one, others } from "./neighbours.ts";
import { openShared, type SharedFile } from "./shared-file.ts";
import { dice, figures, seed, size } from "./size.ts";
import { type Step, Walker } from "./walker.ts";
import { assertSameRows } from "./watched-file.ts";

/**
 * Three tenants each walk at random through all that the API can do: once alone in a database, and once together,
 * all at the same time. Two of them have records of the same ids, two of them say the same texts. Every byte that
 * one of them is answered, and in the end every byte that is kept of it, must be the same as if it were alone.
 */

const tenants: readonly Neighbour[] = [others.twin, others.namesake, one];
const walks = size(8, 400);
const rounds = 60;
const counted = { walks: 0, requests: 0, "of them successful": 0, "repeated by Idempotency-Key": 0 };

const together = await openShared(tenants, { limited: true });
const alone: SharedFile[] = [];
for (const each of tenants) alone.push(await openShared([each], { limited: true }));
const files = [together, ...alone];
after(() => Promise.all(files.map((file) => file.close())));
for (const [index, each] of tenants.entries()) {
  for (const file of [together, alone[index]]) await addArchived(file as SharedFile, each);
}
for (const file of files) file.keep();

/** A walk: each round one request of each tenant, first alone, then the same ones at the same time. */
async function walk(number: number): Promise<void> {
  for (const file of files) file.restore();
  const walkers = tenants.map((who, index) => {
    const file = alone[index] as SharedFile;
    return new Walker(file, who, wordsOf(file, who), dice(seed + number * 10 + index));
  });
  const past: Step[] = [];
  for (let round = 0; round < rounds; round++) {
    const steps = await Promise.all(walkers.map((walker) => walker.next(past)));
    past.push(...steps);
    for (const { clock } of files) clock.advance(1_000);
    const expected = await Promise.all(steps.map((step, index) => take(alone[index] as SharedFile, step, index)));
    const got = await Promise.all(steps.map((step, index) => take(together, step, index)));
    for (const [index, step] of steps.entries()) {
      const [single, among] = [expected[index] as Result, got[index] as Result];
      assert.deepEqual(
        seen(among),
        seen(single),
        `FC_SEED=${seed}, walk ${number}, round ${round}, tenant ${index}: ${told(step)}`,
      );
      assert.ok(single.status < 500, `${told(step)}: ${single.text}`);
      walkers[index]?.learn(step, single);
      count(step, single);
    }
  }
  for (const [index, { id }] of tenants.entries()) {
    const [among, single] = [together, alone[index] as SharedFile].map(({ watched }) =>
      watched.contents({ tenant: id }).map(withoutUse),
    );
    assertSameRows(among ?? [], single ?? [], `FC_SEED=${seed}, walk ${number}: what is kept of tenant ${index}`);
  }
}

/** When a key was last used is noted when there is time for it: a request later where there is much to do. */
function withoutUse(row: string): string {
  return row.replace(/"last_used_at":\d+/, '"last_used_at":0');
}

function take(file: SharedFile, { ask, credential }: Step, index: number): Promise<Result> {
  return file.ask(ask, tenants[index] as Neighbour, credential);
}

function seen({ status, headers, text }: Result): unknown {
  return { status, headers: Object.fromEntries(headers), text };
}

function told({ ask: { endpoint, ...sent } }: Step): string {
  return `${endpoint.name} ${JSON.stringify(sent)}`;
}

const succeeded = new Set<string>();

function count({ ask }: Step, { status, headers }: Result): void {
  counted.requests++;
  if (status < 300) counted["of them successful"]++;
  if (headers.has("idempotent-replayed")) counted["repeated by Idempotency-Key"]++;
  if (status < 300) succeeded.add(ask.endpoint.name);
}

test("a tenant gets the same responses and stores the same records with and without other tenants", {
  timeout: 1_200_000,
}, async (t) => {
  const never = () => together.api.endpoints.map(({ name }) => name).filter((name) => !succeeded.has(name));
  // A few walks may by chance leave one out: some more do not.
  for (let number = 0; number < walks || (never().length > 0 && number < 10 * walks); number++) {
    await walk(number);
    counted.walks++;
    // Every limit is a minute's: the next walk begins with all of it.
    for (const { clock } of files) clock.advance(60_000);
  }
  assert.deepEqual(never(), [], "every endpoint was called with success");
  figures(t, "isolated-walks", counted);
});
