import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { hashKey } from "../../lib/auth/api-key.ts";
import { signAdminToken } from "../../lib/index.ts";
import { scopes } from "../../lib/model/integration.ts";
import { quiet, startCommand } from "../support/program.ts";
import { testedStorage } from "../support/storages.ts";
import { tenantFile, testTenant } from "../support/tenants.ts";
import { Client, type Post, type World } from "./once-client.ts";
import { assertOneAnswer, assertOneRecordEach, type Ending, endingOf, repeatable } from "./once-ending.ts";
import { Follower } from "./once-follower.ts";
import { builtPrograms, Fleet, type Moment } from "./once-program.ts";
import { customFields, work } from "./once-work.ts";
import { servedPlace, serverCounts } from "./served-place.ts";
import { dice, figures, seed, size } from "./size.ts";

const kills = size(16, 500);
/** Each an integration of its own, with two keys that it uses in turn. */
const clients = [11, 12, 13, 14, 15, 16, 17, 18].map((number) => testTenant(number));
const readers = [21, 22, 23, 24, 25, 26].map((number) => testTenant(number));
const one = testTenant(1);
/** Whose keys the administrators exchange, again and again. */
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

/** The records of the file, which nobody changes. */
const before = [one.account, one.archivedAccount, one.contact, one.opportunity, one.task, one.archivedTask];

/** Who sends POSTs, and as whom. */
type Caller = { readonly client: Client; readonly credentials: readonly Readonly<Record<string, string>>[] };

type Begun = Awaited<ReturnType<typeof begin>>;

/** A place with nothing in it, the servers that will be killed there, and all who call them. */
async function begin(t: TestContext, count: number) {
  const stop = new AbortController();
  t.after(() => stop.abort());
  const folder = mkdtempSync(join(tmpdir(), "crm-once-"));
  const place = await servedPlace(folder);
  writeFileSync(join(folder, "tenant.json"), JSON.stringify(file));
  const built = await builtPrograms(folder);
  let life = 0;
  const fixtures = ["--fixtures", join(folder, "tenant.json")];
  const args = ["serve", ...place.args, ...fixtures, "--listen", "127.0.0.1:0", "--json"];
  const start = () => {
    const { command, options } = built[life++ % 2] ?? assert.fail();
    return startCommand(t, [...command, ...args, ...quiet], options);
  };
  const lives = new Fleet(count, start, dice(seed + 12));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { adminAuth } = place;
  const issuedAt = Math.floor(Date.now() / 1000);
  const times = { issuedAt, expiresAt: issuedAt + 24 * 60 * 60 };
  const token = await signAdminToken(adminAuth, { tenantId: one.id, userId: one.admin }, times);
  const world = (number: number): World => ({ lives, roll: dice(seed + number), signal: stop.signal });
  const caller = (number: number, credentials: Caller["credentials"]): Caller => {
    return { client: new Client(world(number), credentials), credentials };
  };
  const writers = clients.map(({ key, secondKey }, index) =>
    caller(index, [{ "x-api-key": key }, { authorization: `Bearer ${secondKey}` }]),
  );
  const administrators = [8, 9].map((number) => caller(number, [{ authorization: `Bearer ${token}` }]));
  const follower = new Follower(
    world(10),
    readers.flatMap(({ key, secondKey }) => [key, secondKey]),
  );
  return { place, lives, signal: stop.signal, writers, administrators, follower };
}

/** Exchanges keys under a new Idempotency-Key each, and looks after each time how many may be used. */
async function exchangeKeys(client: Client, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await client.post("/integrations/api-key/generate", { integrationId: exchanged.integration, rotate: true });
    const { status, text } = await client.insist("GET", "/integrations/api-key");
    assert.equal(status, 200, text);
    const keys: { integrationId: string; status: string }[] = JSON.parse(text).data;
    const usable = keys.filter((key) => key.integrationId === exchanged.integration && key.status === "active");
    assert.equal(usable.length, 2);
  }
}

/** A key for each POST and no more, each with the value that was shown, two of them active. */
function assertOneKeyEach(posts: readonly Post[], { keys }: Ending): void {
  const own = keys.filter(({ integrationId }) => integrationId === exchanged.integration);
  const before = [exchanged.key, exchanged.secondKey].map(hashKey);
  const made = own.filter(({ hash }) => !before.includes(hash));
  assert.equal(own.length, made.length + 2);
  assert.equal(own.filter(({ revokedAt }) => revokedAt === null).length, 2);
  const ids = posts.map(({ answers }) => JSON.parse(answers[0]?.text ?? "").data.id);
  assert.deepEqual(made.map(({ id }) => id).sort(), ids.sort());
  for (const { text, replayed } of posts.flatMap(({ answers }) => answers)) {
    const { id, key } = JSON.parse(text).data;
    if (replayed) assert.equal(key, null);
    else assert.equal(hashKey(key), own.find((each) => each.id === id)?.hash);
  }
}

/** While it starts; while it works; or right when answers arrive, and others of the same commit are on their way. */
function momentOf(roll: () => number): Moment {
  const chance = roll();
  if (chance < 0.2) return { ms: roll() * 200 };
  return { answers: Math.floor(roll() * 80), ms: chance < 0.6 ? roll() * 30 : 0 };
}

/** Lets everyone work and the program be killed, up to a last life in which all get their answers. */
async function live({ place, lives, signal, writers, administrators, follower }: Begun): Promise<void> {
  let over = false;
  const isOver = (): boolean => over;
  const killing = async () => {
    const roll = dice(seed + 11);
    const last = await lives.live(kills, () => momentOf(roll), signal);
    over = true;
    return last;
  };
  const [last] = await Promise.all([
    killing(),
    ...writers.map(({ client }) => work(client, one.id, isOver)),
    ...administrators.map(({ client }) => exchangeKeys(client, isOver)),
    follower.follow(isOver),
  ]);
  await follower.finish();
  for (const { child } of last) child.kill("SIGTERM");
  for (const { ended } of last) assert.equal((await ended).code, 0);
  place.assertSound();
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
  const begun = await begin(t, count);
  await live(begun);
  const { place, lives, follower } = begun;
  const ending = await endingOf(await place.open(), one.id, one.key, place.adminAuth);
  t.after(() => ending.close());

  const callers = [...begun.writers, ...begun.administrators];
  const all = callers.flatMap(({ client }) => client.posts);
  for (const post of all) assertOneAnswer(post);
  assertOneRecordEach(
    begun.writers.flatMap(({ client }) => client.posts),
    ending.records,
    before,
  );
  assertOneKeyEach(
    begun.administrators.flatMap(({ client }) => client.posts),
    ending,
  );
  assert.equal(ending.kept, all.length);
  for (const { client, credentials } of callers) {
    for (const post of client.posts) {
      const again = await ending.replay(post, credentials[0] ?? {});
      assert.deepEqual([repeatable(again), again.replayed], [repeatable(post.answers[0] ?? again), true]);
    }
  }
  // And the sync saw every record, as it was in the end, and none that is not there.
  const seen = [...follower.seen.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  assert.deepEqual(
    seen,
    ending.records.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  );

  const lost = all.filter(({ answers }) => answers.every(({ replayed }) => replayed));
  figures(t, "exactly-once", {
    ...(testedStorage === "sqlite" ? {} : { servers: count }),
    "kills with SIGKILL": kills,
    "of them while it started": lives.killedEarly,
    "POSTs under a key": all.length,
    "of them whose first answer was lost": lost.length,
    "broken connections": callers.reduce((sum, { client }) => sum + client.broken, 0),
    "pages of the sync": follower.pages,
    "done twice or lost": 0,
  });
}
