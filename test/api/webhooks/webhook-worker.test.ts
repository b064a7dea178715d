import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createApi, type Storage, type WebhookFetch, wrapStorage } from "../../../lib/index.ts";
import { one } from "../../support/crm.ts";
import { freshStorage } from "../../support/storages.ts";
import { webhookCrm } from "../../support/webhooks.ts";

/** Returns a storage that records the names of its calls with their tenants. `next` waits for another call. */
function recorded(storage: Storage) {
  const calls: string[] = [];
  const waiting = new Map<string, () => void>();
  const record = (name: string, tenant = ""): void => {
    calls.push(`${name} ${tenant}`.trim());
    waiting.get(name)?.();
    waiting.delete(name);
  };
  const spied = wrapStorage(storage, {
    webhookClocks: () => {
      record("webhookClocks");
      return storage.webhookClocks();
    },
    list: (tenant, kind, query) => {
      record(`list ${kind}`, tenant);
      return storage.list(tenant, kind, query);
    },
    get: (tenant, kind, id) => {
      record(`get ${kind}`, tenant);
      return storage.get(tenant, kind, id);
    },
    settingsVersion: (tenant) => {
      record("settingsVersion", tenant);
      return storage.settingsVersion(tenant);
    },
    eventsFrom: (tenant) => {
      record("eventsFrom", tenant);
      return storage.eventsFrom(tenant);
    },
    listTenants: () => {
      record("listTenants");
      return storage.listTenants();
    },
  });
  const next = (name: string) => new Promise<void>((resolve) => waiting.set(name, resolve));
  return { storage: spied, calls, next };
}

/** Starts the delivery of another server of the same database. */
async function deliveringServer() {
  const storage = await freshStorage();
  const crm = await webhookCrm({}, { storage });
  const spied = recorded(storage);
  const arrivals: string[] = [];
  let arrived = Promise.withResolvers<void>();
  const fetch: WebhookFetch = async (_, { body }) => {
    arrivals.push(JSON.parse(body).type);
    arrived.resolve();
    return { status: 204 };
  };
  const server = createApi({ storage: spied.storage, clock: crm.clock, webhooks: { fetch } });
  after(() => server.close());
  const nextArrival = (): Promise<void> => {
    arrived = Promise.withResolvers();
    return arrived.promise;
  };
  return { crm, server, spied, arrivals, nextArrival };
}

test("webhooks, changes of webhooks and events of other servers are noticed within a second", async (t) => {
  const { crm, server, spied, arrivals, nextArrival } = await deliveringServer();
  const running = server.deliverWebhooks();
  t.after(() => running.stop());
  const first = nextArrival();
  const { id } = await crm.createHook();
  await crm.create("/tasks", { title: "a" });
  await first;
  const second = nextArrival();
  await crm.create("/tasks", { title: "b" });
  await second;
  await crm.call("PATCH", `/webhooks/${id}`, { active: false });
  await crm.create("/tasks", { title: "c" });
  await spied.next("webhookClocks");
  await spied.next("webhookClocks");
  assert.deepEqual(arrivals, ["task.created", "task.created"]);
});

test("without commits, a look for new events is one read for all tenants", async (t) => {
  const { crm, server, spied, nextArrival } = await deliveringServer();
  await crm.createHook();
  const arrival = nextArrival();
  const running = server.deliverWebhooks();
  t.after(() => running.stop());
  await crm.create("/tasks", { title: "a" });
  await arrival;
  await spied.next("webhookClocks");
  await spied.next("webhookClocks");
  spied.calls.length = 0;
  await spied.next("webhookClocks");
  await spied.next("webhookClocks");
  assert.deepEqual(spied.calls, ["webhookClocks", "webhookClocks"]);
});

test("the position moves over events that a webhook doesn't want, and is stored after a minute without commits", async (t) => {
  const { crm, server, spied } = await deliveringServer();
  const { id } = await crm.createHook({ types: ["account.*"] });
  const running = server.deliverWebhooks();
  t.after(() => running.stop());
  await crm.create("/tasks", { title: "a" });
  const [event] = (await crm.storage.list(one.id, "event", {})).slice(-1);
  for (let looks = 0; looks < 2; looks++) await spied.next("webhookClocks");
  crm.clock.advance(61_000);
  for (let looks = 0; looks < 2; looks++) await spied.next("webhookClocks");
  const state = await crm.storage.get(one.id, "webhookState", id);
  assert.equal(state?.positionAt, (event?.updatedAt ?? 0) + 1);
});

test("a position that a request sets on another server is delivered from, without further events", async (t) => {
  const { crm, server, spied, arrivals, nextArrival } = await deliveringServer();
  const { id, createdAt } = await crm.createHook();
  const running = server.deliverWebhooks();
  t.after(() => running.stop());
  const first = nextArrival();
  await crm.create("/tasks", { title: "a" });
  await first;
  for (let looks = 0; looks < 2; looks++) await spied.next("webhookClocks");
  const again = nextArrival();
  await crm.call("PATCH", `/webhooks/${id}`, { position: { since: createdAt } });
  await again;
  assert.deepEqual(arrivals, ["task.created", "task.created"]);
});
