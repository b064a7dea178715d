import assert from "node:assert/strict";
import { after } from "node:test";
import type { ApiOptions } from "../../lib/index.ts";
import { loadTenantFile } from "../../lib/tenant-file/index.ts";
import { type Result, sequentialIds, testCrm } from "./harness.ts";
import { dataOf } from "./responses.ts";
import { type Edits, edited } from "./tenant-file-edit.ts";
import { tenantFile, testTenant } from "./tenants.ts";

export { dataOf, errorOf, type ShownError, verdict } from "./responses.ts";

export const one = testTenant(1);
export const two = testTenant(2);
/** An ID that no record has. */
export const unknown = "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11";

const id = (index: number): string => `01950001-0000-7000-9900-${String(index).padStart(12, "0")}`;

/** The oldest active admin: the default owner of records. */
export const owner = id(1);
/** The default pipeline. A lost opportunity requires a reason from its list. */
export const sales = { id: one.pipeline, lead: one.stage, offer: id(3), contract: id(2) };
/** Another pipeline. A lost opportunity can have any reason or none. */
export const service = { id: id(4), survey: id(6), review: id(5) };

/** A record in a response. */
export type Shown = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
};

const past = "2026-01-05T08:00:00.000Z";
const times = { createdAt: past, updatedAt: past };
const admin = { role: "admin", createdAt: "2025-01-05T08:00:00.000Z", updatedAt: past };
const base = tenantFile(one);

/** The tenant file: that of every test tenant, with custom fields, two pipelines and several admins. */
const file = {
  ...base,
  users: [
    ...(base.users as unknown[]),
    { ...admin, id: owner, name: "Olga", email: "olga@tenant.test", updatedAt: "2026-02-01T08:00:00.000Z" },
    { ...admin, name: "Rita", email: "rita@tenant.test", createdAt: "2024-01-05T08:00:00.000Z", active: false },
    { ...admin, name: "Gina", email: "gina@tenant.test", createdAt: "2023-01-05T08:00:00.000Z", archivedAt: past },
    { ...times, name: "Mia", email: "mia@tenant.test", createdAt: "2022-01-05T08:00:00.000Z" },
  ],
  pipelines: [
    {
      id: sales.id,
      name: "Sales",
      isDefault: true,
      lostReasons: ["Price", "No answer"],
      requireLostReason: true,
      stages: [
        { id: sales.contract, name: "Contract", order: 30, probability: 90.5, ...times },
        { id: sales.lead, name: "Lead", order: 10, ...times },
        { id: sales.offer, name: "Offer", order: 20, probability: 50, ...times },
      ],
      ...times,
    },
    {
      id: service.id,
      name: "Service",
      stages: [
        { id: service.review, name: "Review", order: 2, probability: 0, ...times },
        { id: service.survey, name: "Survey", order: 1, probability: 100, ...times },
      ],
      ...times,
    },
  ],
  customFields: ["account", "contact", "opportunity"].flatMap((entity) => [
    { entity, key: "note", label: "Note", type: "text", maxLength: 10, description: `Of the ${entity}` },
    { entity, key: "size", label: "Size", type: "number" },
    { entity, key: "budget", label: "Budget", type: "currency" },
    { entity, key: "since", label: "Since", type: "date" },
    { entity, key: "segment", label: "Segment", type: "list", options: ["SMB", "Mid-Market", "Größe"] },
    { entity, key: "lines", label: "Lines", type: "multi_list", options: ["Filter", "Espresso", "Beans"] },
  ]),
};

/** Opens an API with tenants one and two. Edits the file of tenant one at these JSON Pointers. */
export async function openCrm(edits: Edits = {}, options: Partial<ApiOptions> = {}) {
  const ids = sequentialIds();
  const { api, storage, clock, send } = await testCrm([two], { ids, ...options });
  await loadTenantFile(storage, edited(file, edits), { clock, newId: ids });
  after(() => api.close());
  /**
   * Sends a request of tenant one. Advances the clock by a second, so that times differ and no rate limit is reached.
   */
  const call = (method: string, path: string, body?: unknown): Promise<Result> => {
    clock.advance(1_000);
    return send(method, path, { key: one.key, ...(body === undefined ? {} : { body }) });
  };
  return {
    api,
    send,
    storage,
    clock,
    call,
    create: async (path: string, body: unknown): Promise<Shown> => dataOf(await call("POST", path, body), 201),
    read: async (path: string): Promise<Shown> => dataOf(await call("GET", path)),
  };
}

/** Asserts that a request was rejected because this record has the same name or email address. */
export function assertDuplicate(result: Result, field: "name" | "email", existingId: string): void {
  assert.equal(result.status, 409, result.text);
  const message = `There is already ${field === "name" ? "an account" : "a contact"} with this ${field}.`;
  assert.deepEqual(result.body, { error: { code: "duplicate", message, details: { existingId, field } } });
}

/**
 * Returns the record of the only response with this status. Asserts that it is the duplicate in all other responses.
 */
export function winnerOf(results: readonly Result[], status: number, field: "name" | "email"): Shown {
  const [won, ...more] = results.filter((result) => result.status === status);
  assert.ok(won !== undefined && more.length === 0, `${more.length + 1} responses have the status ${status}`);
  const record = dataOf(won, status);
  for (const result of results.filter((each) => each !== won)) assertDuplicate(result, field, record.id);
  return record;
}
