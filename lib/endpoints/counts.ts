import * as v from "valibot";
import { endpoint } from "../api/endpoint.ts";
import { noScopeError } from "../api/endpoint-request.ts";
import { maxCounted, recordCount } from "../api/record-count.ts";
import { type Entity, entityKinds, entityModels, entityNames } from "../model/entities.ts";
import { describe, integer, jsonSchema, uuid } from "../model/scalars.ts";
import type { OpenTotal } from "../storage/storage.ts";

const amount = v.pipe(
  v.strictObject({
    currency: describe(v.string(), "ISO 4217 code."),
    sum: describe(v.number(), "Sum of the amounts in this currency, rounded to 15 significant digits."),
  }),
  jsonSchema({ title: "AmountTotal", description: "The sum of amounts in a currency." }),
);
const stageCount = v.pipe(
  v.strictObject({
    pipelineId: describe(uuid, "ID of the pipeline."),
    stageId: describe(uuid, "ID of the stage."),
    count: describe(integer(0), "Number of open opportunities in the stage."),
    isMinimum: describe(
      v.boolean(),
      "Whether the tenant has more than 10,000 open opportunities. Then only the 10,000 updated last are counted.",
    ),
    amounts: describe(
      v.array(amount),
      "Sums of their amounts by currency. Opportunities without an amount are left out.",
    ),
  }),
  jsonSchema({ title: "StageCount", description: "The open opportunities of a stage." }),
);
const data = v.pipe(
  v.strictObject({
    ...(Object.fromEntries(entityKinds.map((kind) => [entityModels[kind].plural, v.optional(recordCount)])) as Record<
      string,
      v.GenericSchema
    >),
    openOpportunities: v.optional(
      describe(v.array(stageCount), "The open opportunities of each stage that has any, sorted by stage ID."),
    ),
  }),
  jsonSchema({ title: "Counts", description: "Numbers of records. Kinds that the API key can't read are absent." }),
);

const scopeOf = (kind: Entity) => `${entityModels[kind].plural}:read` as const;

/** The endpoint that counts records. */
export const counts = [
  endpoint({
    name: "getCounts",
    method: "GET",
    path: "/counts",
    summary: "Count records",
    description:
      `Returns the number of ${entityNames} that aren't archived, of each kind that the API key may read, and the open ` +
      "opportunities of each stage with the sum of their amounts. Needs the scope of at least one kind. Counts end at " +
      "10,000: `isMinimum` is then `true`.",
    tag: { name: "Counts", description: "Numbers of records." },
    success: { status: 200, data },
    errors: ["insufficient_scope"],
    example: {},
    async handle({ caller }, { storage }) {
      const { tenantId, scopes } = caller;
      const kinds = entityKinds.filter((kind) => scopes.includes(scopeOf(kind)));
      if (kinds.length === 0) throw noScopeError(entityKinds.map(scopeOf), caller);
      const entries = await Promise.all(
        kinds.map(async (kind) => [entityModels[kind].plural, await storage.count(tenantId, kind, {}, maxCounted)]),
      );
      const seesOpportunities = kinds.includes("opportunity");
      const open = seesOpportunities
        ? { openOpportunities: await countOpen((max) => storage.openTotals(tenantId, max)) }
        : {};
      return { status: 200, body: { data: { ...Object.fromEntries(entries), ...open } } };
    },
  }),
];

/** Counts the open opportunities by stage. Only if there are too many, a second read leaves out the oldest. */
async function countOpen(read: (max: number) => Promise<readonly OpenTotal[]>) {
  const all = await read(maxCounted + 1);
  const isMinimum = all.reduce((sum, total) => sum + total.count, 0) > maxCounted;
  const totals = isMinimum ? await read(maxCounted) : all;
  const byStage = Object.groupBy(totals, ({ stageId }) => stageId);
  return Object.keys(byStage)
    .sort()
    .map((stageId) => {
      const ofStage = byStage[stageId] ?? [];
      const amounts = ofStage.flatMap(({ currency, amount }) =>
        currency === null ? [] : [{ currency, sum: toNumber(amount) }],
      );
      return {
        pipelineId: ofStage[0]?.pipelineId,
        stageId,
        count: ofStage.reduce((sum, total) => sum + total.count, 0),
        isMinimum,
        amounts: amounts.sort((a, b) => (a.currency < b.currency ? -1 : 1)),
      };
    });
}

/** Removes the rounding error of a sum. JSON has no Infinity. */
function toNumber(sum: number): number {
  const finite = Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, sum));
  const rounded = Number(finite.toPrecision(15));
  return Number.isFinite(rounded) ? rounded : finite;
}
