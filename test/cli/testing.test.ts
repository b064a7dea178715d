import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createClient } from "../../lib/client/index.ts";
import { scopes } from "../../lib/model/integration.ts";
import { startTestCrm, type TestCrm } from "../../lib/testing/index.ts";
import { run } from "../support/serve-demo.ts";

const crms: TestCrm[] = [];
after(() => Promise.all(crms.map((crm) => crm.close())));

/** Starts a CRM that is closed after the tests. */
async function start(...options: Parameters<typeof startTestCrm>): Promise<TestCrm> {
  const crm = await startTestCrm(...options);
  crms.push(crm);
  return crm;
}

async function titles({ client }: TestCrm): Promise<string[]> {
  const found: string[] = [];
  for await (const { title } of client.tasks.list().records()) found.push(title);
  return found;
}

/** Returns everything that a client can observe in a short scenario. */
async function observe(crm: TestCrm): Promise<unknown> {
  const { client, clock } = crm;
  const task = await client.tasks.create({ title: "Call" });
  clock.advance(90_000);
  const account = await client.accounts.create({ name: "Acme", customFields: { segment: "SMB" } });
  const cursors: (string | null)[] = [];
  for await (const { nextCursor } of client.accounts.list({ limit: 1 })) cursors.push(nextCursor);
  const notFound = await crm.fetch("/integrations/v1/none");
  return [task, account, cursors, [...notFound.headers], await notFound.json()];
}

test("startTestCrm produces the same IDs, times, cursors and API keys in every run", async () => {
  const fixtures = { tenant: { id: "0194343c-0001-7000-8000-000000000000", name: "Mine" } };
  const [one, same, other] = [
    await start({ fixtures }),
    await start({ fixtures: [fixtures] }),
    await start({ fixtures, now: "2027-02-01T00:00:00+01:00" }),
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
  const [demo, again] = [await start({ fixtures: "demo" }), await start({ fixtures: "demo" })];
  assert.deepEqual(await observe(demo), await observe(again));
});

test("fixtures defaults to minimal and accepts names, paths, content and lists", async () => {
  const minimal = await start();
  const task = await minimal.client.tasks.create({ title: "Call" });
  assert.equal(task.createdAt.slice(0, 19), "2027-01-04T09:00:00");
  const two = await start({ fixtures: ["two-tenants", "fixtures/custom-fields.json"] });
  assert.equal(new Set(two.keys.map(({ tenant }) => tenant)).size, 3);
  await assert.rejects(startTestCrm({ fixtures: "none" }), {
    name: "TenantFileError",
    message: "The tenant file none can't be read: no such file or directory.",
  });
  await assert.rejects(startTestCrm({ fixtures: {} }), /^TenantFileError: fixtures: The tenant file has 1 error/);
  await assert.rejects(startTestCrm({ fixtures: [] }), /^TypeError: fixtures is empty\./);
  await assert.rejects(startTestCrm({ now: "yesterday" }), /^RangeError: yesterday isn't a valid time\./);
});

test("startTestCrm responds in process and over HTTP, and marks every response with x-crm-fixtures", async () => {
  const crm = await start({ fixtures: "demo" });
  assert.equal(crm.baseUrl, `${crm.url}/integrations/v1`);
  for (const send of [crm.fetch, fetch]) {
    const key = crm.keys.find(({ integration }) => integration === "Wallboard")?.key ?? "";
    const response = await send(`${crm.baseUrl}/me`, { headers: { "x-api-key": key } });
    const { data } = (await response.json()) as { data: { scopes: unknown } };
    assert.deepEqual([response.headers.get("x-crm-fixtures"), data.scopes], ["in-memory", ["tasks:read"]]);
  }
  assert.deepEqual([...(await crm.client.me()).scopes].sort(), [...scopes].sort());
  const controller = new AbortController();
  const { fetch: detachedFetch } = crm;
  const pending = detachedFetch("/integrations/v1/me", { signal: controller.signal });
  controller.abort(new Error("enough"));
  await assert.rejects(pending, { message: "enough" });
});

test("reset restores records, IDs, clock and rate limits, and clears faults and requests", async () => {
  const crm = await start({ rateLimit: 4 });
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
  assert.equal(crm.clock.now(), Date.parse("2027-01-04T09:01:00Z"), "the client advances the clock instead of waiting");
});

test("restore returns to a snapshot repeatedly, and reset to the initial state", async () => {
  const crm = await start();
  await crm.client.tasks.create({ title: "Saved" });
  await crm.idle();
  const saved = crm.snapshot();
  const next = await crm.client.tasks.create({ title: "Later" });
  for (let time = 0; time < 2; time++) {
    crm.clock.advance(60_000);
    await crm.restore(saved);
    assert.deepEqual(await titles(crm), ["Saved"]);
    await crm.restore(saved);
    assert.deepEqual(await crm.client.tasks.create({ title: "Later" }), next);
  }
  await crm.reset();
  assert.deepEqual(await titles(crm), []);
});

test("a request that runs during reset completes in the previous state", async () => {
  const crm = await start();
  const lost = crm.client.tasks.create({ title: "Running" });
  await crm.reset();
  assert.equal((await lost).title, "Running");
  assert.deepEqual(await titles(crm), []);
});

test("startTestCrm without close() lets the process exit", async () => {
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

test("crm.fetch returns no body for HEAD", async () => {
  const crm = await start();
  const headers = { "x-api-key": crm.keys[0]?.key ?? "" };
  for (const [path, status] of [
    ["/integrations/v1/me", 200],
    ["/integrations/v1/nothing", 404],
  ] as const) {
    const response = await crm.fetch(path, { method: "HEAD", headers });
    assert.deepEqual([response.status, await response.text()], [status, ""]);
  }
});
