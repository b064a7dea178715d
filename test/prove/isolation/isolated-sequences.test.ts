import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Result } from "../../support/harness.ts";
import { figures, seed, seededRandom, size } from "../size.ts";
import { assertSameRows } from "./database-rows.ts";
import { RandomClient, type Step } from "./random-client.ts";
import { openShared, type SharedFile } from "./shared-database.ts";
import { addArchived, addEvents, textsOf } from "./tenant-texts.ts";
import { one, others, type TestTenant } from "./tenants.ts";

/**
 * Three tenants each send a random sequence of requests: once alone in a database, and once together at the same time.
 * Two of them have records with the same IDs, and two have the same texts. Every response and every row must be the
 * same as in the database of one tenant.
 */

const tenants: readonly TestTenant[] = [others.twin, others.namesake, one];
const sequences = size(8, 400);
const rounds = 60;
const counted = { sequences: 0, requests: 0, "of them successful": 0, "retried with an Idempotency-Key": 0 };

const together = await openShared(tenants, { limited: true });
const alone: SharedFile[] = [];
for (const each of tenants) alone.push(await openShared([each], { limited: true }));
const files = [together, ...alone];
after(() => Promise.all(files.map((file) => file.close())));
for (const [index, each] of tenants.entries()) {
  for (const file of [together, alone[index]] as SharedFile[]) {
    await addArchived(file, each);
    await addEvents(file, each);
  }
}
for (const file of files) file.keep();

/** Runs a sequence. Each round sends one request of each tenant, first alone, then all at the same time. */
async function runSequence(number: number): Promise<void> {
  for (const file of files) file.restore();
  const clients = tenants.map((tenant, index) => {
    const file = alone[index] as SharedFile;
    return new RandomClient(file, tenant, textsOf(file, tenant), seededRandom(seed + number * 10 + index));
  });
  const past: Step[] = [];
  for (let round = 0; round < rounds; round++) {
    const steps = await Promise.all(clients.map((client) => client.next(past)));
    past.push(...steps);
    for (const { clock } of files) clock.advance(1_000);
    const expected = await Promise.all(steps.map((step, index) => take(alone[index] as SharedFile, step, index)));
    const got = await Promise.all(steps.map((step, index) => take(together, step, index)));
    for (const [index, step] of steps.entries()) {
      const [single, among] = [expected[index] as Result, got[index] as Result];
      assert.deepEqual(
        seen(among),
        seen(single),
        `FC_SEED=${seed}, sequence ${number}, round ${round}, tenant ${index}: ${description(step)}`,
      );
      assert.ok(single.status < 500, `${description(step)}: ${single.text}`);
      clients[index]?.remember(step, single);
      count(step, single);
    }
  }
  for (const [index, { id }] of tenants.entries()) {
    const [among, single] = [together, alone[index] as SharedFile].map(({ watched }) =>
      watched.contents({ tenant: id }).map(withoutUse),
    );
    assertSameRows(among ?? [], single ?? [], `FC_SEED=${seed}, sequence ${number}: rows of tenant ${index}`);
  }
}

/** The last use of an API key is written in the background, after the response. */
function withoutUse(row: string): string {
  return row.replace(/"last_used_at":\d+/, '"last_used_at":0');
}

function take(file: SharedFile, { call, credential }: Step, index: number): Promise<Result> {
  return file.call(call, tenants[index] as TestTenant, credential);
}

function seen({ status, headers, text }: Result): unknown {
  return { status, headers: Object.fromEntries(headers), text };
}

function description({ call: { endpoint, ...sent } }: Step): string {
  return `${endpoint.name} ${JSON.stringify(sent)}`;
}

const succeeded = new Set<string>();

function count({ call }: Step, { status, headers }: Result): void {
  counted.requests++;
  if (status < 300) counted["of them successful"]++;
  if (headers.has("idempotent-replayed")) counted["retried with an Idempotency-Key"]++;
  if (status < 300) succeeded.add(call.endpoint.name);
}

test("a tenant gets the same responses and stores the same records with and without other tenants", {
  timeout: 1_200_000,
}, async (t) => {
  const never = () => together.api.endpoints.map(({ name }) => name).filter((name) => !succeeded.has(name));
  // A few sequences can miss an operation by chance. More are added until all were called.
  for (let number = 0; number < sequences || (never().length > 0 && number < 10 * sequences); number++) {
    await runSequence(number);
    counted.sequences++;
    // The limits are per minute, so the next sequence begins with full ones.
    for (const { clock } of files) clock.advance(60_000);
  }
  assert.deepEqual(never(), [], "every endpoint was called with success");
  figures(t, "isolated-sequences", counted);
});
