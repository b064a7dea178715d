import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, errorOf, type ShownTask, verdict } from "../../support/responses.ts";
import { taskCrm } from "../../support/tasks.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const two = testTenant(2);
const { key } = one;
const { send, clock, create, now } = await taskCrm(one, two);
const unknown = "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11";

test("closedAt is the time when a task is closed, and is null again when the task is pending", async () => {
  clock.advance(1_000);
  const { id } = await create({ title: "Call" });
  for (const status of ["completed", "pending", "canceled", "completed", "canceled", "pending", "completed"]) {
    clock.advance(1_000);
    const task = dataOf(await send("PATCH", `/tasks/${id}`, { key, body: { status } }));
    assert.deepEqual(
      [task.status, task.closedAt, task.updatedAt],
      [status, status === "pending" ? null : now(), now()],
    );
  }
});

test("a change of other fields keeps closedAt", async () => {
  clock.advance(1_000);
  const before = await create({ title: "Call", status: "completed" });
  clock.advance(1_000);
  const body = { title: "Write", status: "completed" };
  const changed = dataOf(await send("PATCH", `/tasks/${before.id}`, { key, body }));
  assert.deepEqual(changed, { ...before, title: "Write", updatedAt: now() });
});

test("concurrent changes of different fields of a task all take effect", async () => {
  clock.advance(1_000);
  const before = await create({ title: "Call" });
  const changes = {
    title: "Write",
    description: "By post",
    priority: "low",
    status: "completed",
    dueDate: "2026-04-01T08:00:00.000Z",
    assignedTo: one.member,
    relatedTo: { type: "account", id: one.account },
  };
  const patches = Object.entries(changes).map(([name, value]) =>
    send("PATCH", `/tasks/${before.id}`, { key, body: { [name]: value } }),
  );
  const instants = (await Promise.all(patches)).map((result) => dataOf(result).updatedAt);
  assert.equal(new Set(instants).size, patches.length);
  const { closedAt, updatedAt, ...after } = dataOf(await send("GET", `/tasks/${before.id}`, { key }));
  const { closedAt: _, updatedAt: _u, ...rest } = before;
  assert.deepEqual(after, { ...rest, ...changes });
  assert.ok(closedAt === now() && instants.includes(updatedAt));
});

/** Invalid references of a task, and the expected error. */
const invalid: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ["an unknown user", { assignedTo: unknown }, "/assignedTo not_found"],
  ["another tenant's user", { assignedTo: two.member }, "/assignedTo not_found"],
  ["a user who is not active", { assignedTo: one.inactive }, "/assignedTo inactive"],
  ["an unknown contact", { relatedTo: { type: "contact", id: unknown } }, "/relatedTo/id not_found"],
  ["another tenant's contact", { relatedTo: { type: "contact", id: two.contact } }, "/relatedTo/id not_found"],
  ["a contact under the type account", { relatedTo: { type: "account", id: one.contact } }, "/relatedTo/id not_found"],
  ["an archived account", { relatedTo: { type: "account", id: one.archivedAccount } }, "/relatedTo/id not_found"],
];

for (const [what, body, problem] of invalid) {
  test(`POST and PATCH /tasks return 422 for ${what}`, async () => {
    clock.advance(1_000);
    const made = await send("POST", "/tasks", { key, body: { title: "Call", ...body } });
    assert.equal(verdict(made), `422 invalid_reference: ${problem}`);
    const changed = await send("PATCH", `/tasks/${one.task}`, { key, body });
    assert.equal(verdict(changed), `422 invalid_reference: ${problem}`);
    assert.equal(changed.text, made.text);
  });
}

test("all invalid references of a request are reported at once", async () => {
  clock.advance(1_000);
  const body = { title: "Call", assignedTo: one.inactive, relatedTo: { type: "opportunity", id: unknown } };
  const problems = "/relatedTo/id not_found, /assignedTo inactive";
  assert.equal(verdict(await send("POST", "/tasks", { key, body })), `422 invalid_reference: ${problems}`);
});

test("a task can refer to an account, a contact or an opportunity of its tenant", async () => {
  clock.advance(1_000);
  for (const type of ["account", "contact", "opportunity"] as const) {
    const { relatedTo } = await create({ title: "Call", relatedTo: { type, id: one[type] } });
    assert.deepEqual(relatedTo, { type, id: one[type] });
  }
});

test("each filter of the list returns exactly its tasks, also combined", async () => {
  clock.advance(1_000);
  const relatedTo = { type: "opportunity", id: one.opportunity };
  const a = await create({ title: "a", assignedTo: one.admin, relatedTo });
  const b = await create({ title: "b", assignedTo: one.admin, status: "completed" });
  const c = await create({ title: "c", relatedTo, status: "completed" });
  const d = await create({ title: "d", assignedTo: one.admin, relatedTo, status: "canceled" });
  await send("DELETE", `/tasks/${d.id}`, { key });
  const since = `updatedSince=${encodeURIComponent(a.createdAt)}`;
  const cases = {
    [since]: [a, b, c],
    [`${since}&status=completed`]: [b, c],
    [`${since}&status=canceled`]: [],
    [`${since}&assignedTo=${one.admin}`]: [a, b],
    [`${since}&relatedToId=${one.opportunity.toUpperCase()}`]: [a, c],
    [`${since}&relatedToId=${one.opportunity}&status=completed`]: [c],
    [`${since}&assignedTo=${one.admin}&relatedToId=${one.opportunity}&status=pending`]: [a],
    [`${since}&assignedTo=${unknown}`]: [],
    [`${since}&assignedTo=${two.member}`]: [],
    [`${since}&tenantId=${one.id}&includeArchived=false`]: [a, b, c],
  };
  for (const [query, tasks] of Object.entries(cases)) {
    const page = await send("GET", `/tasks?${query}`, { key });
    assert.deepEqual(page.body, { data: tasks, nextCursor: null }, query);
  }
  const withArchived = `/tasks?${since}&status=canceled&includeArchived=true`;
  assert.deepEqual(
    dataOf<ShownTask[]>(await send("GET", withArchived, { key })).map(({ id }) => id),
    [d.id],
  );
});

test("GET /tasks returns 400 for filters that aren't a UUID or a status", async () => {
  clock.advance(1_000);
  const page = await send("GET", "/tasks?assignedTo=me&relatedToId=&status=complete&includeArchived=1", { key });
  const problems =
    "?includeArchived not_an_option, ?status not_an_option, ?assignedTo invalid_format, ?relatedToId invalid_format";
  assert.equal(verdict(page), `400 validation_error: ${problems}`);
  assert.match(errorOf(page).details?.errors?.[1]?.message ?? "", /Did you mean "completed"\?/);
});
