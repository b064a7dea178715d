import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ApiError, type ApiOptions, type FieldError, type HostRules } from "../../../lib/index.ts";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { sequentialIds, testCrm } from "../../support/harness.ts";
import { dataOf, errorOf, verdict } from "../../support/responses.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const { key } = one;

/** A problem of the host's own. */
const problem = (path: string, message: string): FieldError => ({ path, code: "out_of_range", message });

async function crmWith(t: TestContext, rules: HostRules, options: Partial<ApiOptions> = {}) {
  const crm = await testCrm([], { rules, ...options });
  const file = {
    ...tenantFile(one),
    customFields: [{ entity: "account", key: "size", label: "Size", type: "number", required: true }],
    rules: [{ entity: "account", field: "phone" }],
  };
  await loadTenantFile(crm.storage, file, { clock: crm.clock, newId: sequentialIds() });
  t.after(() => crm.api.close());
  return crm;
}

test("errors of host rules are reported together with references, required fields and custom fields", async (t) => {
  const { send } = await crmWith(t, {
    account: [
      ({ document }) => (document === null ? [problem("/document", "document is needed by the tax office.")] : []),
      async ({ name }) => (name.startsWith("Z") ? [problem("/name", "name must not begin with Z.")] : []),
    ],
  });
  const body = { name: "Zeta", ownerId: one.inactive, customFields: { colour: "red" } };
  const rejected = await send("POST", "/accounts", { key, body });
  assert.equal(
    verdict(rejected),
    "422 invalid_reference: /name out_of_range, /document out_of_range, /phone required, /ownerId inactive, " +
      "/customFields/colour unknown_key, /customFields/size required",
  );
  const good = { name: "Alpha", phone: "1", document: "2", customFields: { size: 3 } };
  assert.equal((await send("POST", "/accounts", { key, body: good })).status, 201);
  const alone = await send("POST", "/accounts", { key, body: { ...good, name: "Beta", document: null } });
  const errors = [problem("/document", "document is needed by the tax office.")];
  const expected = { code: "validation_error", message: "document is needed by the tax office.", details: { errors } };
  assert.deepEqual([alone.status, errorOf(alone)], [422, expected]);
});

test("host rules aren't called for a request with an invalid shape", async (t) => {
  let calls = 0;
  const counting = () => {
    calls++;
    return [];
  };
  const { send } = await crmWith(t, { task: [counting] });
  assert.equal(
    verdict(await send("POST", "/tasks", { key, body: { title: 5 } })),
    "400 validation_error: /title invalid_type",
  );
  assert.equal(calls, 0);
});

test("a rule gets the new record, the previous record and the caller; rules of other entities aren't called", async (t) => {
  const seen: unknown[] = [];
  const never = () => assert.fail("called for a record of another kind");
  const { api, send, storage } = await crmWith(t, {
    account: [never],
    contact: [never],
    task: [
      (after, before, caller) => {
        seen.push([after.title, after.status, before?.title, caller.tenantId]);
        return [];
      },
    ],
    opportunity: [never],
  });
  // The first use of an API key changes the settings. A request that runs at the same time is handled again.
  await send("GET", "/me", { key });
  await api.idle();
  const created = dataOf(await send("POST", "/tasks", { key, body: { title: "Call" } }), 201);
  const before = await storage.get(one.id, "task", created.id);
  assert.equal(before?.title, "Call");
  await send("PATCH", `/tasks/${created.id}`, { key, body: { status: "completed" } });
  await send("PATCH", `/tasks/${created.id}`, { key, body: { title: "Write" } });
  assert.deepEqual(seen, [
    ["Call", "pending", undefined, one.id],
    ["Call", "completed", "Call", one.id],
    ["Write", "completed", "Call", one.id],
  ]);
});

test("archive and restore call no rule; operations call the same rules as HTTP", async (t) => {
  const { send, api } = await crmWith(t, { task: [() => [problem("/title", "title is never right.")]] });
  assert.equal((await send("DELETE", `/tasks/${one.task}`, { key })).status, 204);
  assert.equal((await send("POST", `/tasks/${one.task}/restore`, { key })).status, 200);
  assert.equal(
    verdict(await send("PATCH", `/tasks/${one.task}`, { key, body: {} })),
    "422 validation_error: /title out_of_range",
  );
  const createTask = api.operations.createTask ?? assert.fail("there is no such operation");
  const caller = { tenantId: one.id, scopes: ["tasks:write"] };
  await assert.rejects(createTask({ caller, body: { title: "Call" } }), { code: "validation_error", status: 422 });
});

test("a rule that modifies its arguments doesn't change the stored record", async (t) => {
  const modifyRecords = (...records: unknown[]) => {
    for (const record of records.slice(0, 2)) Object.assign(record ?? {}, { title: "Modified", id: "x", updatedAt: 0 });
    return [];
  };
  const { send } = await crmWith(t, { task: [modifyRecords] });
  const created = dataOf(await send("POST", "/tasks", { key, body: { title: "Call" } }), 201);
  const changed = dataOf(await send("PATCH", `/tasks/${created.id}`, { key, body: { priority: "high" } }));
  assert.deepEqual({ ...changed, updatedAt: null, priority: null }, { ...created, updatedAt: null, priority: null });
});

test("a rule that throws returns 500 and is logged; an ApiError becomes the response; nothing is stored", async (t) => {
  const fault = new Error("the ledger at /var/ledger is closed");
  const logged: unknown[] = [];
  const rules: HostRules = {
    task: [
      ({ title }) => {
        if (title === "Throw") throw fault;
        if (title === "Later") return Promise.reject(fault);
        if (title === "Frozen")
          throw new ApiError("invalid_reference", "The books are closed.", { details: { reason: "closed" } });
        return [];
      },
    ],
  };
  const { send } = await crmWith(t, rules, { logger: { error: ({ err }) => void logged.push(err) } });
  const before = (await send("GET", "/tasks", { key })).text;
  const create = (title: string) => send("POST", "/tasks", { key, body: { title } });
  assert.equal(verdict(await create("Throw")), "500 internal_error");
  assert.equal(verdict(await create("Later")), "500 internal_error");
  assert.deepEqual(logged, [fault, fault]);
  assert.deepEqual(errorOf(await create("Frozen")), {
    code: "invalid_reference",
    message: "The books are closed.",
    details: { reason: "closed" },
  });
  assert.equal((await send("GET", "/tasks", { key })).text, before);
});
