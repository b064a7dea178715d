import { textField } from "../../support/entity-fields.ts";
import { type Tenant, tenantFile } from "../../support/tenants.ts";
import type { Shown, Synced } from "./ledger.ts";

/** Returns values of filtered fields. Writers and filters share them. */
function filterValues(tenant: Tenant): Readonly<Record<Synced, Readonly<Record<string, readonly string[]>>>> {
  const ownerId = [tenant.admin, tenant.member];
  const externalId = ["A-1", "A-2", "A-3"];
  const accountId = [tenant.account, tiedId(tenant, 2, 1)];
  return {
    // Few names and addresses, so that some are taken.
    account: { name: ["Acme", "Apex", "Axis"], ownerId, externalId },
    contact: { email: ["a@x.test", "b@x.test", "c@x.test"], accountId, ownerId, externalId },
    opportunity: {
      status: ["open", "won", "lost"],
      contactId: [tenant.contact, tiedId(tenant, 3, 1)],
      stageId: [tenant.stage],
      accountId,
      ownerId,
      externalId,
    },
    task: {
      status: ["pending", "completed", "canceled"],
      assignedTo: ownerId,
      relatedToId: [tenant.contact, tenant.account],
    },
    note: { authorId: ownerId, externalId, relatedToId: [tenant.contact, tenant.account] },
  };
}

/** Fields with a filter that takes a list of values. */
const keyFields = ["name", "email", "externalId"];

/** Returns one or two filters of a list. The same number returns the same filters. */
export function filtersOf(tenant: Tenant, kind: Synced, number: number): Readonly<Record<string, string>> {
  const all = Object.entries(filterValues(tenant)[kind]);
  const [first, second] = [all[number % all.length], all[(number >> 4) % all.length]];
  const chosen = number % 3 === 0 ? [first, second] : [first];
  return Object.fromEntries(
    chosen.flatMap((each) => {
      if (each === undefined) return [];
      const [name, values] = each;
      const isList = keyFields.includes(name) && number % 2 === 0;
      return [isList ? [`${name}s`, values.slice(1).join(",")] : [name, values[number % values.length] ?? ""]];
    }),
  );
}

/** Returns whether a record matches these filters. */
export function isWanted(shown: Shown, filters: Readonly<Record<string, string>>, archived: boolean): boolean {
  if (shown.archivedAt !== undefined && !archived) return false;
  const related = (shown.relatedTo as { id: string } | null | undefined)?.id;
  const values = { ...shown, contactId: shown.contactIds, relatedToId: related };
  return Object.entries(filters).every(([name, value]) => {
    const field = keyFields.find((each) => name === `${each}s`) ?? name;
    const wanted = field === name ? [value] : value.split(",");
    const found = [(values as Readonly<Record<string, unknown>>)[field]].flat();
    return wanted.some((each) => found.includes(each));
  });
}

/** Returns a field and its value, chosen by a number: a filtered field or the name. */
export function fieldOf(tenant: Tenant, kind: Synced, number: number): Readonly<Record<string, unknown>> {
  const all = Object.entries(filterValues(tenant)[kind]);
  const [name, values = []] = all[number % (all.length + 1)] ?? [];
  const value = values[(number >> 4) % values.length];
  if (name === "contactId") return { contactIds: number % 2 === 0 ? [value] : values };
  // The related record of a note can't change.
  if (name === "relatedToId" && kind === "task")
    return { relatedTo: { type: value === tenant.contact ? "contact" : "account", id: value } };
  return name === undefined || name === "relatedToId" ? { [textField(kind)]: `Name ${number}` } : { [name]: value };
}

/** Returns the ID of record `index` of the tenant file. All these records have the same `updatedAt`. */
function tiedId(tenant: Tenant, list: number, index: number): string {
  return tenant.account.replace(
    /9002-0{11}1$/,
    `9${String(list).padStart(3, "0")}-a${String(index).padStart(11, "0")}`,
  );
}

/** Returns a tenant file with records of each kind that share one `updatedAt`, some archived, and one much newer. */
export function tiedTenantFile(tenant: Tenant, newest: string): Record<string, unknown> {
  const file = tenantFile(tenant);
  const past = "2026-01-05T08:00:00.000Z";
  const tied = (list: number, fields: (index: number) => object) =>
    [1, 2, 3, 4, 5].map((index) => {
      const updatedAt = index === 5 && list === 5 ? newest : past;
      const archivedAt = index === 3 ? { archivedAt: past } : {};
      return { id: tiedId(tenant, list, index), ...fields(index), createdAt: past, updatedAt, ...archivedAt };
    });
  const more = {
    accounts: tied(2, (index) => ({ name: `Account ${index}`, externalId: `A-${index}` })),
    contacts: tied(3, (index) => ({
      name: `Contact ${index}`,
      email: `c${index}@tied.test`,
      accountId: tenant.account,
    })),
    opportunities: tied(4, (index) => ({ name: `Sale ${index}`, ...inSales(tenant) })),
    tasks: tied(5, (index) => ({ title: `Task ${index}`, assignedTo: tenant.member })),
    notes: tied(9, (index) => ({ body: `Note ${index}`, relatedTo: { type: "account", id: tenant.account } })),
  };
  const lists = Object.entries(more).map(([name, records]) => [name, [...(file[name] as unknown[]), ...records]]);
  return { ...file, ...Object.fromEntries(lists) };
}

function inSales({ pipeline, stage, contact }: Tenant) {
  return { pipelineId: pipeline, stageId: stage, contactIds: [contact] };
}
