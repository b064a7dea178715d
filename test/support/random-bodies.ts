import fc from "fast-check";
import { type Entity, entityKinds, entityModels } from "../../lib/model/entities.ts";
import type { Model } from "../../lib/model/model.ts";
import { opportunityStatuses } from "../../lib/model/opportunity.ts";
import { one, satisfiable, stageIds } from "./random-tenants.ts";

const customEntities = ["account", "contact", "opportunity"];
const fieldTypes = {
  note: { type: "text" },
  code: { type: "text", maxLength: 4 },
  size: { type: "number" },
  budget: { type: "currency" },
  since: { type: "date" },
  segment: { type: "list", options: ["S", "L"] },
  region: { type: "list", options: ["N", "W"], optionLabels: { N: "North" } },
  tags: { type: "multi_list", options: ["a", "b"] },
} as const;
const customKeys = Object.keys(fieldTypes) as (keyof typeof fieldTypes)[];

/** Custom fields of all types. */
export const customFields = fc
  .tuple(
    ...customEntities.map((entity) =>
      fc
        .array(fc.record({ key: fc.constantFrom(...customKeys), required: fc.boolean() }), { maxLength: 6 })
        .map((found) => {
          const fields = new Map(found.map((field) => [field.key, field]));
          return [...fields.values()].map((field) => ({
            entity,
            label: `The ${field.key}`,
            ...field,
            ...fieldTypes[field.key],
          }));
        }),
    ),
  )
  .map((fields) => fields.flat());

/** Texts and other values of which each field accepts a few. */
const anyValue = fc.constantFrom<unknown>(
  ...[null, "", "  ", "x", "abcdef", "x".repeat(256), 5, -1.5, true, [], ["a"], ["S", "b"], {}, "S", "N", "2026-02-31"],
  ...["EUR", "HRK", "XXQ", "no-uuid", "a@b", { amount: 5 }, { amount: "5", currency: "EUR" }, { street: null }, "won"],
);
const text = fc.constantFrom("x", "Long enough", "");
const customValues: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  note: text,
  code: fc.constantFrom("abcd", "a"),
  size: fc.constantFrom(3, 0.5),
  budget: fc.constantFrom<unknown>(7, { amount: 7, currency: "usd" }),
  since: fc.constant("2026-06-01"),
  segment: fc.constantFrom("S", "L"),
  region: fc.constantFrom("N", "W"),
  tags: fc.subarray(["a", "b"]),
};
const contactIds = fc.subarray([one.contact]);
const uniqueText = fc.uuid().map((id) => `A${id}`);
const owner = fc.constantFrom(one.admin, one.member);
const shared = { ownerId: owner, externalId: text };
const values: Readonly<Record<Entity, Readonly<Record<string, fc.Arbitrary<unknown>>>>> = {
  account: {
    ...shared,
    name: uniqueText,
    document: text,
    website: fc.constantFrom("", "example.com", "https://example.com"),
    phone: text,
    email: fc.constantFrom("a@example.com", ""),
    description: text,
    address: fc.constantFrom<unknown>({ street: "Main 1" }, { street: "" }, { city: "Oslo", country: null }),
  },
  contact: {
    ...shared,
    name: uniqueText,
    email: uniqueText.map((name) => `${name}@example.com`),
    phone: text,
    jobTitle: text,
    accountId: fc.constant(one.account),
  },
  opportunity: {
    ...shared,
    name: uniqueText,
    accountId: fc.constant(one.account),
    contactIds,
    amount: fc.constantFrom(0, 12.5),
    currency: fc.constantFrom("EUR", "usd"),
    expectedCloseDate: fc.constant("2026-06-01"),
    lostReason: fc.constantFrom("Price", "Delay", ""),
    closedAt: fc.constant("2025-06-01T00:00:00Z"),
    status: fc.constantFrom(...opportunityStatuses),
    stageId: fc.constantFrom(...stageIds.flat()),
  },
  task: {
    title: uniqueText,
    description: text,
    priority: fc.constantFrom("low", "high"),
    status: fc.constantFrom("pending", "completed"),
    dueDate: fc.constant("2026-06-01T10:00:00+02:00"),
    relatedTo: fc.constant({ type: "account", id: one.account }),
    assignedTo: owner,
  },
  note: {
    body: fc.constantFrom("x", "Two\nlines"),
    relatedTo: fc.constant({ type: "account", id: one.account }),
    authorId: owner,
    occurredAt: fc.constantFrom("2025-06-01T10:00:00+02:00", "2030-01-01T00:00:00Z"),
    externalId: text,
  },
};

/** Rules of all entities. */
export const rules = fc.array(
  fc.constantFrom(...entityKinds).chain((entity) => {
    const custom = customEntities.includes(entity) ? customKeys.map((name) => `customFields.${name}`) : [];
    const { fields } = entityModels[entity] as Model;
    const writable = Object.keys(values[entity]).filter((name) => fields[name]?.readOnly === undefined);
    const field = fc.constantFrom(...writable, ...custom);
    const when = fc.oneof(
      fc.constant(null),
      fc.record({ stageIds: fc.subarray(stageIds.flat(), { minLength: 1 }) }),
      fc.record({ statuses: fc.subarray([...opportunityStatuses], { minLength: 1 }) }),
    );
    return fc
      .record({ entity: fc.constant(entity), field, when: entity === "opportunity" ? when : fc.constant(null) })
      .map(satisfiable);
  }),
  { maxLength: 10 },
);

/** Returns bodies with most of the fields, most of them valid. */
export function bodyOf(entity: Entity, validWeight: number, keepWeight = 6): fc.Arbitrary<Record<string, unknown>> {
  const members = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
    fc
      .record(
        Object.fromEntries(
          Object.entries(fields).map(([name, valid]) => {
            const value = fc.oneof({ weight: validWeight, arbitrary: valid }, { weight: 1, arbitrary: anyValue });
            return [
              name,
              fc.oneof({ weight: keepWeight, arbitrary: value }, { weight: 1, arbitrary: fc.constant(undefined) }),
            ];
          }),
        ),
      )
      .map((body) => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)));
  const fields = members(values[entity]);
  if (!customEntities.includes(entity)) return fields;
  return fc
    .tuple(fields, members(customValues))
    .map(([body, custom]) => (Object.keys(custom).length === 0 ? body : { ...body, customFields: custom }));
}
