import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, type ShownTask, verdict } from "../../support/responses.ts";
import { taskCrm } from "../../support/tasks.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { key } = one;
const { send, clock, create, now } = await taskCrm(one);

test("POST /tasks returns the stored task and its Location", async () => {
  clock.advance(1_000);
  const made = await send("POST", "/tasks", {
    key,
    body: {
      title: "Send the offer",
      description: "By post",
      priority: "high",
      status: "completed",
      dueDate: "2026-04-01T10:30:00.5+02:00",
      relatedTo: { type: "opportunity", id: one.opportunity.toUpperCase() },
      assignedTo: one.member,
    },
  });
  const { id } = dataOf(made, 201);
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual(made.body, {
    data: {
      id,
      title: "Send the offer",
      description: "By post",
      priority: "high",
      status: "completed",
      dueDate: "2026-04-01T08:30:00.500Z",
      relatedTo: { type: "opportunity", id: one.opportunity },
      assignedTo: one.member,
      closedAt: now(),
      createdAt: now(),
      updatedAt: now(),
    },
  });
  assert.equal(made.headers.get("location"), `tasks/${id}`);
  const read = await send("GET", `/${made.headers.get("location")}`, { key });
  assert.equal(read.text, made.text);
});

test("a task needs only a title; everything else has its default", async () => {
  clock.advance(1_000);
  const task = await create({ title: "Call" });
  assert.deepEqual(task, {
    id: task.id,
    title: "Call",
    description: null,
    priority: "medium",
    status: "pending",
    dueDate: null,
    relatedTo: null,
    assignedTo: null,
    closedAt: null,
    createdAt: now(),
    updatedAt: now(),
  });
});

test("an ID in a path is a UUID in any case", async () => {
  clock.advance(1_000);
  const task = await create({ title: "Call" });
  assert.deepEqual(dataOf(await send("GET", `/tasks/${task.id.toUpperCase()}`, { key })), task);
});

test("PATCH changes the fields in the body, leaves the others, and returns the whole task", async () => {
  clock.advance(1_000);
  const before = await create({ title: "Call", description: "Twice", assignedTo: one.member });
  clock.advance(1_000);
  const changed = await send("PATCH", `/tasks/${before.id}`, { key, body: { title: "Write", assignedTo: null } });
  const after = { ...before, title: "Write", assignedTo: null, updatedAt: now() };
  assert.deepEqual(dataOf(changed), after);
  assert.deepEqual(dataOf(await send("GET", `/tasks/${before.id}`, { key })), after);
});

test("a PATCH without a change keeps updatedAt", async () => {
  clock.advance(1_000);
  const before = await create({ title: "Call", dueDate: "2026-04-01T08:00:00Z", relatedTo: contactOf(one.contact) });
  clock.advance(1_000);
  const same = { title: "Call", dueDate: "2026-04-01T10:00:00+02:00", relatedTo: contactOf(one.contact.toUpperCase()) };
  for (const body of [{}, same]) {
    assert.deepEqual(dataOf(await send("PATCH", `/tasks/${before.id}`, { key, body })), before);
  }
});

test("a task can be sent back as it was read, with its read-only fields", async () => {
  clock.advance(1_000);
  const before = await create({ title: "Call", status: "completed" });
  clock.advance(1_000);
  assert.deepEqual(dataOf(await send("PATCH", `/tasks/${before.id}`, { key, body: before })), before);
  const body = { ...before, tenantId: one.id, title: "Write" };
  const after = { ...before, title: "Write", updatedAt: now() };
  assert.deepEqual(dataOf(await send("PATCH", `/tasks/${before.id}`, { key, body })), after);
});

test("createdAt can be sent back in any notation of the same time", async () => {
  clock.advance(1_000);
  const { id, createdAt } = await create({ title: "Call" });
  const local = new Date(Date.parse(createdAt) - 3.5 * 3_600_000).toISOString().replace("Z", "-03:30");
  for (const text of [createdAt, createdAt.replace("Z", "+00:00"), createdAt.toLowerCase(), local]) {
    assert.equal(verdict(await send("PATCH", `/tasks/${id}`, { key, body: { createdAt: text } })), "200", text);
  }
});

test("PATCH reports each changed read-only field and writes nothing", async () => {
  clock.advance(1_000);
  const before = await create({ title: "Call" });
  const earlier = "2020-01-01T00:00:00.000Z";
  const stamps = { closedAt: earlier, id: one.task, createdAt: earlier, archivedAt: earlier };
  for (const [name, value] of Object.entries(stamps)) {
    const rejected = await send("PATCH", `/tasks/${before.id}`, { key, body: { title: "Write", [name]: value } });
    assert.equal(verdict(rejected), `400 validation_error: /${name} read_only`);
  }
  const all = await send("PATCH", `/tasks/${before.id}`, { key, body: stamps });
  assert.equal(
    verdict(all),
    `400 validation_error: ${Object.keys(stamps).join(" read_only, /").replace(/^/, "/")} read_only`,
  );
  assert.deepEqual(dataOf(await send("GET", `/tasks/${before.id}`, { key })), before);
});

test("POST /tasks rejects read-only fields", async () => {
  clock.advance(1_000);
  const body = { title: "Call", closedAt: null, id: one.task, createdAt: null, updatedAt: null, archivedAt: null };
  const names = Object.keys(body).filter((name) => name !== "title");
  const problems = names.map((name) => `/${name} read_only`).join(", ");
  assert.equal(verdict(await send("POST", "/tasks", { key, body })), `400 validation_error: ${problems}`);
});

test("an archived task returns 404 until it is restored, and includeArchived returns its archivedAt", async () => {
  clock.advance(1_000);
  const before = await create({ title: "Call", status: "canceled" });
  const path = `/tasks/${before.id}`;
  clock.advance(1_000);
  const gone = await send("DELETE", path, { key });
  assert.deepEqual([gone.status, gone.text, gone.headers.get("content-type")], [204, "", null]);
  for (const [method, body] of [["GET"], ["PATCH", { title: "x" }], ["DELETE"]] as const) {
    assert.equal(verdict(await send(method, path, { key, ...(body && { body }) })), "404 not_found", method);
  }
  const since = `updatedSince=${encodeURIComponent(now())}`;
  assert.deepEqual(dataOf(await send("GET", `/tasks?${since}`, { key })), []);
  const shown = { ...before, updatedAt: now(), archivedAt: now() };
  assert.deepEqual(dataOf(await send("GET", `/tasks?${since}&includeArchived=true`, { key })), [shown]);

  clock.advance(1_000);
  const restored = await send("POST", `${path}/restore`, { key });
  assert.deepEqual(dataOf(restored), { ...before, updatedAt: now() });
  assert.deepEqual(dataOf(await send("GET", path, { key })), dataOf(restored));
});

test("restoring a task that isn't archived changes nothing", async () => {
  clock.advance(1_000);
  const before = await create({ title: "Call" });
  clock.advance(1_000);
  assert.deepEqual(dataOf(await send("POST", `/tasks/${before.id}/restore`, { key, body: {} })), before);
});

test("archived tasks are in the same order as the others, and only they have archivedAt", async () => {
  clock.advance(1_000);
  const gone = await create({ title: "Call" });
  await create({ title: "Write" });
  await send("DELETE", `/tasks/${gone.id}`, { key });
  const tasks = dataOf<ShownTask[]>(await send("GET", "/tasks?includeArchived=true", { key }));
  const sorted = tasks.toSorted((a, b) => (`${a.updatedAt} ${a.id}` < `${b.updatedAt} ${b.id}` ? -1 : 1));
  assert.deepEqual(tasks, sorted);
  const marked = tasks.filter((task) => "archivedAt" in task).map(({ id }) => id);
  assert.deepEqual(marked, [one.archivedTask, gone.id]);
});

function contactOf(id: string): { type: string; id: string } {
  return { type: "contact", id };
}
