import assert from "node:assert/strict";
import { test } from "node:test";
import { adminOf, crmWith } from "../../support/admin.ts";
import { one, openCrm, sales, two } from "../../support/crm.ts";
import type { Result } from "../../support/harness.ts";
import { dataOf, errorOf } from "../../support/responses.ts";
import { tenantFile } from "../../support/tenants.ts";

type Event = {
  readonly id: string;
  readonly type: string;
  readonly recordId: string;
  readonly changed: readonly string[] | null;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly keyId: string | null;
  readonly updatedAt: string;
};

const { call, create, clock, send, api, storage } = await openCrm();

/** Returns the events since the last call. */
let position = "";
async function newEvents(query = ""): Promise<readonly Event[]> {
  const result = await call("GET", `/events?limit=200&updatedSince=${position}${query}`);
  assert.equal(result.status, 200, result.text);
  position = result.headers.get("x-next-updated-since") ?? "";
  return (result.body as { data: Event[] }).data;
}
const summaryOf = ({ type, changed, before }: Event) => ({ type, changed, before });

test("a create, an update, an archive and a restore have one event each, with the caller and the request", async () => {
  await newEvents();
  const task = await create("/tasks", { title: "Call" });
  clock.advance(1_000);
  const headers = { "x-request-id": "order-17" };
  const body = { title: "Call back", dueDate: "2026-04-01T10:00:00+02:00" };
  const changed = dataOf(await send("PATCH", `/tasks/${task.id}`, { key: one.key, headers, body }));
  await call("DELETE", `/tasks/${task.id}`);
  const restored = dataOf(await call("POST", `/tasks/${task.id}/restore`));
  const [created, updated, archived, last] = await newEvents();
  assert.deepEqual(updated, {
    id: updated?.id,
    type: "task.updated",
    recordId: task.id,
    changed: ["title", "dueDate"],
    before: { title: "Call", dueDate: null },
    integrationId: one.integration,
    keyId: updated?.keyId,
    userId: null,
    requestId: "order-17",
    createdAt: changed.updatedAt,
    updatedAt: changed.updatedAt,
  });
  assert.match(String(updated?.keyId), /^[0-9a-f-]{36}$/);
  assert.deepEqual(summaryOf(created as Event), { type: "task.created", changed: null, before: null });
  assert.deepEqual(summaryOf(archived as Event), {
    type: "task.archived",
    changed: ["archivedAt"],
    before: { archivedAt: null },
  });
  assert.equal(last?.type, "task.restored");
  assert.equal(last.updatedAt, restored.updatedAt);
  assert.match(String(last.before?.archivedAt), /^2026-03-/);
  assert.match(created?.id ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("changes of a status or a stage have a type of their own", async () => {
  const opportunity = await create("/opportunities", { name: "Order", stageId: sales.lead });
  const task = await create("/tasks", { title: "Offer" });
  await newEvents();
  for (const body of [
    { stageId: sales.offer, amount: 5 },
    { status: "won" },
    { status: "lost", lostReason: "Price" },
    { status: "open", stageId: sales.contract },
    { amount: 6 },
  ])
    dataOf(await call("PATCH", `/opportunities/${opportunity.id}`, body));
  for (const status of ["completed", "pending", "canceled"])
    dataOf(await call("PATCH", `/tasks/${task.id}`, { status }));
  const events = await newEvents();
  assert.deepEqual(
    events.map(({ type }) => type),
    [
      ...["opportunity.stage_changed", "opportunity.won", "opportunity.lost", "opportunity.reopened"],
      ...["opportunity.updated", "task.completed", "task.reopened", "task.canceled"],
    ],
  );
  assert.deepEqual(events[2]?.changed, ["status", "lostReason", "closedAt"]);
  assert.deepEqual(events[0]?.before, {
    stageId: sales.lead,
    amount: null,
    stageChangedAt: opportunity.stageChangedAt,
  });
});

test("custom fields are compared by key, and long values are left out of before", async () => {
  const customFields = { note: "old", size: 5, lines: ["Beans"] };
  const account = await create("/accounts", { name: "Nord", description: "x".repeat(1_000), customFields });
  await newEvents();
  const change = {
    description: "short",
    customFields: { note: "new", size: null, since: "2026-01-01", lines: ["Beans"] },
  };
  dataOf(await call("PATCH", `/accounts/${account.id}`, change));
  const [event] = await newEvents();
  assert.deepEqual(summaryOf(event as Event), {
    type: "account.updated",
    changed: ["description", "customFields.note", "customFields.size", "customFields.since"],
    before: { "customFields.note": "old", "customFields.size": 5, "customFields.since": null },
  });
});

test("a batch has an event per record, and a replay, a dry run, a rejected or an unchanged request has none", async () => {
  const task = await create("/tasks", { title: "Same" });
  await newEvents();
  const counted = api.counts().events.task ?? 0;
  const operations = [
    { op: "create", data: { title: "One" } },
    { op: "update", id: task.id, data: { title: "Other" } },
    { op: "update", id: task.id, data: { title: "Twice" } },
  ];
  const headers = { "idempotency-key": "0197b0c4-5d2e-7f31-9a64-8e1f0c2b7d53" };
  for (const status of [207, 207]) {
    const result = await send("POST", "/tasks/batch", { key: one.key, headers, body: { operations } });
    assert.equal(result.status, status, result.text);
  }
  await send("POST", "/tasks", { key: one.key, headers: { prefer: "dry-run" }, body: { title: "Dry" } });
  await call("POST", "/tasks", { title: "" });
  dataOf(await call("PATCH", `/tasks/${task.id}`, { title: "Other" }));
  const events = await newEvents();
  assert.deepEqual(events.map(({ type }) => type).toSorted(), ["task.created", "task.updated"]);
  assert.equal(api.counts().events.task, counted + 2);
  assert.equal(new Set(events.map(({ updatedAt }) => updatedAt)).size, 1);
});

test("the events of an upsert and of a change that two requests make are those of their commits", async () => {
  await newEvents();
  const body = { name: "Ana", email: "ana@crm.test", externalId: "A-1" };
  for (const name of ["Ana", "Anna", "Anna"])
    await call("POST", "/contacts/upsert?matchBy=externalId", { ...body, name });
  const account = await create("/accounts", { name: "Ost" });
  await Promise.all([1, 2].map((index) => call("PATCH", `/accounts/${account.id}`, { phone: `${index}` })));
  const events = await newEvents();
  assert.deepEqual(
    events.map(({ type, before }) => [type, Object.keys(before ?? {})]),
    [
      ["contact.created", []],
      ["contact.updated", ["name"]],
      ["account.created", []],
      ["account.updated", ["phone"]],
      ["account.updated", ["phone"]],
    ],
  );
  assert.equal(events[3]?.before?.phone, null);
  assert.ok(["1", "2"].includes(String(events[4]?.before?.phone)));
});

test("types and excludeOwn filter, and an unknown type is rejected with a suggestion", async () => {
  await newEvents();
  const task = await create("/tasks", { title: "Filter" });
  await call("PATCH", `/tasks/${task.id}`, { status: "completed" });
  const account = await create("/accounts", { name: "West" });
  const start = position;
  const typesOf = async (query: string) => {
    position = start;
    return (await newEvents(query)).map(({ type, recordId }) => [type, recordId]);
  };
  const [created, completed] = [
    ["task.created", task.id],
    ["task.completed", task.id],
  ];
  assert.deepEqual(await typesOf("&types=task.*"), [created, completed]);
  assert.deepEqual(await typesOf("&types=task.updated"), [completed]);
  assert.deepEqual(await typesOf("&types=task.completed,account.created"), [
    completed,
    ["account.created", account.id],
  ]);
  assert.deepEqual(await typesOf("&excludeOwn=true"), []);
  const wrong = await call("GET", "/events?types=task.*,task.complete");
  const [problem] = errorOf(wrong).details?.errors ?? [];
  assert.equal(problem?.path, "?types");
  assert.match(problem.message, /Did you mean "task.completed"\?$/);
  assert.ok(problem.allowed?.includes("opportunity.won") && !problem.allowed.includes("user.created"));
});

test("pages of any size return every event once and in order", async () => {
  const all = (await call("GET", "/events?limit=200")).body as { data: Event[] };
  assert.ok(all.data.length > 20);
  assert.deepEqual(
    all.data.map(({ id }) => id),
    all.data.map(({ id }) => id).toSorted(),
  );
  for (const limit of [1, 3, 7]) {
    const byCursor: Event[] = [];
    const byWatermark: Event[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: Result = await call("GET", `/events?limit=${limit}&cursor=${cursor}`);
      const { data, nextCursor } = page.body as { data: Event[]; nextCursor: string | null };
      byCursor.push(...data);
      cursor = nextCursor;
    }
    assert.deepEqual(byCursor, all.data);
    for (let since = "", isLast = false; !isLast; ) {
      const page = await call("GET", `/events?limit=${limit}&updatedSince=${since}`);
      const { data, nextCursor } = page.body as { data: Event[]; nextCursor: string | null };
      byWatermark.push(...data.filter(({ id }) => !byWatermark.some((each) => each.id === id)));
      isLast = nextCursor === null || data.length === 0;
      since = page.headers.get("x-next-updated-since") ?? "";
      if (limit > 2) continue;
      // Both events of the batch have one time, so a page of one event doesn't get past them.
      isLast = true;
    }
    if (limit > 2) assert.deepEqual(byWatermark, all.data);
  }
});

test("a request reads at most 1,000 events, and an empty page can have a cursor", async () => {
  await newEvents();
  const data = { title: "Many" };
  const operations = Array(100).fill({ op: "create", data });
  for (let count = 0; count < 11; count++) await call("POST", "/tasks/batch", { operations });
  await create("/accounts", { name: "After many" });
  const first = await call("GET", `/events?types=account.*&updatedSince=${position}`);
  const page = first.body as { data: Event[]; nextCursor: string };
  assert.deepEqual([page.data, typeof page.nextCursor], [[], "string"]);
  const next = await call("GET", `/events?cursor=${page.nextCursor}`);
  assert.deepEqual(
    (next.body as { data: Event[] }).data.map(({ type }) => type),
    ["account.created"],
  );
  // The position of the page is within a commit, whose other events aren't skipped.
  const since = first.headers.get("x-next-updated-since");
  const resumed = await call("GET", `/events?types=account.*&updatedSince=${since}`);
  assert.deepEqual(
    (resumed.body as { data: Event[] }).data.map(({ type }) => type),
    ["account.created"],
  );
});

test("a tenant sees no event of another tenant, and a load of a tenant file has no events", async () => {
  const { body } = await send("GET", "/events", { key: two.key });
  assert.deepEqual(body, { data: [], nextCursor: null });
  const from = await storage.eventsFrom(two.id);
  assert.ok(from > 0);
  await api.idle();
});

test("an integration sees the events of the entities that it may read, and only an admin those of the set-up", async (t) => {
  const crm = await crmWith(t, [tenantFile(one)]);
  const admin = adminOf(crm, one.id, one.admin);
  const keyFor = async (name: string, ...scopes: string[]) => {
    const { key } = dataOf(await admin("POST", "/api-key/generate", { body: { name, scopes } }), 201);
    return String(key);
  };
  const [tasks, none] = [await keyFor("T", "tasks:read"), await keyFor("N", "pipelines:read", "tasks:write")];
  await crm.send("POST", "/tasks", { key: one.key, body: { title: "Seen" } });
  await crm.send("POST", "/accounts", { key: one.key, body: { name: "Unseen" } });
  const field = { entity: "contact", key: "tier", label: "Tier", type: "text" };
  const { id } = dataOf(await admin("POST", "/admin/custom-fields", { body: field }), 201);
  await admin("PATCH", `/admin/custom-fields/${id}`, { body: { label: "Level" } });
  const typesOf = ({ body }: Result) => (body as { data: Event[] }).data.map(({ type }) => type);
  assert.deepEqual(typesOf(await crm.send("GET", "/events", { key: tasks })), ["task.created"]);
  const rejected = errorOf(await crm.send("GET", "/events", { key: none }));
  assert.equal(rejected.code, "insufficient_scope");
  assert.deepEqual(rejected.details?.required, "accounts:read contacts:read opportunities:read tasks:read notes:read");
  const seen = await admin("GET", "/admin/events");
  assert.deepEqual(typesOf(seen).toSorted(), [
    ...["account.created", "apiKey.created", "apiKey.created", "customField.created", "customField.updated"],
    ...["integration.created", "integration.created", "task.created"],
  ]);
  assert.doesNotMatch(seen.text, /hash|crm_live_[A-Za-z0-9]{8}_/);
  assert.deepEqual(typesOf(await admin("GET", "/admin/events?types=customField.updated")), ["customField.updated"]);
  const foreign = await admin("GET", "/admin/events?excludeOwn=true");
  assert.deepEqual(typesOf(foreign).toSorted(), ["account.created", "task.created"]);
  assert.equal((await crm.send("GET", "http://crm.test/integrations/admin/events", { key: one.key })).status, 401);
});
