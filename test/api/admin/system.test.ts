import assert from "node:assert/strict";
import { test } from "node:test";
import type { SystemStatus, SystemTools } from "../../../lib/index.ts";
import { adminAuth, adminOf } from "../../support/admin.ts";
import { errorOf, one, openCrm, owner, verdict } from "../../support/crm.ts";

const startedAt = Date.parse("2026-03-01T12:00:00.000Z");
const status: SystemStatus = {
  version: "1.2.3",
  startedAt,
  problems: ["Cannot write to the database."],
  problemCodes: ["write_failed"],
  database: { bytes: 5_000_000_000, freeBytes: null },
  backups: { isRunning: true, lastAt: null, lastBytes: null, error: "No space.", errorCode: "disk_full" },
  requests: [{ at: startedAt, count: 3, clientErrors: 1, serverErrors: 0, durationMs: 10 }],
};

test("GET /admin/system returns the state of the server for the tenant of the admin", async () => {
  const tenants: string[] = [];
  const tools: SystemTools = {
    status: async (tenantId) => {
      tenants.push(tenantId);
      return status;
    },
    startBackup: async () => false,
  };
  const crm = await openCrm({}, { adminAuth, system: tools });
  const admin = adminOf(crm, one.id, owner);
  const response = await admin("GET", "/admin/system");
  assert.equal(response.status, 200, response.text);
  assert.deepEqual(response.body, {
    data: {
      ...status,
      startedAt: "2026-03-01T12:00:00.000Z",
      requests: [{ at: "2026-03-01T12:00:00.000Z", count: 3, clientErrors: 1, serverErrors: 0, averageMs: 3.3 }],
    },
  });
  assert.deepEqual(tenants, [one.id]);
  const backup = await admin("POST", "/admin/backups");
  assert.deepEqual([backup.status, (backup.body as { error: { code: string } }).error.code], [404, "not_found"]);
  const member = adminOf(crm, one.id, one.member);
  assert.equal((await member("GET", "/admin/system")).status, 403);
  assert.equal((await member("POST", "/admin/backups")).status, 403);
});

test("POST /admin/backups starts one backup for each Idempotency-Key", async () => {
  let started = 0;
  const tools: SystemTools = {
    status: async () => status,
    startBackup: async () => {
      started++;
      return true;
    },
  };
  const crm = await openCrm({}, { adminAuth, system: tools });
  const admin = adminOf(crm, one.id, owner);
  const headers = { "idempotency-key": "one" };
  const first = await admin("POST", "/admin/backups", { headers });
  const second = await admin("POST", "/admin/backups", { headers });
  assert.deepEqual([first.status, second.text, started], [200, first.text, 1]);
  await admin("POST", "/admin/backups", { headers: { "idempotency-key": "two" } });
  assert.equal(started, 2);
});

test("GET /admin/system returns 404 if the host gives no state", async () => {
  const crm = await openCrm({}, { adminAuth });
  const response = await adminOf(crm, one.id, owner)("GET", "/admin/system");
  assert.equal(response.status, 404);
  assert.match(response.text, /This server doesn't report its state\./);
});

test("PATCH /admin/tenant renames the tenant, and rejects an empty name and unknown fields together", async () => {
  const crm = await openCrm({}, { adminAuth });
  const admin = adminOf(crm, one.id, owner);
  const renamed = await admin("PATCH", "/admin/tenant", { body: { name: "Renamed" } });
  assert.equal(renamed.status, 200, renamed.text);
  const read = await admin("GET", "/admin/tenant");
  assert.equal(read.text, renamed.text);
  const { data } = read.body as { data: { id: string; name: string } };
  assert.deepEqual([data.id, data.name], [one.id, "Renamed"]);
  const wrong = await admin("PATCH", "/admin/tenant", { body: { name: " ", plan: "gold" } });
  const { details } = (wrong.body as { error: { details: { errors: { path: string }[] } } }).error;
  assert.deepEqual([wrong.status, details.errors.map(({ path }) => path).sort()], [400, ["/name", "/plan"]]);
  assert.equal((await admin("GET", "/admin/tenant")).text, read.text);
});

test("PATCH /admin/tenant takes If-Match, and GET returns the ETag", async () => {
  const crm = await openCrm({}, { adminAuth });
  const admin = adminOf(crm, one.id, owner);
  const rename = (name: string, etag: string) =>
    admin("PATCH", "/admin/tenant", { body: { name }, headers: { "if-match": etag } });
  const etag = String((await admin("GET", "/admin/tenant")).headers.get("etag"));
  const stale = await rename("Other", '"2020-01-01T00:00:00.000Z"');
  assert.deepEqual([verdict(stale), errorOf(stale).details?.reason], ["412 conflict", "stale"]);
  assert.equal(verdict(await rename("Other", "x")), "400 validation_error: If-Match invalid_format");
  const renamed = await rename("Renamed", etag);
  assert.equal(renamed.status, 200);
  assert.equal(verdict(await rename("Again", etag)), "412 conflict");
  assert.equal(verdict(await rename("Again", String(renamed.headers.get("etag")))), "200");
  const unchanged = await admin("GET", "/admin/tenant", { headers: { "if-none-match": "*" } });
  assert.equal(unchanged.status, 304);
});
