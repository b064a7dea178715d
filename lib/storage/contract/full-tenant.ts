import { type AnyRecord, type Kind, models, type Records } from "../../model/kinds.ts";
import type { Write } from "../storage.ts";
import { baseFields, idOf, newAccount, newContact, newNote, newOpportunity, newTask } from "./records.ts";

/** Records of a tenant, by kind. */
export type TenantRecords = { readonly [K in Kind]: readonly Records[K][] };

/**
 * Returns a tenant with two records of every other kind. One has a value in every field. The other is archived and has
 * null in every field that can be null. The values are extreme, to find storages that change them.
 */
export function fullTenant(tenant: number, at: number): TenantRecords {
  const id = (index: number): string => idOf(tenant, index);
  const full = (index: number) => baseFields(id(index), at);
  const bare = (index: number) => ({ ...full(index), createdAt: -1, archivedAt: at });
  const text = `Ünïcödé 🜲 "'\\ \u2028 %_ \t\n e\u0301 ${tenant}`;
  const json = { deep: [{ a: [null, true, -1e21, 0.1] }, []], ["__proto__"]: { x: 1 }, "": "", ключ: text };
  const stageOf = { pipelineId: id(3), stageId: id(5) };
  const relatedTo = { type: "opportunity", id: id(21) } as const;
  const [scopes, hash] = [["tasks:read", "accounts:write"] as const, (n: number) => `${tenant}${n}`.padEnd(64, "0")];
  const key = { integrationId: id(11), maskedKey: "crm_test_…" };
  const closed = { status: "lost", lostReason: text, closedAt: 0 } as const;
  return {
    tenant: [{ name: text, ...baseFields(id(0), at) }],
    user: [
      { name: text, email: "Élan@CRM.test", role: "admin", active: true, externalId: text, ...full(1) },
      { name: "b", email: "b@crm.test", role: "member", active: false, externalId: null, ...bare(2) },
    ],
    pipeline: [
      { name: text, isDefault: true, lostReasons: [text, "b"], requireLostReason: true, ...full(3) },
      { name: "b", isDefault: false, lostReasons: [], requireLostReason: false, ...bare(4) },
    ],
    stage: [
      { pipelineId: id(3), name: text, order: Number.MAX_SAFE_INTEGER, probability: 33.3, ...full(5) },
      { pipelineId: id(3), name: "b", order: Number.MIN_SAFE_INTEGER, probability: null, ...bare(6) },
    ],
    customField: [
      {
        ...{ entity: "account", key: "k", label: text, type: "list", required: true, description: text },
        ...{ maxLength: null, options: ["b", text], optionLabels: { b: text }, position: -7, ...full(7) },
      },
      {
        ...{ entity: "contact", key: "k", label: "b", type: "text", required: false, description: null },
        ...{ maxLength: 2 ** 40, options: null, optionLabels: null, position: 0, ...bare(8) },
      },
    ],
    rule: [
      { entity: "task", field: "dueDate", when: { stageIds: [id(5)], statuses: ["won"] }, ...full(9) },
      { entity: "contact", field: "email", when: null, ...bare(10) },
    ],
    integration: [
      { name: text, scopes: [...scopes], ...full(11) },
      { name: "b", scopes: [], ...bare(12) },
    ],
    apiKey: [
      {
        ...key,
        hash: hash(1),
        createdBy: id(1),
        lastUsedAt: 0,
        expiresAt: -1,
        revokedAt: 253402300799999,
        ...full(13),
      },
      { ...key, hash: hash(2), createdBy: null, lastUsedAt: null, expiresAt: null, revokedAt: null, ...bare(14) },
    ],
    grant: [
      { userId: id(1), ...full(15) },
      { userId: id(2), ...bare(16) },
    ],
    webhook: [
      {
        ...{ integrationId: id(11), url: text, types: [text, ""], skipOwn: true, active: false, description: text },
        ...{ secret: text, previousSecret: text, previousSecretUntil: -1, ...full(29) },
      },
      {
        ...{ integrationId: null, url: "", types: null, skipOwn: false, active: true, description: null },
        ...{ secret: "", previousSecret: null, previousSecretUntil: null, ...bare(30) },
      },
    ],
    account: [
      {
        ...{ name: text, document: "", website: text, phone: "0", email: text, description: text.repeat(500) },
        address: { street: text, city: null, state: "", postalCode: "01234", country: null },
        ...{ ownerId: id(1), externalId: "1e3", customFields: json, ...full(17) },
      },
      newAccount(id(18), at, bare(18)),
    ],
    contact: [
      {
        ...{ name: text, email: "Éva@CRM.test", phone: "007", jobTitle: text, accountId: id(17), ownerId: id(1) },
        ...{ externalId: "0x1", customFields: json, ...full(19) },
      },
      newContact(id(20), at, bare(20)),
    ],
    opportunity: [
      {
        ...{ name: text, accountId: id(17), contactIds: [id(20), id(19)], ...stageOf, ...closed, ownerId: id(1) },
        ...{ amount: -1234567.891, currency: "EUR", expectedCloseDate: "2026-02-28", stageChangedAt: at + 1 },
        ...{ externalId: "null", customFields: json, ...full(21) },
      },
      newOpportunity(id(22), at, { ...stageOf, ...bare(22), amount: 1.7976931348623157e308 }),
    ],
    task: [
      {
        ...{ title: text, description: "", priority: "high", status: "completed", dueDate: -62167219200000, relatedTo },
        ...{ assignedTo: id(1), closedAt: at, ...full(23) },
      },
      newTask(id(24), at, bare(24)),
    ],
    note: [
      {
        body: text.repeat(500),
        relatedTo,
        authorId: id(1),
        occurredAt: 253402300799999,
        externalId: "-0",
        ...full(29),
      },
      newNote(id(30), at, { type: "contact", id: id(19) }, bare(30)),
    ],
    idempotencyRecord: [
      {
        integrationId: id(11),
        fingerprint: text,
        path: text,
        status: 201,
        body: JSON.stringify(json),
        location: text,
        ...full(25),
      },
      { integrationId: null, fingerprint: "", path: "", status: 204, body: null, location: null, ...bare(26) },
    ],
    event: [
      {
        ...{ type: "account.updated", recordId: id(17), changed: [text, "name"], before: json, previousAt: -1 },
        ...{ integrationId: id(11), keyId: id(13), userId: id(1), requestId: text, ...full(27) },
      },
      {
        ...{ type: "", recordId: id(18), changed: null, before: null, previousAt: null, integrationId: null },
        ...{ keyId: null, userId: null, requestId: null, ...full(28) },
      },
    ],
    webhookState: [
      {
        ...{ positionAt: -1, positionId: id(27), failingSince: 0, failures: 7, rejections: 2, nextAttemptAt: at },
        lastAttempt: { at, eventId: id(27), status: null, error: text, durationMs: 0.5 },
        skipped: [{ eventId: id(27), type: text, recordId: id(17), at: -1, status: 422 }],
        ...{ lastSuccessAt: at, pausedReason: "failing", leaseOwner: text, leaseUntil: at, ...full(29) },
      },
      {
        ...{ positionAt: 0, positionId: null, failingSince: null, failures: 0, rejections: 0, nextAttemptAt: null },
        ...{ lastAttempt: null, skipped: [], lastSuccessAt: null, pausedReason: null, leaseOwner: null },
        ...{ leaseUntil: null, ...bare(30) },
      },
    ],
    consoleAccess: [
      {
        sessions: [{ id: id(3), hash: text, userAgent: text, createdAt: -1, lastUsedAt: at }],
        invitation: { hash: text, createdBy: null, createdAt: at, expiresAt: 253402300799999 },
        passkeys: [{ id: text, publicKey: text, counter: 1, name: text, createdAt: -1, lastUsedAt: null }],
        ...full(1),
      },
      { sessions: [], invitation: null, passkeys: [], ...bare(2) },
    ],
  };
}

/** Returns an insert of each record, after the records that it references. */
export function insertAll(lists: TenantRecords): Write[] {
  return (Object.keys(models) as Kind[]).flatMap((kind) =>
    (lists[kind] as readonly AnyRecord[]).map((record) => ({ op: "insert", kind, record }) as unknown as Write),
  );
}
