import assert from "node:assert/strict";
import { test } from "node:test";
import { createApi } from "../../lib/index.ts";
import { models } from "../../lib/model/kinds.ts";
import { type Model, toJsonObject } from "../../lib/model/model.ts";
import { loadTenantFile } from "../../lib/tenant-file/index.ts";
import { send, TestClock } from "../support/harness.ts";
import { freshStorage } from "../support/storages.ts";
import { edited, fixture, issuesOf, listIn, load, recordsOf, valueAt } from "../support/tenant-file-edit.ts";

const demo = fixture("demo");
const second = fixture("second");
const demoId = String(valueAt(demo, "/tenant/id"));
const secondId = String(valueAt(second, "/tenant/id"));
const demoKey = String(valueAt(demo, "/integrations/0/keys/0/key"));
const secondKey = String(valueAt(second, "/integrations/0/keys/0/key"));

/** Ids in the order of every list. */
function idsInOrder(entries: readonly Readonly<Record<string, unknown>>[]): unknown[] {
  const order = entries.toSorted((a, b) => (`${a.updatedAt} ${a.id}` < `${b.updatedAt} ${b.id}` ? -1 : 1));
  return order.map(({ id }) => id);
}

test("loadTenantFile() loads every record of the demo fixture", async () => {
  const storage = await freshStorage();
  await load(storage, demo);
  const counts = Object.entries(await recordsOf(storage, demoId)).map(([kind, records]) => [kind, records.length]);
  assert.deepEqual(Object.fromEntries(counts), {
    tenant: 1,
    user: 5,
    pipeline: 2,
    stage: 9,
    customField: 16,
    rule: 2,
    integration: 3,
    apiKey: 3,
    grant: 1,
    account: 30,
    contact: 60,
    opportunity: 40,
    task: 80,
    note: 7,
    idempotencyRecord: 0,
    event: 0,
    webhook: 0,
    webhookState: 0,
    consoleAccess: 0,
  });
  await storage.close();
});

test("loadTenantFile() returns the tenant and the API keys in plain text", async () => {
  const storage = await freshStorage();
  const integrations = listIn(demo, "integrations");
  assert.deepEqual(await load(storage, demo), {
    created: true,
    tenantId: demoId,
    name: "Fjordlys Coffee Equipment",
    keys: [0, 1, 2].map((index) => ({
      tenant: demoId,
      integration: ["ERP sync", "Wallboard", "Website form"][index],
      key: valueAt(demo, `/integrations/${index}/keys/0/key`),
      scopes: integrations[index]?.scopes,
      revoked: index === 2,
    })),
  });
  await storage.close();
});

test("loadTenantFile() doesn't change an existing tenant and returns created: false", async () => {
  const storage = await freshStorage();
  const { keys } = await load(storage, second);
  const before = await recordsOf(storage, secondId);
  const other = edited(second, {
    "/tenant/name": "Renamed",
    "/accounts/3": { name: "New" },
    "/tasks/0/title": "Other",
  });
  assert.deepEqual(await load(storage, other), { created: false, tenantId: secondId, name: "Renamed", keys });
  assert.deepEqual(await recordsOf(storage, secondId), before);
  await storage.close();
});

test("two concurrent loads of a file create the tenant once", async () => {
  const storage = await freshStorage();
  const loaded = await Promise.all([load(storage, second), load(storage, second)]);
  assert.deepEqual(loaded.map(({ created }) => created).toSorted(), [false, true]);
  await storage.close();
});

for (const method of ["get", "findApiKey"] as const) {
  test(`a load returns a tenant that another load creates during its first ${method}()`, async () => {
    const storage = await freshStorage();
    let isFirst = true;
    const racing = new Proxy(storage, {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        if (name !== method) return member.bind(target);
        return async (...args: unknown[]) => {
          const found = await member.apply(target, args);
          if (isFirst) {
            isFirst = false;
            await load(target, second);
          }
          return found;
        };
      },
    });
    assert.equal((await load(racing, second)).created, false);
    await storage.close();
  });
}

test("of two concurrent loads with the same API key, one succeeds and the other leaves nothing", async () => {
  const storage = await freshStorage();
  const file = edited(second, { "/integrations/0/keys/0/key": demoKey });
  const loads = await Promise.allSettled([load(storage, demo), load(storage, file)]);
  assert.deepEqual(loads.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  const rejectedId = loads[0].status === "rejected" ? demoId : secondId;
  assert.deepEqual(Object.values(await recordsOf(storage, rejectedId)).flat(), []);
  await storage.close();
});

test("loadTenantFile() stores fields and times as in the file", async () => {
  const storage = await freshStorage();
  await load(storage, demo);
  for (const kind of ["user", "customField", "rule", "grant", "contact", "opportunity", "task", "note"] as const) {
    const model: Model = models[kind];
    const list = model.plural.replace("custom_fields", "customFields");
    const records = await storage.list(demoId, kind, { includeArchived: true });
    const shown = new Map(records.map((record) => [String(record.id), toJsonObject(model, record)]));
    for (const entry of listIn(demo, list)) {
      const shownValues = Object.keys(entry).map((name) => [name, shown.get(String(entry.id))?.[name]]);
      assert.deepEqual(Object.fromEntries(shownValues), entry);
    }
  }
  await storage.close();
});

test("the next commit is later than the newest time in the file", async () => {
  const storage = await freshStorage();
  await load(storage, demo);
  const updates = Object.values(await recordsOf(storage, demoId)).flat() as { updatedAt: number }[];
  const last = Math.max(...updates.map(({ updatedAt }) => updatedAt));
  const clock = new TestClock();
  assert.equal(clock.now() < last, true);
  let next: number | undefined;
  await storage.commit(demoId, clock.now(), (at) => {
    next = at;
    return [];
  });
  assert.equal(next, last + 1);
  await storage.close();
});

test("loadTenantFile() uses the current time for omitted times", async () => {
  const storage = await freshStorage();
  const now = new TestClock().now();
  const file = edited(second, {
    "/opportunities/0/createdAt": undefined,
    "/opportunities/0/updatedAt": undefined,
    "/opportunities/0/closedAt": undefined,
    "/opportunities/0/stageChangedAt": undefined,
  });
  await load(storage, file);
  const record = await storage.get(secondId, "opportunity", String(valueAt(second, "/opportunities/0/id")));
  const { createdAt, updatedAt, closedAt, stageChangedAt } = record ?? {};
  assert.deepEqual([createdAt, updatedAt, closedAt, stageChangedAt], [now, now, now, now]);
  await storage.close();
});

test("loadTenantFile() rejects an API key of another tenant", async () => {
  const storage = await freshStorage();
  await load(storage, demo);
  const file = edited(second, { "/integrations/0/keys/0/key": demoKey });
  const message = "/integrations/0/keys/0/key not_an_option: The database already contains this API key.";
  assert.deepEqual(await issuesOf(storage, file), [message]);
  assert.deepEqual(Object.values(await recordsOf(storage, secondId)).flat(), []);
  assert.deepEqual(await issuesOf(storage, second), []);
  await storage.close();
});

test("two tenants can have the same names and email addresses", async () => {
  const storage = await freshStorage();
  await load(storage, demo);
  await load(storage, second);
  const idsOf = async (tenant: string) => {
    const accounts = await storage.list(tenant, "account", { where: { name: "café lindqvist ab" } });
    const contacts = await storage.list(tenant, "contact", { where: { email: "ASA.lindqvist@lindqvist.example" } });
    return [...accounts, ...contacts].map(({ id }) => id);
  };
  const expected = (file: unknown) => [valueAt(file, "/accounts/0/id"), valueAt(file, "/contacts/0/id")];
  assert.deepEqual(await idsOf(demoId), expected(demo));
  assert.deepEqual(await idsOf(secondId), expected(second));
  await storage.close();
});

test("an API key lists only the tasks of its own tenant", async () => {
  const storage = await freshStorage();
  await load(storage, demo);
  await load(storage, second);
  const api = createApi({ storage, clock: new TestClock() });
  const tasksOf = async (key: string, filter: string) => {
    const { body } = await send(api, "GET", `/tasks?limit=200&includeArchived=true${filter}`, { key });
    return listIn(body, "data").map(({ id }) => id);
  };
  assert.deepEqual(await tasksOf(demoKey, ""), idsInOrder(listIn(demo, "tasks")));
  assert.deepEqual(await tasksOf(secondKey, ""), idsInOrder(listIn(second, "tasks")));
  const foreign = valueAt(demo, "/tasks/0/relatedTo/id");
  assert.deepEqual(await tasksOf(secondKey, `&relatedToId=${foreign}`), []);
  await api.close();
});

test("loadTenantFile(storage, file) uses the system clock and generates IDs", async () => {
  const storage = await freshStorage();
  const file = { tenant: { id: demoId, name: "Acme" }, users: [{ name: "Ada", email: "ada@acme.example" }] };
  const before = Date.now();
  const { created } = await loadTenantFile(storage, file);
  const [user] = await storage.list(demoId, "user", {});
  assert.deepEqual([created, user?.name], [true, "Ada"]);
  assert.match(user?.id ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  assert.ok((user?.createdAt ?? 0) >= before && (user?.createdAt ?? 0) <= Date.now() + 1_000);
});
