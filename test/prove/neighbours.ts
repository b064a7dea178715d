import { randomBytes } from "node:crypto";
import { makeApiKey } from "../../lib/auth/api-key.ts";
import { scopes } from "../../lib/model/integration.ts";

/** A tenant of one database, with what opens its doors. */
export type Neighbour = {
  readonly id: string;
  readonly admin: string;
  readonly member: string;
  readonly inactiveAdmin: string;
  /** Every scope, as the second one of \`keys\` has, which is another integration's. */
  readonly key: string;
  readonly keys: Readonly<Record<"second" | "reader" | "bare" | "revoked" | "expired", string>>;
  readonly file: Readonly<Record<string, unknown>>;
};

type Who = {
  readonly id: string;
  /** Four letters or digits that all ids of the tenant's records share. */
  readonly ids: string;
  /** What all its texts end with. */
  readonly mark: string;
  /** When its newest record was changed, which is where its clock stands. */
  readonly newest?: string;
};

const times = { createdAt: "2026-01-05T08:00:00.000Z", updatedAt: "2026-01-05T08:00:00.000Z" };
const later = { createdAt: "2026-01-06T08:00:00.000Z", updatedAt: "2026-01-06T08:00:00.000Z" };
const past = "2026-01-05T08:00:00.000Z";

/** A tenant with at least one record of every kind, and two where an order could matter. */
export function neighbour({ id, ids, mark, newest = later.updatedAt }: Who): Neighbour {
  const of = (number: number): string => `0195${ids}-beef-7000-9bad-${String(number).padStart(12, "0")}`;
  const said = (text: string): string => `${text}${mark}`;
  const mail = (name: string): string => `${said(name)}@tenant.test`;
  const phone = `+47 5501 23${String(mark.length).padStart(2, "0")}`;
  const person = (number: number, name: string) => ({ id: of(number), name: said(name), email: mail(name), ...times });
  const key = (): string => makeApiKey("test", randomBytes);
  const [admin, member, inactiveAdmin] = [of(1), of(2), of(3)];
  const keys = { second: key(), reader: key(), bare: key(), revoked: key(), expired: key() };
  const [first, second, elsewhere] = [of(12), of(13), of(14)];
  const own = (number: number, name: string) => ({ id: of(number), name: said(name), externalId: said(`x-${number}`) });
  const field = (number: number, entity: string) => {
    const fixed = { label: said("Colour"), type: "list", options: [said("Red"), said("Blue")] };
    return { id: of(number), entity, key: said("colour").replace("-", "_"), ...fixed, ...times };
  };
  const main = key();
  const file = {
    tenant: { id, name: said("Tenant"), ...times },
    users: [
      { ...person(1, "ana"), role: "admin" },
      person(2, "max"),
      { ...person(3, "ina"), role: "admin", active: false },
      { ...person(4, "bea"), role: "admin", ...later },
    ],
    pipelines: [
      {
        ...{ id: of(10), name: said("Sales"), isDefault: true, lostReasons: [said("Price")], ...times },
        stages: [
          { id: first, name: said("New"), order: 1, ...times },
          { id: second, name: said("Offer"), order: 2, probability: 50, ...times },
        ],
      },
      {
        ...{ id: of(11), name: said("Service"), ...later },
        stages: [{ id: elsewhere, name: said("Survey"), order: 1, ...later }],
      },
    ],
    customFields: [field(20, "account"), field(21, "contact"), field(22, "opportunity")],
    rules: [
      { id: of(23), entity: "opportunity", field: "amount", when: { stageIds: [elsewhere] }, ...times },
      { id: of(24), entity: "opportunity", field: "currency", when: { stageIds: [elsewhere] }, ...later },
    ],
    integrations: [
      {
        ...{ id: of(30), name: said("ERP"), scopes: mark === "" ? scopes : scopes.toReversed(), ...times },
        keys: [{ id: of(31), key: main, createdBy: admin, ...times }],
      },
      {
        ...{ id: of(39), name: said("Shop"), scopes: [...scopes], ...later },
        keys: [{ id: of(32), key: keys.second, ...later }],
      },
      {
        ...{ id: of(33), name: said("Reader"), scopes: ["tasks:read"], ...later },
        keys: [{ id: of(34), key: keys.reader, ...times }],
      },
      {
        ...{ id: of(35), name: said("Bare"), scopes: [], ...later },
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
      { ...own(50, "Acme"), phone, ownerId: admin, customFields: { [field(0, "").key]: said("Red") }, ...times },
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
        ...{ id: of(80), title: said("Call"), description: said("About it"), assignedTo: member },
        ...{ relatedTo: { type: "account", id: of(50) }, ...times },
      },
      { id: of(81), title: said("Write"), relatedTo: { type: "contact", id: of(60) }, ...later },
      { id: of(82), title: said("Go"), relatedTo: { type: "opportunity", id: of(70) }, ...later, updatedAt: newest },
    ],
  };
  return { id, admin, member, inactiveAdmin, key: main, keys, file };
}

const tenantId = (letter: string): string => `0195${letter.repeat(4)}-cafe-7000-8000-000000000001`;

/** The one that is watched; the others come before and after it in the file and in every order. */
export const one = neighbour({ id: tenantId("c"), ids: "c0de", mark: "" });

export const others = {
  /** All its records have the ids of the watched one's, and its clock stands in the future. */
  twin: neighbour({ id: tenantId("a"), ids: "c0de", mark: "-twin", newest: "2030-01-01T00:00:00.000Z" }),
  /** Says all that the watched one says, under other ids. */
  namesake: neighbour({ id: tenantId("b"), ids: "abcd", mark: "" }),
  /** Nothing in common. */
  stranger: neighbour({ id: tenantId("d"), ids: "fade", mark: "-stranger" }),
};
