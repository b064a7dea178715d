import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryStorage } from "../../../lib/storage/memory.ts";
import { loadTenantFile, TenantFileError } from "../../../lib/tenant-file/index.ts";
import { errorOf, one, openCrm } from "../../support/crm.ts";

/** 262,144 bytes of UTF-8: the longest text that a field takes. */
const longest = "👩".repeat(65_536);
const keys = ["a", "b", "c", "d"];
const customFields = keys.map((key) => ({ entity: "account", key, label: key, type: "text", maxLength: 65_536 }));

test("a record can't exceed 1 MiB, and the error names the longest value that was sent", async () => {
  const { call, create, read } = await openCrm({ "/customFields": customFields });
  const { id } = await create("/accounts", { name: "Large", description: longest });
  for (const key of ["a", "b"]) {
    const { status } = await call("PATCH", `/accounts/${id}`, { customFields: { [key]: longest } });
    assert.equal(status, 200);
  }
  const rejected = await call("PATCH", `/accounts/${id}`, { phone: "1", customFields: { c: longest } });
  assert.equal(rejected.status, 422);
  const { code, message, details } = errorOf(rejected);
  assert.equal(code, "validation_error");
  assert.match(
    message,
    /^The account would have 10\d{5} bytes as JSON\. A record has at most 1 MiB \(1048576 bytes\)\. Shorten its texts, for example customFields\.c\.$/,
  );
  const error = details?.errors?.[0];
  assert.deepEqual([error?.path, error?.code], ["/customFields/c", "too_long"]);
  assert.equal((await read(`/accounts/${id}`)).phone, null);
  // A shorter text fits, and the limit is that of the record, not of the request.
  assert.equal((await call("PATCH", `/accounts/${id}`, { customFields: { c: "short" } })).status, 200);
});

test("escapes count: a record of control characters is larger than its text", async () => {
  const { call, create } = await openCrm({ "/customFields": customFields });
  const { id } = await create("/accounts", { name: "Escapes", description: "\u0001".repeat(65_536) });
  const escapes = "\u0001".repeat(65_536);
  assert.equal((await call("PATCH", `/accounts/${id}`, { customFields: { a: escapes } })).status, 200);
  const rejected = await call("PATCH", `/accounts/${id}`, { customFields: { b: escapes } });
  assert.equal(errorOf(rejected).details?.errors?.[0]?.path, "/customFields/b");
});

test("an operation of a batch whose record would be too large fails alone", async () => {
  const { call, create } = await openCrm({ "/customFields": customFields });
  const values = { a: longest, b: longest };
  const { id } = await create("/accounts", { name: "Batch", customFields: values });
  assert.equal((await call("PATCH", `/accounts/${id}`, { customFields: { c: longest } })).status, 200);
  const operations = [
    { op: "update", id, data: { description: longest } },
    { op: "update", id: one.account, data: { phone: "2" } },
  ];
  const { status, body } = await call("POST", "/accounts/batch", { operations });
  const items = (body as { data: { status: number }[] }).data;
  assert.deepEqual([status, items.map((item) => item.status)], [207, [422, 200]]);
});

test("a tenant file with a record of more than 1 MiB is rejected with its path", async () => {
  const values = { a: longest, b: longest, c: longest, d: longest };
  const tenant = { id: one.id, name: "Large" };
  const file = { tenant, customFields, accounts: [{ name: "Fits" }, { name: "Large", customFields: values }] };
  await assert.rejects(loadTenantFile(memoryStorage(), file), (error) => {
    assert.ok(error instanceof TenantFileError);
    const paths = error.issues.map(({ problem: { path, code } }) => `${path} ${code}`);
    assert.deepEqual(paths, ["/accounts/1/customFields/a too_long"]);
    return true;
  });
});
