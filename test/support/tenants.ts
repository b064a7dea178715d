import { randomBytes } from "node:crypto";
import { makeApiKey } from "../../lib/auth/api-key.ts";
import { scopes } from "../../lib/model/integration.ts";

/** A small tenant for tests, with API keys of all kinds. */
export type Tenant = ReturnType<typeof testTenant>;

/** Returns tenant number 1, 2, … The number determines its IDs. Its API keys are random. */
export function testTenant(number: number) {
  const id = (kind: number, index: number): string =>
    `0195${String(number).padStart(4, "0")}-0000-7000-9${String(kind).padStart(3, "0")}-${String(index).padStart(12, "0")}`;
  const key = (): string => makeApiKey("test", randomBytes);
  return {
    id: id(0, number),
    admin: id(1, 1),
    member: id(1, 2),
    inactive: id(1, 3),
    account: id(2, 1),
    archivedAccount: id(2, 2),
    contact: id(3, 1),
    opportunity: id(4, 1),
    task: id(5, 1),
    archivedTask: id(5, 2),
    note: id(9, 1),
    pipeline: id(6, 1),
    stage: id(7, 1),
    integration: id(8, 1),
    otherIntegration: id(8, 2),
    /** Has every scope. */
    key: key(),
    /** The second key of the same integration. */
    secondKey: key(),
    /** Has only the scope tasks:read. */
    readKey: key(),
    /** Has no scope. */
    bareKey: key(),
    revokedKey: key(),
    expiredKey: key(),
  };
}

/** Returns the tenant file of a tenant. */
export function tenantFile(tenant: Tenant): Record<string, unknown> {
  const past = "2026-01-05T08:00:00.000Z";
  const times = { createdAt: past, updatedAt: past };
  return {
    tenant: { id: tenant.id, name: "Tenant", ...times },
    users: [
      { id: tenant.admin, name: "Ana Admin", email: "ana@tenant.test", role: "admin", externalId: "hr-7", ...times },
      { id: tenant.member, name: "Max Member", email: "max@tenant.test", role: "member", ...times },
      { id: tenant.inactive, name: "Ina Inactive", email: "ina@tenant.test", role: "member", active: false, ...times },
    ],
    pipelines: [
      {
        id: tenant.pipeline,
        name: "Sales",
        isDefault: true,
        stages: [{ id: tenant.stage, name: "New", order: 1, probability: 10, ...times }],
        ...times,
      },
    ],
    integrations: [
      {
        id: tenant.integration,
        name: "ERP",
        scopes: [...scopes],
        keys: [{ key: tenant.key }, { key: tenant.secondKey }],
      },
      { name: "Reader", id: tenant.otherIntegration, scopes: ["tasks:read"], keys: [{ key: tenant.readKey }] },
      {
        name: "Bare",
        scopes: [],
        keys: [
          { key: tenant.bareKey },
          { key: tenant.revokedKey, revokedAt: past },
          { key: tenant.expiredKey, expiresAt: past },
        ],
      },
    ],
    accounts: [
      { id: tenant.account, name: "Acme", ...times },
      { id: tenant.archivedAccount, name: "Gone", archivedAt: past, ...times },
    ],
    contacts: [
      { id: tenant.contact, name: "Carla Contact", email: "carla@acme.test", accountId: tenant.account, ...times },
    ],
    opportunities: [
      {
        id: tenant.opportunity,
        name: "First order",
        accountId: tenant.account,
        contactIds: [tenant.contact],
        pipelineId: tenant.pipeline,
        stageId: tenant.stage,
        ...times,
      },
    ],
    tasks: [
      {
        id: tenant.task,
        title: "Call Carla",
        relatedTo: { type: "contact", id: tenant.contact },
        assignedTo: tenant.member,
        ...times,
      },
      { id: tenant.archivedTask, title: "Old", archivedAt: past, ...times },
    ],
    notes: [
      {
        id: tenant.note,
        body: "Wants a quote.\nCalls again.",
        relatedTo: { type: "contact", id: tenant.contact },
        authorId: tenant.member,
        ...times,
      },
    ],
  };
}
