import { randomBytes } from "node:crypto";
import { makeApiKey } from "../../../lib/auth/api-key.ts";
import { scopes } from "../../../lib/model/integration.ts";

/** A tenant of the database, with its API keys and users. */
export type TestTenant = {
  readonly id: string;
  readonly admin: string;
  readonly member: string;
  readonly inactiveAdmin: string;
  /** Has all scopes, like the key `second`, which belongs to another integration. */
  readonly key: string;
  readonly keys: Readonly<Record<"second" | "reader" | "bare" | "revoked" | "expired", string>>;
  readonly file: Readonly<Record<string, unknown>>;
};

type TenantOptions = {
  readonly id: string;
  /** Four letters or digits that all IDs of the tenant's records share. */
  readonly ids: string;
  /** The end of all its texts. */
  readonly mark: string;
  /** Time of its latest change, which is its tenant clock. */
  readonly newest?: string;
};

const times = { createdAt: "2026-01-05T08:00:00.000Z", updatedAt: "2026-01-05T08:00:00.000Z" };
const later = { createdAt: "2026-01-06T08:00:00.000Z", updatedAt: "2026-01-06T08:00:00.000Z" };
const past = "2026-01-05T08:00:00.000Z";

/** Creates a tenant with at least one record of every kind, and two where the order could matter. */
export function createTestTenant({ id, ids, mark, newest = later.updatedAt }: TenantOptions): TestTenant {
  const of = (number: number): string => `0195${ids}-beef-7000-9bad-${String(number).padStart(12, "0")}`;
  const suffixed = (text: string): string => `${text}${mark}`;
  const mail = (name: string): string => `${suffixed(name)}@tenant.test`;
  const phone = `+47 5501 23${String(mark.length).padStart(2, "0")}`;
  const person = (number: number, name: string) => ({
    id: of(number),
    name: suffixed(name),
    email: mail(name),
    ...times,
  });
  const key = (): string => makeApiKey("test", randomBytes);
  const [admin, member, inactiveAdmin] = [of(1), of(2), of(3)];
  const keys = { second: key(), reader: key(), bare: key(), revoked: key(), expired: key() };
  const [first, second, elsewhere] = [of(12), of(13), of(14)];
  const own = (number: number, name: string) => ({
    id: of(number),
    name: suffixed(name),
    externalId: suffixed(`x-${number}`),
  });
  const field = (number: number, entity: string) => {
    const fixed = { label: suffixed("Colour"), type: "list", options: [suffixed("Red"), suffixed("Blue")] };
    return { id: of(number), entity, key: suffixed("colour").replace("-", "_"), ...fixed, ...times };
  };
  const main = key();
  const file = {
    tenant: { id, name: suffixed("Tenant"), ...times },
    users: [
      { ...person(1, "ana"), role: "admin" },
      person(2, "max"),
      { ...person(3, "ina"), role: "admin", active: false },
      { ...person(4, "bea"), role: "admin", ...later },
    ],
    pipelines: [
      {
        ...{ id: of(10), name: suffixed("Sales"), isDefault: true, lostReasons: [suffixed("Price")], ...times },
        stages: [
          { id: first, name: suffixed("New"), order: 1, ...times },
          { id: second, name: suffixed("Offer"), order: 2, probability: 50, ...times },
        ],
      },
      {
        ...{ id: of(11), name: suffixed("Service"), ...later },
        stages: [
          { id: elsewhere, name: suffixed("Survey"), order: 1, ...later },
          { id: of(15), name: suffixed("Visit"), order: 2, ...later },
        ],
      },
      {
        ...{ id: of(16), name: suffixed("Rentals"), ...later },
        stages: [{ id: of(17), name: suffixed("Request"), order: 1, ...later }],
      },
    ],
    customFields: [field(20, "account"), field(21, "contact"), field(22, "opportunity")],
    rules: [
      { id: of(23), entity: "opportunity", field: "amount", when: { stageIds: [elsewhere] }, ...times },
      { id: of(24), entity: "opportunity", field: "currency", when: { stageIds: [elsewhere] }, ...later },
    ],
    integrations: [
      {
        ...{ id: of(30), name: suffixed("ERP"), scopes: mark === "" ? scopes : scopes.toReversed(), ...times },
        keys: [{ id: of(31), key: main, createdBy: admin, ...times }],
      },
      {
        ...{ id: of(39), name: suffixed("Shop"), scopes: [...scopes], ...later },
        keys: [{ id: of(32), key: keys.second, ...later }],
      },
      {
        ...{ id: of(33), name: suffixed("Reader"), scopes: ["tasks:read"], ...later },
        keys: [{ id: of(34), key: keys.reader, ...times }],
      },
      {
        ...{ id: of(35), name: suffixed("Bare"), scopes: [], ...later },
        keys: [
          { id: of(36), key: keys.bare, ...times },
          { id: of(37), key: keys.revoked, revokedAt: past, ...times },
          { id: of(38), key: keys.expired, expiresAt: past, ...times },
        ],
      },
    ],
    grants: [
      { id: of(40), userId: member, ...times },
      { id: of(41), userId: member, ...later },
    ],
    accounts: [
      { ...own(50, "Acme"), phone, ownerId: admin, customFields: { [field(0, "").key]: suffixed("Red") }, ...times },
      { ...own(51, "Bolt"), ...later },
    ],
    contacts: [
      { ...own(60, "Carla"), phone, email: mail("carla"), accountId: of(50), ownerId: admin, ...times },
      { ...own(61, "Dora"), email: mail("dora"), ...later },
    ],
    opportunities: [
      {
        ...{ ...own(70, "First"), accountId: of(50), contactIds: [of(60), of(61)], pipelineId: of(10), stageId: first },
        ...{ ownerId: admin, amount: 10, currency: "EUR", expectedCloseDate: "2026-05-01", ...times },
      },
      { ...own(71, "Second"), contactIds: [of(61)], pipelineId: of(10), stageId: second, ...later },
    ],
    tasks: [
      {
        ...{ id: of(80), title: suffixed("Call"), description: suffixed("About it"), assignedTo: member },
        ...{ relatedTo: { type: "account", id: of(50) }, ...times },
      },
      { id: of(81), title: suffixed("Write"), relatedTo: { type: "contact", id: of(60) }, ...later },
      {
        id: of(82),
        title: suffixed("Go"),
        relatedTo: { type: "opportunity", id: of(70) },
        ...later,
        updatedAt: newest,
      },
    ],
    notes: [
      {
        ...{ id: of(90), body: suffixed("Called"), externalId: suffixed("x-90"), authorId: member },
        ...{ relatedTo: { type: "account", id: of(50) }, occurredAt: times.createdAt, ...times },
      },
      { id: of(91), body: suffixed("Wrote"), relatedTo: { type: "contact", id: of(60) }, ...later },
    ],
  };
  return { id, admin, member, inactiveAdmin, key: main, keys, file };
}

const tenantId = (letter: string): string => `0195${letter.repeat(4)}-cafe-7000-8000-000000000001`;

/** The tested tenant. The others come before and after it in the file and in every order. */
export const one = createTestTenant({ id: tenantId("c"), ids: "c0de", mark: "" });

export const others = {
  /** Its records have the same IDs as those of the tested tenant, and its clock is ahead. */
  twin: createTestTenant({ id: tenantId("a"), ids: "c0de", mark: "-twin", newest: "2030-01-01T00:00:00.000Z" }),
  /** Has all texts of the tested tenant, with other IDs. */
  namesake: createTestTenant({ id: tenantId("b"), ids: "abcd", mark: "" }),
  /** Shares nothing with the tested tenant. */
  unrelated: createTestTenant({ id: tenantId("d"), ids: "fade", mark: "-unrelated" }),
};
