import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { hashKey } from "../../../lib/auth/api-key.ts";
import { signAdminToken } from "../../../lib/index.ts";
import { scopes } from "../../../lib/model/integration.ts";
import { quiet, startCommand } from "../../support/program.ts";
import { testedStorage } from "../../support/storages.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";
import { createServedStorage, serverCounts } from "../served-storage.ts";
import { figures, seed, seededRandom, size } from "../size.ts";
import { Client, type ClientOptions, type Post } from "./client.ts";
import { assertOneRecordEach, assertOneResponse, type FinalState, readFinalState, repeatable } from "./final-state.ts";
import { builtPrograms, type KillTime, ServerGroup } from "./program-builds.ts";
import { Follower } from "./sync-client.ts";
import { customFields, work } from "./workload.ts";

const kills = size(16, 500);
/** Each client is an integration with two API keys that it uses in turn. */
const clients = [11, 12, 13, 14, 15, 16, 17, 18].map((number) => testTenant(number));
const readers = [21, 22, 23, 24, 25, 26].map((number) => testTenant(number));
const one = testTenant(1);
/** The integration whose API keys the admins rotate. */
const exchanged = testTenant(31);

const file = {
  ...tenantFile(one),
  customFields,
  integrations: [one, exchanged, ...clients, ...readers].map(({ integration, key, secondKey }, index) => ({
    id: integration,
    name: `Client ${index}`,
    scopes: [...scopes],
    keys: [{ key }, { key: secondKey }],
  })),
};

/** The records of the tenant file, which no client changes. */
const before = [one.account, one.archivedAccount, one.contact, one.opportunity, one.task, one.archivedTask, one.note];

/** A client and its credentials. */
type Caller = { readonly client: Client; readonly credentials: readonly Readonly<Record<string, string>>[] };

type Setup = Awaited<ReturnType<typeof begin>>;

/** An empty database, the servers that will be killed, and all clients. */
async function begin(t: TestContext, count: number) {
  const stop = new AbortController();
  t.after(() => stop.abort());
  const folder = mkdtempSync(join(tmpdir(), "crm-once-"));
  const storage = await createServedStorage(folder);
  writeFileSync(join(folder, "tenant.json"), JSON.stringify(file));
  const built = await builtPrograms(folder);
  let life = 0;
  const fixtures = ["--fixtures", join(folder, "tenant.json")];
  const args = ["serve", ...storage.args, ...fixtures, "--listen", "127.0.0.1:0", "--json"];
  const start = () => {
    const { command, options } = built[life++ % 2] ?? assert.fail();
    return startCommand(t, [...command, ...args, ...quiet], options);
  };
  const servers = new ServerGroup(count, start, seededRandom(seed + 12));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { adminAuth } = storage;
  const issuedAt = Math.floor(Date.now() / 1000);
  const times = { issuedAt, expiresAt: issuedAt + 24 * 60 * 60 };
  const token = await signAdminToken(adminAuth, { tenantId: one.id, userId: one.admin }, times);
  const optionsOf = (number: number): ClientOptions => ({
    servers,
    random: seededRandom(seed + number),
    signal: stop.signal,
  });
  const caller = (number: number, credentials: Caller["credentials"]): Caller => {
    return { client: new Client(optionsOf(number), credentials), credentials };
  };
  const writers = clients.map(({ key, secondKey }, index) =>
    caller(index, [{ "x-api-key": key }, { authorization: `Bearer ${secondKey}` }]),
  );
  const admins = [8, 9].map((number) => caller(number, [{ authorization: `Bearer ${token}` }]));
  const follower = new Follower(
    optionsOf(10),
    readers.flatMap(({ key, secondKey }) => [key, secondKey]),
  );
  return { storage, servers, signal: stop.signal, writers, admins, follower };
}

/** Rotates API keys, each time with a new Idempotency-Key, and checks the number of active keys. */
async function exchangeKeys(client: Client, isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    await client.post("/integrations/api-key/generate", { integrationId: exchanged.integration, rotate: true });
    const { status, text } = await client.sendUntilResponse("GET", "/integrations/api-key");
    assert.equal(status, 200, text);
    const keys: { integrationId: string; status: string }[] = JSON.parse(text).data;
    const usable = keys.filter((key) => key.integrationId === exchanged.integration && key.status === "active");
    assert.equal(usable.length, 2);
  }
}

/** Asserts that each POST has created one API key, with the value in its response, and that two are active. */
function assertOneKeyEach(posts: readonly Post[], { keys }: FinalState): void {
  const own = keys.filter(({ integrationId }) => integrationId === exchanged.integration);
  const before = [exchanged.key, exchanged.secondKey].map(hashKey);
  const made = own.filter(({ hash }) => !before.includes(hash));
  assert.equal(own.length, made.length + 2);
  assert.equal(own.filter(({ revokedAt }) => revokedAt === null).length, 2);
  const ids = posts.map(({ responses }) => JSON.parse(responses[0]?.text ?? "").data.id);
  assert.deepEqual(made.map(({ id }) => id).sort(), ids.sort());
  for (const { text, replayed } of posts.flatMap(({ responses }) => responses)) {
    const { id, key } = JSON.parse(text).data;
    if (replayed) assert.equal(key, null);
    else assert.equal(hashKey(key), own.find((each) => each.id === id)?.hash);
  }
}

/**
 * Returns a time to kill a server: while it starts, while it works, or right after a response while others are pending.
 */
function randomKillTime(random: () => number): KillTime {
  const chance = random();
  if (chance < 0.2) return { ms: random() * 200 };
  return { responses: Math.floor(random() * 80), ms: chance < 0.6 ? random() * 30 : 0 };
}

/** Lets all clients work while the servers are killed. The last servers live until all have their responses. */
async function live({ storage, servers, signal, writers, admins, follower }: Setup): Promise<void> {
  let isFinished = false;
  const isDone = (): boolean => isFinished;
  const killing = async () => {
    const random = seededRandom(seed + 11);
    const last = await servers.live(kills, () => randomKillTime(random), signal);
    isFinished = true;
    return last;
  };
  const [last] = await Promise.all([
    killing(),
    ...writers.map(({ client }) => work(client, one.id, isDone)),
    ...admins.map(({ client }) => exchangeKeys(client, isDone)),
    follower.follow(isDone),
  ]);
  await follower.finish();
  for (const { child } of last) child.kill("SIGTERM");
  for (const { ended } of last) assert.equal((await ended).code, 0);
  storage.assertSound();
}

const killed = "each POST happens once, however often the program is killed";

if (testedStorage === "sqlite") test(killed, { timeout: size(300_000, 7_200_000) }, (t) => everyPostOnce(t, 1));
else {
  for (const count of serverCounts) {
    const many = `${killed}, with ${count} servers on one ${testedStorage}`;
    test(many, { timeout: size(300_000, 7_200_000) }, (t) => everyPostOnce(t, count));
  }
}

async function everyPostOnce(t: TestContext, count: number): Promise<void> {
  const setup = await begin(t, count);
  await live(setup);
  const { storage, servers, follower } = setup;
  const ending = await readFinalState(await storage.open(), one.id, one.key, storage.adminAuth);
  t.after(() => ending.close());

  const callers = [...setup.writers, ...setup.admins];
  const all = callers.flatMap(({ client }) => client.posts);
  for (const post of all) assertOneResponse(post);
  assertOneRecordEach(
    setup.writers.flatMap(({ client }) => client.posts),
    ending.records,
    before,
  );
  assertOneKeyEach(
    setup.admins.flatMap(({ client }) => client.posts),
    ending,
  );
  assert.equal(ending.storedResponses, all.length);
  for (const { client, credentials } of callers) {
    for (const post of client.posts) {
      const again = await ending.replay(post, credentials[0] ?? {});
      assert.deepEqual([repeatable(again), again.replayed], [repeatable(post.responses[0] ?? again), true]);
    }
  }
  // The sync has every record in its last version, and no others.
  const seen = [...follower.seen.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  assert.deepEqual(
    seen,
    ending.records.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  );

  const lost = all.filter(({ responses }) => responses.every(({ replayed }) => replayed));
  figures(t, "exactly-once", {
    ...(testedStorage === "sqlite" ? {} : { servers: count }),
    "kills with SIGKILL": kills,
    "of them while it started": servers.killedEarly,
    "POSTs under a key": all.length,
    "of them whose first response was lost": lost.length,
    "broken connections": callers.reduce((sum, { client }) => sum + client.broken, 0),
    "pages of the sync": follower.pages,
    "done twice or lost": 0,
  });
}
