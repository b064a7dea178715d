import assert from "node:assert/strict";
import { test } from "node:test";
import { adminOf, crmWith } from "../../support/admin.ts";
import { one, openCrm, sales, unknown } from "../../support/crm.ts";
import type { Result } from "../../support/harness.ts";
import { dataOf, verdict } from "../../support/responses.ts";
import { tenantFile } from "../../support/tenants.ts";

type Event = {
  readonly type: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly changed: readonly string[] | null;
};
type Page = { readonly data: readonly Event[]; readonly nextCursor: string | null };

const { call, create } = await openCrm();
const pageOf = ({ status, body, text }: Result): Page => {
  assert.equal(status, 200, text);
  return body as Page;
};

async function historyOf(path: string, limit: number): Promise<Event[]> {
  const events: Event[] = [];
  for (let query = `limit=${limit}`; ; ) {
    const { data, nextCursor } = pageOf(await call("GET", `${path}/history?${query}`));
    assert.ok(data.length <= limit);
    events.push(...data);
    if (nextCursor === null) return events;
    query = `cursor=${nextCursor}`;
  }
}

test("walking before backwards from the current record gives every former version", async () => {
  const first = await create("/opportunities", {
    name: "Order",
    stageId: sales.lead,
    customFields: { note: "a", lines: ["Beans"] },
  });
  const path = `/opportunities/${first.id}`;
  const versions: Record<string, unknown>[] = [first];
  const changes = [
    { amount: 5, currency: "EUR", customFields: { note: "b", size: 1 } },
    { stageId: sales.offer },
    { status: "lost", lostReason: "Price" },
    { status: "open", customFields: { note: null, budget: { amount: 2, currency: "EUR" } } },
    { name: "Other", expectedCloseDate: "2026-05-01", customFields: { lines: ["Filter", "Beans"] } },
    { status: "won", closedAt: undefined },
  ];
  for (const body of changes) versions.push(dataOf(await call("PATCH", path, body)));
  await call("DELETE", path);
  versions.push(dataOf(await call("GET", `${path}?includeArchived=true`)));
  versions.push(dataOf(await call("POST", `${path}/restore`)));
  const events = await historyOf(path, 3);
  assert.equal(events.length, versions.length);
  let version: Record<string, unknown> = { ...versions.at(-1), archivedAt: null };
  for (const [index, { before, changed }] of events.entries()) {
    const expected = versions[versions.length - 1 - index] as Record<string, unknown>;
    const { updatedAt: _, ...found } = version;
    const { updatedAt: __, ...wanted } = { archivedAt: null, ...(expected as { updatedAt?: unknown }) };
    assert.deepEqual(found, wanted, `${index}`);
    assert.deepEqual(Object.keys(before ?? {}), changed ?? []);
    version = stepBack(version, before ?? {});
  }
});

function stepBack(record: Record<string, unknown>, before: Readonly<Record<string, unknown>>) {
  const previous: Record<string, unknown> = { ...record };
  const custom: Record<string, unknown> = { ...(record.customFields as object) };
  for (const [name, value] of Object.entries(before)) {
    const key = /^customFields\.(.*)$/.exec(name)?.[1];
    if (key === undefined) previous[name] = value;
    else if (value === null) delete custom[key];
    else custom[key] = value;
  }
  return { ...previous, customFields: custom };
}

test("a history has pages, and its cursor belongs to one record", async () => {
  const [one, other] = [await create("/tasks", { title: "0" }), await create("/tasks", { title: "Other" })];
  for (let index = 1; index <= 25; index++) await call("PATCH", `/tasks/${one.id}`, { title: `${index}` });
  const page = pageOf(await call("GET", `/tasks/${one.id}/history`));
  assert.equal(page.data.length, 20);
  assert.deepEqual(page.data[0]?.before, { title: "24" });
  const cursor = `cursor=${page.nextCursor}`;
  const rest = pageOf(await call("GET", `/tasks/${one.id}/history?${cursor}`));
  assert.deepEqual([rest.data.length, rest.data.at(-1)?.type, rest.nextCursor], [6, "task.created", null]);
  const wrong = await call("GET", `/tasks/${other.id}/history?${cursor}`);
  assert.equal(verdict(wrong), "400 invalid_cursor");
  assert.equal(
    verdict(await call("GET", `/tasks/${one.id}/history?limit=51`)),
    "400 validation_error: ?limit out_of_range",
  );
});

test("the history of an archived record is shown, and an unknown record has none", async () => {
  const task = await create("/tasks", { title: "Gone" });
  await call("DELETE", `/tasks/${task.id}`);
  const { data } = pageOf(await call("GET", `/tasks/${task.id}/history`));
  assert.deepEqual(
    data.map(({ type }) => type),
    ["task.archived", "task.created"],
  );
  assert.equal(verdict(await call("GET", `/tasks/${unknown}/history`)), "404 not_found");
  const loaded = pageOf(await call("GET", `/tasks/${one.task}/history`));
  assert.deepEqual(loaded, { data: [], nextCursor: null });
});

test("admins read the history of the set-up", async (t) => {
  const crm = await crmWith(t, [tenantFile(one)]);
  const admin = adminOf(crm, one.id, one.admin);
  for (const name of ["Ben", "Bea"]) {
    crm.clock.advance(1_000);
    dataOf(await admin("PATCH", `/admin/users/${one.member}`, { body: { name } }));
  }
  const { data } = pageOf(await admin("GET", `/admin/users/${one.member}/history`));
  assert.deepEqual(
    data.map(({ before }) => before),
    [{ name: "Ben" }, { name: "Max Member" }],
  );
  const path = `http://crm.test/integrations/admin/users/${one.member}/history`;
  assert.equal((await crm.send("GET", path, { key: one.key })).status, 401);
});

test("admins read the history of the tenant, which other changes of the set-up don't interrupt", async (t) => {
  const crm = await crmWith(t, [tenantFile(one)]);
  const admin = adminOf(crm, one.id, one.admin);
  const change = async (path: string, name: string) => {
    crm.clock.advance(1_000);
    dataOf(await admin("PATCH", path, { body: { name } }));
  };
  await change("/admin/tenant", "Fjordlys");
  await change(`/admin/users/${one.member}`, "Ben");
  await change("/admin/tenant", "Fjordlys Coffee");
  const { data } = pageOf(await admin("GET", "/admin/tenant/history"));
  assert.deepEqual(
    data.map(({ type, before }) => [type, before]),
    [
      ["tenant.updated", { name: "Fjordlys" }],
      ["tenant.updated", { name: "Tenant" }],
    ],
  );
});
