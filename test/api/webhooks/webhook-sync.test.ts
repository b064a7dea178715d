import assert from "node:assert/strict";
import { test } from "node:test";
import type { Shown } from "../../support/crm.ts";
import { dataOf } from "../../support/responses.ts";
import { webhookCrm } from "../../support/webhooks.ts";

type Crm = Awaited<ReturnType<typeof webhookCrm>>;
/** IDs of the accounts of one CRM by those of the other. */
type Partners = Map<string, string>;

/** The fields that both systems have. */
const shared = ({ name, phone, description }: Shown) => ({ name, phone, description });

/** Lets the webhook of a CRM write to the other one, as a sync does. */
async function connect(from: Crm, to: Crm, partners: Partners, reverse: Partners, skipOwn: boolean): Promise<void> {
  await from.createHook({ types: ["account.*"], skipOwn });
  from.receivers.react = async ({ body }) => {
    const { record } = body.data;
    if (record === null) return 204;
    const partner = partners.get(record.id);
    if (partner !== undefined) {
      const { status } = await to.call("PATCH", `/accounts/${partner}`, shared(record));
      return status === 200 ? 204 : 500;
    }
    const { id } = await to.create("/accounts", shared(record));
    partners.set(record.id, id);
    reverse.set(id, record.id);
    return 204;
  };
}

/** Returns a function that writes accounts as another integration than the sync. */
async function otherWriter(crm: Crm) {
  const scopes = ["accounts:read", "accounts:write"];
  const created = await crm.admin("POST", "/admin/integrations", { body: { name: "Shop", scopes } });
  const { id: integrationId } = dataOf<Shown>(created, 201);
  const { key } = dataOf<{ key: string }>(
    await crm.admin("POST", "/api-key/generate", { body: { integrationId } }),
    201,
  );
  return async (method: string, path: string, body: object): Promise<Shown> => {
    crm.clock.advance(1_000);
    return dataOf<Shown>(await crm.send(method, path, { key, body }), method === "POST" ? 201 : 200);
  };
}

/** Opens two CRMs that sync both ways. `deliver` returns the number of messages of each. */
async function openPair(skipOwn: boolean) {
  const [left, right] = [await webhookCrm(), await webhookCrm()];
  const [toRight, toLeft]: Partners[] = [new Map(), new Map()];
  assert.ok(toRight && toLeft);
  await connect(left, right, toRight, toLeft, skipOwn);
  await connect(right, left, toLeft, toRight, skipOwn);
  const writers = [await otherWriter(left), await otherWriter(right)] as const;
  const deliver = async (): Promise<readonly number[]> => {
    const before = [left.delivered.length, right.delivered.length] as const;
    await left.deliver();
    await right.deliver();
    return [left.delivered.length - before[0], right.delivered.length - before[1]];
  };
  return { left, right, toRight, writers, deliver };
}

/** Returns the accounts of a CRM by ID. */
async function accountsOf(crm: Crm): Promise<ReadonlyMap<string, Shown>> {
  const accounts = dataOf<readonly Shown[]>(await crm.call("GET", "/accounts?limit=100"));
  return new Map(accounts.map((account) => [account.id, account]));
}

test("two CRMs that sync both ways with skipOwn come to rest after one message for each change", async () => {
  const { left, right, toRight, writers, deliver } = await openPair(true);
  const [writeLeft, writeRight] = writers;
  const first = await writeLeft("POST", "/accounts", { name: "Left company" });
  await writeRight("POST", "/accounts", { name: "Right company" });
  assert.deepEqual(await deliver(), [1, 1]);
  assert.deepEqual(await deliver(), [0, 0]);
  await writeLeft("PATCH", `/accounts/${first.id}`, { phone: "+47 22 33 44 55" });
  assert.deepEqual(await deliver(), [1, 0]);
  await writeRight("PATCH", `/accounts/${toRight.get(first.id)}`, { description: "From the right" });
  assert.deepEqual(await deliver(), [0, 1]);
  assert.deepEqual(await deliver(), [0, 0]);
  const [accounts, copies] = [await accountsOf(left), await accountsOf(right)];
  assert.equal(toRight.size, 2);
  for (const [id, copyId] of toRight) {
    const [account, copy] = [accounts.get(id), copies.get(copyId)];
    assert.ok(account && copy);
    assert.deepEqual(shared(account), shared(copy));
  }
});

test("without skipOwn, each write of a sync comes back as a message", async () => {
  const { writers, deliver } = await openPair(false);
  await writers[0]("POST", "/accounts", { name: "Left company" });
  assert.deepEqual(await deliver(), [1, 1]);
});
