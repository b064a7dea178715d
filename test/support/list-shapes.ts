import { entityKinds } from "../../lib/model/entities.ts";
import type { Kind } from "../../lib/model/kinds.ts";
import type { SortField } from "../../lib/storage/sort.ts";
import type { Query } from "../../lib/storage/storage.ts";

type Where = NonNullable<Query["where"]>;

/** A value for each filter that an endpoint has. */
const filters: Partial<Readonly<Record<Kind, Where>>> = {
  task: { status: "pending", assignedTo: "u", relatedToId: "r" },
  note: { relatedToId: "r", authorId: "u", externalId: "x" },
  account: { name: "n", phone: "1", ownerId: "u", externalId: "x" },
  contact: { email: "e", accountId: "a", phone: "1", ownerId: "u", externalId: "x" },
  opportunity: {
    ...{ status: "open", pipelineId: "p", stageId: "s", accountId: "a" },
    ...{ contactId: "c", ownerId: "u", externalId: "x" },
  },
  user: { email: "e", active: true, role: "admin" },
  stage: { pipelineId: "p" },
  customField: { entity: "account" },
  rule: { entity: "account" },
  apiKey: { integrationId: "i" },
};

/** Returns every combination of at most `most` of these filters. */
function choicesOf(where: Where, most: number): Where[] {
  const choices: Where[] = [{}];
  for (const [name, value] of Object.entries(where)) {
    choices.push(...choices.map((choice) => ({ ...choice, [name]: value })));
  }
  return choices.filter((choice) => Object.keys(choice).length <= most);
}

/**
 * Returns every query of an endpoint: up to two filters (three for tasks), each start, with and without archived
 * records.
 */
export function shapesOf(kind: Kind): Query[] {
  const starts: readonly Query[] = [{}, { updatedSince: 5 }, { after: { updatedAt: 5, id: "i" } }];
  return choicesOf(filters[kind] ?? {}, kind === "task" ? 3 : 2).flatMap((where) =>
    [false, true].flatMap((includeArchived) =>
      starts.flatMap((start) => [
        { where, includeArchived, ...start, limit: 51 },
        { where, includeArchived, ...start },
      ]),
    ),
  );
}

/** Returns the queries that scan an index in another order than that of commits. */
export function sortedShapesOf(kind: Kind): Query[] {
  const fields = (entityKinds as readonly Kind[]).includes(kind) ? (["createdAt"] as const) : [];
  const shapes: { readonly by: SortField; readonly where: Where }[] = [
    ...choicesOf(filters[kind] ?? {}, 2).map((where) => ({ by: "updatedAt" as const, where })),
    ...fields.map((by) => ({ by, where: {} })),
  ];
  return shapes.flatMap(({ by, where }) =>
    [false, true].flatMap((includeArchived) =>
      [{}, { after: { key: 5, id: "i" } }].map((position) => {
        return { where, includeArchived, sort: { by, descending: includeArchived, ...position }, limit: 51 };
      }),
    ),
  );
}
