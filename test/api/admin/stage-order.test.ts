import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { adminOf, crmWith } from "../../support/admin.ts";
import type { Result } from "../../support/harness.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

const [one, two] = [testTenant(1), testTenant(2)];
type Stage = { readonly id: string; readonly name: string; readonly order: number; readonly updatedAt: string };

function stagesOf({ status, body, text }: Result): readonly Stage[] {
  assert.equal(status, 200, text);
  return (body as { readonly data: readonly Stage[] }).data;
}

/** Opens a CRM with a pipeline of stages with these orders. The names are A, B, C and so on. */
async function open(t: TestContext, orders: readonly number[]) {
  const crm = await crmWith(t, [tenantFile(one), tenantFile(two)]);
  const admin = adminOf(crm, one.id, one.admin);
  const stages = orders.map((order, index) => ({ name: String.fromCharCode(65 + index), order }));
  const created = await admin("POST", "/admin/pipelines", { body: { name: "Sales 2", stages } });
  const { id } = (created.body as { readonly data: { readonly id: string } }).data;
  const url = `/admin/pipelines/${id}/reorder-stages`;
  const read = async () =>
    stagesOf(await admin("GET", `/admin/stages?pipelineId=${id}`)).toSorted((a, b) => a.order - b.order);
  const ids = new Map((await read()).map((stage) => [stage.name, stage.id]));
  const idsOf = (names: string) => [...names].map((name) => ids.get(name) ?? name);
  const reorder = (stageIds: unknown, headers = {}) => admin("POST", url, { body: { stageIds }, headers });
  const events = async () => {
    const found = await crm.storage.list(one.id, "event", {});
    return found.filter(({ type }) => type === "stage.updated");
  };
  return { crm, admin, url, id, read, idsOf, reorder, events };
}

const shown = (stages: readonly Stage[]) => stages.map(({ name, order }) => `${name} ${order}`);

test("POST /admin/pipelines/{id}/reorder-stages changes only the stages that move, in one commit with events", async (t) => {
  const { crm, read, idsOf, reorder, events } = await open(t, [10, 20, 30, 40]);
  const before = await read();
  crm.clock.advance(1_000);
  const dry = stagesOf(await reorder(idsOf("ACBD"), { prefer: "dry-run" }));
  assert.deepEqual([shown(dry), await read()], [["A 10", "C 20", "B 30", "D 40"], before]);
  const moved = stagesOf(await reorder(idsOf("ACBD").map((id) => id.toUpperCase())));
  assert.deepEqual(shown(moved), ["A 10", "C 20", "B 30", "D 40"]);
  assert.deepEqual(await read(), moved);
  assert.deepEqual([moved[0], moved[3]], [before[0], before[3]]);
  assert.equal(moved[1]?.updatedAt, moved[2]?.updatedAt);
  const written = await events();
  const changes = written.map(({ changed, before, updatedAt }) => {
    assert.equal(new Date(updatedAt).toISOString(), moved[1]?.updatedAt);
    return `${changed} ${before?.order}`;
  });
  assert.deepEqual(changes.toSorted(), ["order 20", "order 30"]);
  crm.clock.advance(1_000);
  assert.deepEqual(stagesOf(await reorder(idsOf("ACBD"))), moved);
  assert.equal((await events()).length, 2);
});

test("stages with the same order are numbered from 1 by a new order", async (t) => {
  const { read, idsOf, reorder } = await open(t, [5, 5, 5]);
  const names = (await read()).map(({ name }) => name).join("");
  assert.deepEqual(shown(stagesOf(await reorder(idsOf(names)))), shown(await read()));
  assert.deepEqual(shown(stagesOf(await reorder(idsOf("CAB")))), ["C 1", "A 2", "B 3"]);
});

test("an order of stages reports each ID that is unknown, repeated or malformed, and each stage that is missing", async (t) => {
  const { admin, url, read, idsOf, reorder } = await open(t, [1, 2, 3, 4]);
  await admin("DELETE", `/admin/stages/${idsOf("D")[0]}`);
  const before = await read();
  const foreign = [one.stage, two.stage, ...idsOf("D")];
  const rejected = await reorder([...idsOf("AA"), ...foreign]);
  const errorsOf = ({ body }: Result) =>
    (body as { error: { code: string; details: { errors: { path: string; code: string; message: string }[] } } }).error;
  const { code, details } = errorsOf(rejected);
  assert.deepEqual([rejected.status, code], [422, "invalid_reference"]);
  const found = details.errors.map((error) => `${error.path} ${error.code}`).toSorted();
  assert.deepEqual(found, [
    "/stageIds required",
    "/stageIds required",
    "/stageIds/1 not_an_option",
    ...[2, 3, 4].map((index) => `/stageIds/${index} not_found`),
  ]);
  const messages = details.errors.filter(({ path }) => path === "/stageIds").map(({ message }) => message);
  assert.deepEqual(messages.toSorted(), [
    `The stage "B" is missing. Add its ID, ${idsOf("B")[0]}.`,
    `The stage "C" is missing. Add its ID, ${idsOf("C")[0]}.`,
  ]);
  const malformed = await reorder([...idsOf("AB"), "x", ...idsOf("A")]);
  const all = errorsOf(malformed).details.errors.map((error) => `${error.path} ${error.code}`);
  assert.equal(malformed.status, 400);
  assert.deepEqual(all.toSorted(), ["/stageIds required", "/stageIds/2 invalid_format", "/stageIds/3 not_an_option"]);
  assert.deepEqual([(await reorder(undefined)).status, (await reorder([])).status], [400, 422]);
  assert.equal((await reorder(Array.from({ length: 1_001 }, () => one.stage))).status, 400);
  assert.deepEqual(await read(), before);
  assert.equal(
    (await admin("POST", url.replace(/pipelines\/[^/]+/, `pipelines/${two.pipeline}`), { body: { stageIds: [] } }))
      .status,
    404,
  );
});

test("of concurrent orders of the same stages, one is last", async (t) => {
  const { read, idsOf, reorder } = await open(t, [1, 2, 3]);
  const orders = ["BCA", "CAB", "CBA"];
  const results = await Promise.all(orders.map((names) => reorder(idsOf(names))));
  assert.deepEqual(
    results.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.ok(orders.includes((await read()).map(({ name }) => name).join("")));
});
