import fc from "fast-check";
import { opportunityStatuses } from "../../lib/model/opportunity.ts";
import { taskStatuses } from "../../lib/model/task.ts";
import { testTenant } from "./tenants.ts";

/** The tenant of all generated records. */
export const one = testTenant(1);
const past = "2026-01-05T08:00:00.000Z";
const times = { createdAt: past, updatedAt: past };

export const idOf = (kind: number, index: number) => `01950009-0000-7000-9${kind}00-${String(index).padStart(12, "0")}`;
const pipelineIds = [0, 1, 2].map((index) => idOf(1, index));
/** The stages by pipeline. */
export const stageIds = pipelineIds.map((_, pipeline) => [0, 1, 2].map((index) => idOf(2, pipeline * 10 + index)));
const customKeys = ["note", "size", "segment"] as const;

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const some = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 });
const archivedAt = fc.constantFrom(null, null, null, past);

export const pipelines = fc.tuple(
  ...pipelineIds.map((id, index) =>
    fc.record({
      id: fc.constant(id),
      name: fc.constant(`Pipeline ${index}`),
      isDefault: fc.constant(index === 0),
      lostReasons: fc.subarray(["Price", "Delay"]),
      requireLostReason: fc.boolean(),
      archivedAt,
      stages: fc.tuple(
        ...(stageIds[index] ?? []).map((id, position) =>
          fc.record({
            id: fc.constant(id),
            name: fc.constant(`Stage ${id.slice(-2)}`),
            order: fc.nat(3),
            // A pipeline needs a stage that isn't archived.
            archivedAt: position === index ? fc.constant(null) : archivedAt,
            ...timesOf(),
          }),
        ),
      ),
      ...timesOf(),
    }),
  ),
);

/** Returns the rule with a condition that some records can satisfy. Only lost opportunities have a lost reason. */
export function satisfiable<R extends { readonly field: string; readonly when: object | null }>(rule: R) {
  return rule.field === "lostReason" ? { ...rule, when: { ...rule.when, statuses: ["lost"] } } : rule;
}

const ruleOf = fc
  .record({
    entity: fc.constant("opportunity"),
    field: fc.constantFrom(
      ...["amount", "accountId", "contactIds", "lostReason", "expectedCloseDate", "name"],
      ...customKeys.map((name) => `customFields.${name}`),
    ),
    when: fc.oneof(
      fc.constant(null),
      fc.record({ stageIds: some(stageIds.flat()) }),
      fc.record({ statuses: some(opportunityStatuses) }),
      fc.record({ stageIds: some(stageIds.flat()), statuses: some(opportunityStatuses) }),
    ),
  })
  .map(satisfiable);
const rules = fc.array(ruleOf, { maxLength: 8 });

const customFields = fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()).map(([note, size, segment]) => [
  { entity: "opportunity", key: "note", label: "Note", type: "text", required: note },
  { entity: "opportunity", key: "size", label: "Size", type: "number", required: size },
  { entity: "opportunity", key: "segment", label: "Segment", type: "list", options: ["S", "L"], required: segment },
]);

const opportunity = fc
  .record({
    stageIndexes: fc.tuple(fc.nat(2), fc.nat(2)),
    status: fc.constantFrom(...opportunityStatuses),
    lostReason: maybe(fc.constantFrom("Price", "price", "Other")),
    amount: maybe(fc.constantFrom(0, 12.5)),
    accountId: maybe(fc.constantFrom(one.account, one.archivedAccount)),
    contactIds: fc.subarray([one.contact]),
    ownerId: maybe(fc.constantFrom(one.admin, one.inactive)),
    expectedCloseDate: maybe(fc.constant("2026-06-01")),
    customFields: fc.record(
      { note: fc.constant("x"), size: fc.constant(3), segment: fc.constant("L") },
      { requiredKeys: [] },
    ),
  })
  .map(({ stageIndexes: [pipeline, stage], lostReason, ...values }) => ({
    name: "Deal",
    ...values,
    pipelineId: pipelineIds[pipeline],
    stageId: stageIds[pipeline]?.[stage],
    ...(values.status === "lost" ? { lostReason } : {}),
    ...times,
  }));

const task = fc.record({ title: fc.constant("Call"), status: fc.constantFrom(...taskStatuses), ...timesOf() });

/** Statuses and stages that host rules reject with a field error, and a status that throws an ApiError. */
const hostRules = fc.record({
  rejected: fc.subarray([...stageIds.flat(), ...opportunityStatuses, ...taskStatuses], { maxLength: 4 }),
  thrown: fc.constantFrom("none", "none", "won", "completed"),
});

/** Random tenants: pipelines, rules, custom fields, records, and host rules. */
export const randomTenant = fc.record({
  pipelines,
  rules,
  customFields,
  opportunities: fc.array(opportunity, { minLength: 1, maxLength: 2 }),
  tasks: fc.array(task, { minLength: 1, maxLength: 1 }),
  hostRules,
});
export type RandomTenant = typeof randomTenant extends fc.Arbitrary<infer T> ? T : never;

function timesOf() {
  return { createdAt: fc.constant(past), updatedAt: fc.constant(past) };
}
