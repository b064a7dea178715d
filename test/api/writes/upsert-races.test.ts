import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { wrapStorage } from "../../../lib/index.ts";
import { dataOf, errorOf, one } from "../../support/crm.ts";
import { type Result, testCrm } from "../../support/harness.ts";
import { freshStorage } from "../../support/storages.ts";

/** A server that runs `beforeCommit` once, before its next commit. */
async function start(t: TestContext) {
  const storage = await freshStorage();
  const hook: { beforeCommit?: (() => Promise<unknown>) | undefined } = {};
  const wrapped = wrapStorage(storage, {
    async commit(...parameters) {
      const run = hook.beforeCommit;
      hook.beforeCommit = undefined;
      await run?.();
      return storage.commit(...parameters);
    },
  });
  const crm = await testCrm([one], { storage: wrapped, ids: randomUUID });
  t.after(() => crm.api.close());
  const post = (path: string, body: unknown) => crm.send("POST", path, { key: one.key, body });
  // The first use of an API key causes a commit.
  await crm.send("GET", "/me", { key: one.key });
  await crm.api.idle();
  return { ...crm, hook, post };
}

const kinds = { contacts: "email", accounts: "name" } as const;

for (const [path, unique] of Object.entries(kinds)) {
  const body = { name: "Ida AG", externalId: "X-1", ...(unique === "email" ? { email: "ida@example.test" } : {}) };
  const upsert = (field: string) => `/${path}/upsert?matchBy=${field}`;

  test(`of upserts of one of the ${path} by different fields, one creates it and the other finds it`, async (t) => {
    const { hook, post } = await start(t);
    for (const [first, second] of [
      ["externalId", unique],
      [unique, "externalId"],
    ] as const) {
      const value = { ...body, externalId: first, [unique]: `${first}${body[unique as "name"]}` };
      let inner: Result | undefined;
      hook.beforeCommit = async () => {
        inner = await post(upsert(second), value);
      };
      const outer = await post(upsert(first), value);
      assert.ok(inner);
      assert.equal(dataOf(inner, 201).id, dataOf(outer, 200).id);
    }
  });

  test(`concurrent upserts of one of the ${path} by different fields all succeed`, async (t) => {
    const { post } = await start(t);
    const fields = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? "externalId" : unique));
    const results = await Promise.all(fields.map((field) => post(upsert(field), body)));
    assert.deepEqual(results.map(({ status }) => status).sort(), [...Array(19).fill(200), 201]);
    assert.equal(new Set(results.map(({ body }) => (body as { data: { id: string } }).data.id)).size, 1);
  });

  test(`an upsert of ${path} returns 409 duplicate if the other record doesn't match`, async (t) => {
    const { hook, post } = await start(t);
    const other = { ...body, externalId: "X-2" };
    let inner: Result | undefined;
    hook.beforeCommit = async () => {
      inner = await post(`/${path}`, other);
    };
    const outer = await post(upsert("externalId"), body);
    assert.ok(inner);
    const expected = { code: "duplicate", existingId: dataOf(inner, 201).id, field: unique };
    assert.equal(outer.status, 409);
    const { code, details } = errorOf(outer);
    assert.deepEqual({ code, ...details }, expected);
  });

  test(`an upsert in a batch of ${path} finds the record that was created during the batch`, async (t) => {
    const { storage, clock } = await start(t);
    let created: Promise<Result> | undefined;
    const racing = wrapStorage(storage, {
      async list(tenant, kind, query) {
        const found = await storage.list(tenant, kind, query);
        if (query.where?.externalId !== undefined && created === undefined) {
          created = inner.send("POST", `/${path}`, { key: one.key, body });
          await created;
        }
        return found;
      },
    });
    const inner = await testCrm([], { storage, clock, ids: randomUUID });
    const outer = await testCrm([], { storage: racing, clock, ids: randomUUID });
    const operations = [{ op: "upsert", matchBy: "externalId", data: body }];
    const result = await outer.send("POST", `/${path}/batch`, { key: one.key, body: { operations } });
    const { data } = result.body as { data: { status: number; data?: { id: string } }[] };
    assert.deepEqual(
      data.map(({ status, data }) => [status, data?.id]),
      [[200, dataOf((await created) as Result, 201).id]],
    );
  });
}
