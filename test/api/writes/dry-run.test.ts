import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Kind } from "../../../lib/index.ts";
import { type Entity, entityKinds } from "../../../lib/model/entities.ts";
import { dataOf, errorOf, one, openCrm, sales, service, verdict } from "../../support/crm.ts";
import { listPaths } from "../../support/entity-fields.ts";
import type { Result } from "../../support/harness.ts";
import { seed } from "../../support/seed.ts";

const crm = await openCrm({
  "/rules": [
    { entity: "account", field: "phone" },
    { entity: "opportunity", field: "amount", when: { stageIds: [sales.offer] } },
    { entity: "opportunity", field: "customFields.segment", when: { statuses: ["won"] } },
  ],
});
const { storage, clock, read } = crm;
const prefer = { prefer: "dry-run" };

function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Result> {
  clock.advance(1_000);
  return crm.send(method, path, { key: one.key, headers, ...(body === undefined ? {} : { body }) });
}

const kinds: readonly Kind[] = [...entityKinds, "idempotencyRecord"];

/** Returns all records that a request could write. */
async function stored(): Promise<unknown> {
  return Promise.all(kinds.map((kind) => storage.list(one.id, kind, { includeArchived: true })));
}

/** Returns the parts of a response that a dry run has as well. The ID of a new record and times differ. */
function comparable({ status, text }: Result): unknown {
  const id = status === 201 ? /"id":"[^"]+"/ : /$^/;
  return [status, text.replace(id, '"id"').replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"time"')];
}

const id = fc.constantFrom(...entityKinds.map((kind) => one[kind]), "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11");
const name = fc.constantFrom("Acme", "acme ", "Ada", "Ådå", "", "x", 5, null);
const email = fc.constantFrom("ada@tenant.test", "ADA@tenant.test", "new@tenant.test", "no address", "", null);
const customFields = fc.constantFrom({}, { segment: "smb" }, { segment: "no" }, { size: 5 }, { unknown: 1 }, null);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });

const bodies: Readonly<Record<Entity, fc.Arbitrary<unknown>>> = {
  account: fc.record({
    name: maybe(name),
    phone: maybe(fc.constantFrom("1", null)),
    customFields: maybe(customFields),
  }),
  contact: fc.record({
    name: maybe(name),
    email: maybe(email),
    accountId: maybe(id),
    customFields: maybe(customFields),
  }),
  opportunity: fc.record({
    name: maybe(name),
    stageId: maybe(fc.constantFrom(sales.lead, sales.offer, service.survey, one.account)),
    pipelineId: maybe(fc.constantFrom(sales.id, service.id)),
    status: maybe(fc.constantFrom("open", "won", "lost", "odd")),
    lostReason: maybe(fc.constantFrom("Price", "odd", null)),
    amount: maybe(fc.constantFrom(5, null, "5")),
    contactIds: maybe(fc.array(id, { maxLength: 2 })),
    customFields: maybe(customFields),
  }),
  task: fc.record({
    title: maybe(name),
    status: maybe(fc.constantFrom("pending", "completed", "odd")),
    relatedTo: maybe(fc.record({ type: fc.constantFrom("account", "contact"), id })),
  }),
  note: fc.record({
    body: maybe(name),
    relatedTo: maybe(fc.record({ type: fc.constantFrom("account", "contact"), id })),
    occurredAt: maybe(fc.constantFrom("2026-01-01T00:00:00Z", "yesterday", null)),
  }),
};

const requests = fc.constantFrom(...entityKinds).chain((kind) =>
  fc.record({
    method: fc.constantFrom("POST", "PATCH", "DELETE", "restore"),
    list: fc.constant(listPaths[kind]),
    id,
    body: bodies[kind],
    tenantId: maybe(fc.constantFrom(one.id, one.account)),
  }),
);

test("a dry run returns the response of the real request and changes nothing", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(requests, { minLength: 1, maxLength: 10 }), async (all) => {
      for (const { method, list, body, tenantId, ...request } of all) {
        const path = `${list}${method === "POST" ? "" : `/${request.id}`}${method === "restore" ? "/restore" : ""}`;
        const sent = ["POST", "PATCH"].includes(method) ? body : undefined;
        const headers = tenantId === undefined ? {} : { "x-tenant-id": tenantId };
        const before = await stored();
        const real = method === "restore" ? "POST" : method;
        const dry = await send(real, path, sent, { ...headers, ...prefer });
        assert.deepEqual(await stored(), before);
        assert.deepEqual(comparable(dry), comparable(await send(real, path, sent, headers)));
        assert.equal(dry.headers.get("preference-applied"), dry.status < 300 ? "dry-run" : null);
        assert.deepEqual([dry.headers.get("location"), dry.headers.get("etag")], [null, null]);
      }
    }),
    { numRuns: 60, seed },
  );
});

test("a dry run of POST /accounts returns 409 duplicate with existingId", async () => {
  const { id: existingId } = await crm.create("/accounts", { name: "Taken", phone: "1" });
  const rejected = errorOf(await send("POST", "/accounts", { name: "taken", phone: "1" }, prefer));
  assert.deepEqual([rejected.code, rejected.details], ["duplicate", { existingId, field: "name" }]);
});

test("a dry run neither looks up nor uses an Idempotency-Key", async () => {
  const headers = { "idempotency-key": "order 1" };
  const body = { title: "Call" };
  assert.equal(verdict(await send("POST", "/tasks", body, { ...headers, ...prefer })), "201");
  const first = dataOf(await send("POST", "/tasks", { title: "Write" }, headers), 201);
  const dry = await send("POST", "/tasks", body, { ...headers, ...prefer });
  assert.deepEqual([dry.status, dry.headers.get("idempotent-replayed")], [201, null]);
  assert.equal(dataOf(await send("POST", "/tasks", { title: "Write" }, headers), 201).id, first.id);
});

test("a dry run doesn't call onCommitted", async () => {
  const events: unknown[] = [];
  const observed = await openCrm({}, { onCommitted: (writes) => void events.push(writes) });
  await observed.send("POST", "/tasks", { key: one.key, body: { title: "Call" }, headers: prefer });
  assert.deepEqual(events, []);
  await observed.send("POST", "/tasks", { key: one.key, body: { title: "Call" } });
  assert.equal(events.length, 1);
});

test("Prefer is read as a list, ignores other preferences and the case of names", async () => {
  for (const value of ["return=minimal, dry-run", "DRY-RUN", "dry-run,respond-async"]) {
    const { headers } = await send("POST", "/tasks", { title: "Call" }, { prefer: value });
    assert.equal(headers.get("preference-applied"), "dry-run", value);
  }
  const real = await send("POST", "/tasks", { title: "Call" }, { prefer: "return=minimal" });
  assert.equal(real.headers.get("preference-applied"), null);
  assert.equal((await read(`/tasks/${dataOf(real, 201).id}`)).title, "Call");
});

test("a misspelled dry-run returns 400 and writes nothing", async () => {
  const before = await stored();
  for (const value of ["dryrun", "dry_run", "dry-run=true", "dry-run; wait=1"]) {
    const rejected = await send("POST", "/tasks", { title: "Call" }, { prefer: value });
    assert.equal(verdict(rejected), "400 validation_error: Prefer invalid_format", value);
  }
  assert.deepEqual(await stored(), before);
});

test("operations that don't support a dry run return 400 that names the header, and reads ignore it", async () => {
  const body = { tenantId: one.id, emails: [] };
  const rejected = await send("POST", "/contacts/opportunities/active", body, prefer);
  assert.equal(verdict(rejected), "400 validation_error: Prefer invalid_format");
  assert.equal(verdict(await send("GET", "/tasks", undefined, prefer)), "200");
});

test("operations in process take dryRun", async () => {
  const caller = { tenantId: one.id, scopes: ["tasks:write"], userId: null };
  const call = { caller: { ...caller, integrationId: null }, body: { title: "Call" } } as const;
  const before = await stored();
  const { status, headers } = await crm.api.operations.createTask({ ...call, dryRun: true } as never);
  assert.deepEqual([status, headers], [201, { "Preference-Applied": "dry-run" }]);
  assert.deepEqual(await stored(), before);
});
