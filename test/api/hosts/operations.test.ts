import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, type OperationCall, scopes, type UntypedOperations } from "../../../lib/index.ts";
import { one, openCrm, type Shown, unknown } from "../../support/crm.ts";
import { testCrm } from "../../support/harness.ts";

const { api, read, send, storage } = await openCrm();
const caller = { tenantId: one.id, scopes };
type Made = Readonly<{ data: Shown }>;
const dataOf = ({ body }: { readonly body: unknown }): Shown => (body as Made).data;
const call = (name: string, more: Omit<OperationCall, "caller">, by = caller) =>
  ((api.operations as unknown as UntypedOperations)[name] ?? assert.fail(`there is no operation ${name}`))({
    caller: by,
    ...more,
  });

test("an undefined member counts as omitted: it clears nothing, and is reported if required", async () => {
  const sent = { title: "Call", description: "Keep me", dueDate: undefined, relatedTo: undefined };
  const made = dataOf(await call("createTask", { body: sent }));
  assert.equal(made.dueDate, null);
  const params = { id: String(made.id) };
  const changed = dataOf(await call("updateTask", { params, body: { title: "Call again", description: undefined } }));
  assert.deepEqual([changed.title, changed.description], ["Call again", "Keep me"]);
  assert.deepEqual(await read(`/tasks/${made.id}`), changed);
  const user = { name: "Ida", email: "ida@one.example", role: "admin", active: undefined };
  assert.equal(dataOf(await call("adminCreateUser", { body: user })).active, true);
  const customFields = { segment: "SMB", note: undefined };
  const account = dataOf(await call("createAccount", { body: { name: "Ida's", customFields } }));
  assert.deepEqual(account.customFields, { segment: "SMB" });
  const listed = await call("listTasks", { query: { limit: 1, status: undefined } as never });
  assert.equal((dataOf(listed) as unknown as readonly unknown[]).length, 1);
});

test("a body that isn't JSON is rejected, not treated as missing", async () => {
  for (const body of [
    { title: "Call", dueDate: new Date() },
    { title: "Call", description: Number.NaN },
    { title: 5n },
    null,
  ]) {
    const sent = { body: body as never, idempotencyKey: "0197b0c4-5d2e-7f31-9a64-8e1f0c2b7d53" };
    await assert.rejects(call("createTask", sent), (error) => error instanceof ApiError && error.status === 400);
  }
  const wrongKey = call("createTask", { body: { title: "Call" }, idempotencyKey: 5 as never });
  await assert.rejects(wrongKey, (error) => error instanceof ApiError && error.status === 400);
  const name = "Stored";
  const account = dataOf(await call("createAccount", { body: { name, address: { city: "Porto" } } }));
  const params = { id: String(account.id) };
  for (const [body, message] of [
    [{ address: new Date() }, "address must be an object."],
    [{ address: new Map(), name: 5 }, "name must be a string. (and 1 more: see details.errors)"],
    [{ address: new Headers() }, "address must be an object."],
    [{ customFields: new Map([["segment", "SMB"]]) }, "customFields must be an object of custom field values."],
    [{ customFields: { segment: () => {} } }, "customFields.segment must be one of its options, as a string."],
    [{ customFields: { size: 5n } }, "customFields.size must be a number."],
  ] as const) {
    await assert.rejects(call("updateAccount", { params, body }), { name: "ApiError", message });
  }
  assert.deepEqual(await read(`/accounts/${account.id}`), account);
});

test("the tenantId of a caller ignores case, and must exist", async () => {
  const inCapitals = { ...caller, tenantId: one.id.toUpperCase() };
  const made = dataOf(await call("createTask", { body: { title: "Loud" } }, inCapitals));
  assert.equal((await read(`/tasks/${made.id}`)).title, "Loud");
  for (const [name, more] of [
    ["listTasks", {}],
    ["createTask", { body: { title: "Nowhere" } }],
  ] as const) {
    const rejected = call(name, more, { ...caller, tenantId: unknown });
    await assert.rejects(rejected, (error) => error instanceof ApiError && error.code === "unauthorized");
  }
});

test("IDs that the host creates in upper case are stored in lower case", async () => {
  let count = 0;
  const ids = () => `0195AAAA-0000-7000-8000-${String(++count).padStart(12, "0")}`;
  const own = await testCrm([one], { ids });
  const made = await own.api.operations.createTask?.({ caller, body: { title: "Call" } });
  const { id } = dataOf(made ?? assert.fail());
  assert.equal(id, String(id).toLowerCase());
  assert.equal(made?.location?.endsWith(String(id)), true);
});

test("an operation after close rejects with an error that says so", async () => {
  const closed = await openCrm();
  await closed.api.close();
  const call = closed.api.operations.listTasks({ caller: { tenantId: one.id, scopes: ["tasks:read"] } } as never);
  await assert.rejects(call, { name: "ApiError", status: 503, code: "internal_error", message: "The API is closed." });
});

const idOf = (row: number): string => `0197a3c2-7b1e-8cc0-8d3f-${row.toString(16).padStart(12, "0")}`;

async function importAccounts(operations: readonly unknown[]): Promise<readonly string[]> {
  const { body } = await call("importAccounts", { body: { operations } });
  const { data } = body as { data: readonly { result?: string; error?: { code: string } }[] };
  return data.map(({ result, error }) => result ?? error?.code ?? "");
}

test("importAccounts creates 512 records with the given IDs, and none of them twice", async () => {
  const operations = Array.from({ length: 512 }, (_, row) => ({
    ...{ op: "create", newId: idOf(row) },
    data: { name: `Imported ${row}` },
  }));
  assert.deepEqual(new Set(await importAccounts(operations)), new Set(["created"]));
  assert.equal((await storage.get(one.id, "account", idOf(7)))?.name, "Imported 7");
  const count = async () => (await storage.list(one.id, "account", { includeArchived: true })).length;
  const before = await count();
  assert.deepEqual(new Set(await importAccounts(operations)), new Set(["unchanged"]));
  assert.equal((await send("DELETE", `/accounts/${idOf(7)}`, { key: one.key })).status, 204);
  const again = [operations[7], { op: "create", newId: idOf(600), data: { name: "Imported 8" } }, operations[9]];
  assert.deepEqual(await importAccounts(again), ["unchanged", "duplicate", "unchanged"]);
  assert.equal(await count(), before);
});

test("two imports of the same rows at the same time create each record once", async () => {
  const operations = Array.from({ length: 50 }, (_, row) => ({
    ...{ op: "create", newId: idOf(1_000 + row) },
    data: { name: `Twice ${row}` },
  }));
  const results = await Promise.all([importAccounts(operations), importAccounts(operations)]);
  assert.deepEqual(results.flat().toSorted(), [...Array(50).fill("created"), ...Array(50).fill("unchanged")]);
});

test("a batch over HTTP rejects the IDs of new records", async () => {
  const body = { operations: [{ op: "create", newId: idOf(2_000), data: { name: "HTTP" } }] };
  const { status } = await send("POST", "/accounts/batch", { key: one.key, body });
  assert.equal(status, 400);
});
