import assert from "node:assert/strict";
import { after } from "node:test";
import type { ApiOptions } from "../../lib/index.ts";
import { loadTenantFile } from "../../lib/tenant-file/index.ts";
import { dataOf } from "./answers.ts";
import { type Result, sequentialIds, testCrm } from "./harness.ts";
import { type Edits, edited } from "./tenant-file-edit.ts";
import { tenantFile, testTenant } from "./tenants.ts";

export { dataOf, errorOf, type ShownError, verdict } from "./answers.ts";

export const one = testTenant(1);
export const two = testTenant(2);
/** A uuid that names nothing. */
export const unknown = "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11";

const id = (index: number): string => `01950001-0000-7000-9900-${String(index).padStart(12, "0")}`;

/** The active admin who was made first: the owner of what is made without one. */
export const owner = id(1);
/** The default pipeline: a lost sale needs a reason, and from its list. */
export const sales = { id: one.pipeline, lead: one.stage, offer: id(3), contract: id(2) };
/** Another pipeline: a lost sale may say a reason, any. */
export const service = { id: id(4), survey: id(6), review: id(5) };

export type Shown = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
};

const past = "2026-01-05T08:00:00.000Z";
const times = { createdAt: past, updatedAt: past };
const admin = { role: "admin", createdAt: "2025-01-05T08:00:00.000Z", updatedAt: past };
const base = tenantFile(one);

/** The tenant's file: what every test tenant has, and a catalogue, two pipelines and admins of several sorts. */
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

/** The API over tenants one (its file edited at these JSON Pointers) and two. */
export async function openCrm(edits: Edits = {}, options: Partial<ApiOptions> = {}) {
  const ids = sequentialIds();
  const { api, storage, clock, send } = await testCrm([two], { ids, ...options });
  await loadTenantFile(storage, edited(file, edits), { clock, newId: ids });
  after(() => api.close());
  /** With the key of tenant one, a second after the call before: times can be told apart, and no rate is reached. */
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

/** That it was refused because another record, this one, has the same name or e-mail address. */
export function assertTaken(result: Result, field: "name" | "email", existingId: string): void {
  assert.equal(result.status, 409, result.text);
  const message = `There is already ${field === "name" ? "an account" : "a contact"} with this ${field}.`;
  assert.deepEqual(result.body, { error: { code: "duplicate", message, details: { existingId, field } } });
}

/** The record of the only answer with this status; all the others must have been refused because of it. */
export function winnerOf(results: readonly Result[], status: number, field: "name" | "email"): Shown {
  const [won, ...more] = results.filter((result) => result.status === status);
  assert.ok(won !== undefined && more.length === 0, `${more.length + 1} were let through`);
  const record = dataOf(won, status);
  for (const result of results.filter((each) => each !== won)) assertTaken(result, field, record.id);
  return record;
}
