import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createClient } from "../lib/client/index.ts";
import { startTestCrm, type TestCrm } from "../lib/testing/index.ts";
import { run } from "./serve-demo.ts";

const crms: TestCrm[] = [];
after(() => Promise.all(crms.map((crm) => crm.close())));

/** One that is closed when the tests are over. */
async function started(...options: Parameters<typeof startTestCrm>): Promise<TestCrm> {
  const crm = await startTestCrm(...options);
  crms.push(crm);
  return crm;
}

async function titles({ client }: TestCrm): Promise<string[]> {
  const found: string[] = [];
  for await (const { title } of client.tasks.list().records()) found.push(title);
  return found;
}

/** Everything that somebody who calls it can see of a small story. */
async function story(crm: TestCrm): Promise<unknown> {
  const { client, clock } = crm;
  const task = await client.tasks.create({ title: "Call" });
  clock.advance(90_000);
  const account = await client.accounts.create({ name: "Acme", customFields: { segment: "SMB" } });
  const cursors: (string | null)[] = [];
  for await (const { nextCursor } of client.accounts.list({ limit: 1 })) cursors.push(nextCursor);
  const refused = await crm.fetch("/integrations/v1/none");
  return [task, account, cursors, [...refused.headers], await refused.json()];
}

test("a test that runs twice sees the same ids, times, cursors and keys", async () => {
  const fixtures = { tenant: { id: "0194343c-0001-7000-8000-000000000000", name: "Mine" } };
  const [one, same, other] = [
    await started({ fixtures }),
    await started({ fixtures: [fixtures] }),
    await started({ fixtures, now: "2027-02-01T00:00:00+01:00" }),
  ];
  for (const crm of [one, same, other]) {
    const [owner] = await crm.client.users.list();
    assert.equal(owner, undefined);
  }
  assert.match(one.keys[0]?.key ?? "", /^crm_test_/);
  assert.deepEqual([one.keys.length, one.keys], [1, same.keys]);
  const tasks = await Promise.all([one, same, other].map(({ client }) => client.tasks.create({ title: "Call" })));
  assert.deepEqual(tasks[0], tasks[1]);
  assert.equal(tasks[2]?.createdAt.slice(0, 19), "2027-01-31T23:00:00");
  const [demo, again] = [await started({ fixtures: "demo" }), await started({ fixtures: "demo" })];
  assert.deepEqual(await story(demo), await story(again));
});

test("what comes along is the default, and files can be named, given, and be several", async () => {
  const minimal = await started();
  const task = await minimal.client.tasks.create({ title: "Call" });
  assert.equal(task.createdAt.slice(0, 19), "2027-01-04T09:00:00");
  const two = await started({ fixtures: ["two-tenants", "fixtures/custom-fields.json"] });
  assert.equal(new Set(two.keys.map(({ tenant }) => tenant)).size, 3);
  await assert.rejects(startTestCrm({ fixtures: "none" }), {
    name: "TenantFileError",
    message: "The tenant file none cannot be read: ENOENT.",
  });
  await assert.rejects(startTestCrm({ fixtures: {} }), /^TenantFileError: fixtures: The tenant file has 1 fault/);
  await assert.rejects(startTestCrm({ fixtures: [] }), /^TypeError: fixtures names no tenant file;/);
  await assert.rejects(startTestCrm({ now: "yesterday" }), /^RangeError: yesterday is no moment/);
});

test("the same CRM answers in the process and over HTTP, to every key, and says that it is none for real", async () => {
  const crm = await started({ fixtures: "demo" });
  assert.equal(crm.baseUrl, `${crm.url}/integrations/v1`);
  for (const ask of [crm.fetch, fetch]) {
    const key = crm.keys.find(({ integration }) => integration === "Wallboard")?.key ?? "";
    const answer = await ask(`${crm.baseUrl}/me`, { headers: { "x-api-key": key } });
    const { data } = (await answer.json()) as { data: { scopes: unknown } };
    assert.deepEqual([answer.headers.get("x-crm-fixtures"), data.scopes], ["in-memory", ["tasks:read"]]);
  }
  assert.equal((await crm.client.me()).scopes.length, 10);
  const given = new AbortController();
  const { fetch: ask } = crm;
  const asking = ask("/integrations/v1/me", { signal: given.signal });
  given.abort(new Error("enough"));
  await assert.rejects(asking, { message: "enough" });
});

test("reset puts everything back: records, ids, time, rate, faults and requests", async () => {
  const crm = await started({ rateLimit: 4 });
  const first = await crm.client.tasks.create({ title: "First" });
  crm.clock.advance(3_600_000);
  await crm.client.tasks.create({ title: "Second" });
  crm.clock.set(new Date("2030-01-01T00:00:00Z"));
  crm.faults.add({ status: 500 });
  await crm.reset();
  assert.deepEqual([crm.requests, crm.faults.pending, crm.clock.now()], [[], [], Date.parse("2027-01-04T09:00:00Z")]);
  assert.deepEqual(await crm.client.tasks.create({ title: "First" }), first);
  assert.deepEqual(await titles(crm), ["First"]);
  const limit = { baseUrl: crm.baseUrl, fetch: crm.fetch, apiKey: crm.keys[0]?.key ?? "", retries: 0 };
  await createClient(limit).me();
  await createClient(limit).me();
  await assert.rejects(createClient(limit).me(), { code: "rate_limited" });
  await crm.client.me();
  assert.equal(crm.clock.now(), Date.parse("2027-01-04T09:01:00Z"), "the client of a test waits by its clock");
});

test("restore goes back to a snapshot as often as wanted, and reset still to the beginning", async () => {
  const crm = await started();
  await crm.client.tasks.create({ title: "Kept" });
  const kept = crm.snapshot();
  const next = await crm.client.tasks.create({ title: "Later" });
  for (let time = 0; time < 2; time++) {
    crm.clock.advance(60_000);
    await crm.restore(kept);
    assert.deepEqual(await titles(crm), ["Kept"]);
    await crm.restore(kept);
    assert.deepEqual(await crm.client.tasks.create({ title: "Later" }), next);
  }
  await crm.reset();
  assert.deepEqual(await titles(crm), []);
});

test("what is under way when it is put back ends where it began, and nothing of it is seen", async () => {
  const crm = await started();
  const lost = crm.client.tasks.create({ title: "Under way" });
  await crm.reset();
  assert.equal((await lost).title, "Under way");
  assert.deepEqual(await titles(crm), []);
});

test("it is quick to start and to reset", async (t) => {
  const figures = [];
  for (const fixtures of ["minimal", "demo", "sync-torture"]) {
    const began = performance.now();
    const crm = await started({ fixtures });
    const startMs = performance.now() - began;
    const resets: number[] = [];
    for (let time = 0; time < 20; time++) {
      await crm.client.me();
      const before = performance.now();
      await crm.reset();
      resets.push(performance.now() - before);
    }
    const median = resets.sort((a, b) => a - b)[10];
    figures.push(`${fixtures}: started in ${startMs.toFixed(1)} ms, reset in ${median?.toFixed(1)} ms`);
  }
  for (const figure of figures) t.diagnostic(figure);
});

test("one that nobody closes keeps no process alive", async () => {
  const program = `
    import { startTestCrm } from "./lib/testing/index.ts";
    const crm = await startTestCrm();
    const { status } = await fetch(crm.baseUrl + "/me");
    process.stdout.write(String(status));`;
  const { code, stdout, stderr } = await run(process.execPath, [
    "--import",
    "tsx",
    "--input-type=module",
    "-e",
    program,
  ]);
  assert.deepEqual([code, stdout, stderr], [0, "401", ""]);
});

test("crm.fetch returns no body for HEAD, as a server does", async () => {
  const crm = await started();
  const headers = { "x-api-key": crm.keys[0]?.key ?? "" };
  for (const [path, status] of [
    ["/integrations/v1/me", 200],
    ["/integrations/v1/nothing", 404],
  ] as const) {
    const response = await crm.fetch(path, { method: "HEAD", headers });
    assert.deepEqual([response.status, await response.text()], [status, ""]);
  }
});
