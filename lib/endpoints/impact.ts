import * as v from "valibot";
import { type Endpoint, type EndpointCall, endpoint, type HandlerContext } from "../api/endpoint.ts";
import { checkRequiredFields } from "../api/rules/required-fields.ts";
import { checkConditionEntity, checkLostReasonRule, checkRuleField } from "../api/rules/set-up-checks.ts";
import { entityKinds } from "../model/entities.ts";
import { type FieldError, validationError } from "../model/errors.ts";
import { opportunityStatuses } from "../model/opportunity.ts";
import { describe, jsonSchema, nonEmptyText, queryList, uuid } from "../model/scalars.ts";
import type { Rule } from "../model/tenant.ts";
import type { Position, Query } from "../storage/storage.ts";
import { setUpTag } from "./set-up-pipelines.ts";

/** Limits of one request. */
const maxRecords = 10_000;
const maxBytes = 64 * 1024 * 1024;
/** Limits of one read. Other requests run between two reads. */
const maxRecordsPerRead = 100;
const maxBytesPerRead = 1024 * 1024;
const maxSample = 10;

const record = v.pipe(
  v.strictObject({
    id: describe(uuid, "ID of the record."),
    name: describe(v.string(), "Name of the record, or the title of a task."),
  }),
  jsonSchema({ title: "ImpactRecord", description: "A record that lacks the field." }),
);
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const impactSchema = v.pipe(
  v.strictObject({
    missing: describe(count, "Number of the records that lack the field, among those that were read."),
    checked: describe(count, "Number of the records to which the rule would apply, among those that were read."),
    complete: describe(
      v.boolean(),
      `Whether all records were read. A request reads at most ${maxRecords} of them, and 64 MiB.`,
    ),
    sample: describe(v.array(record), `The first records that lack the field. At most ${maxSample}.`),
  }),
  jsonSchema({ title: "Impact", description: "The records that a rule would concern." }),
);

/** The endpoint that counts the records that lack a field. */
export const impact: Endpoint = endpoint({
  name: "adminGetImpact",
  method: "GET",
  path: "/admin/impact",
  summary: "Count the records that lack a field",
  description:
    "Returns how many records lack a field where a rule would require it, with a sample. Call it before you create the " +
    "rule. Stored records stay valid without the field, but a later change that enters the stage or status needs it. " +
    "Archived records don't count.",
  tag: setUpTag,
  access: "admin",
  isLong: true,
  query: {
    entity: describe(v.picklist(entityKinds), "Kind of the records."),
    field: describe(nonEmptyText(100), "Name of the field, or `customFields.` and the key of a custom field."),
    stageIds: v.optional(describe(queryList(uuid, 100), "For opportunities: IDs of stages.")),
    statuses: v.optional(describe(queryList(v.picklist(opportunityStatuses), 10), "For opportunities: statuses.")),
  },
  success: { status: 200, data: impactSchema },
  errors: ["validation_error"],
  example: { query: { entity: "account", field: "phone" } },
  async handle(call, context) {
    const { entity, field, stageIds, statuses } = call.query;
    const when = stageIds === undefined && statuses === undefined ? null : { stageIds, statuses };
    const rule = { entity, field, when } as Rule;
    await assertRule(rule, call, context);
    return { status: 200, body: { data: await countMissing(rule, call, context) } };
  },
});

/** @throws ApiError `422 validation_error` if the rule couldn't be created */
async function assertRule(rule: Rule, { caller: { tenantId } }: EndpointCall, { storage }: HandlerContext) {
  const [customFields, stages] = await Promise.all([
    storage.list(tenantId, "customField", { where: { entity: rule.entity } }),
    storage.list(tenantId, "stage", {}),
  ]);
  const isUnknown = (id: string) => !stages.some((stage) => stage.id === id);
  const errors: FieldError[] = [
    ...checkRuleField(rule, (key) => customFields.some((each) => each.key === key)),
    ...checkLostReasonRule(rule),
    ...checkConditionEntity(rule).map((error) => ({
      ...error,
      message: "Only opportunities have stages and statuses.",
    })),
    ...((rule.when?.stageIds ?? []).some(isUnknown)
      ? [{ path: "/stageIds", code: "not_found" as const, message: "A stage doesn't exist." }]
      : []),
  ];
  const toQueryPath = (path: string) => `?${path === "/when" ? "stageIds" : path.replace("/when", "").slice(1)}`;
  const issues = errors.map((error) => ({
    kind: "rule" as const,
    problem: { ...error, path: toQueryPath(error.path) },
  }));
  if (issues.length > 0) throw validationError(issues);
}

async function countMissing(rule: Rule, { caller: { tenantId } }: EndpointCall, { storage }: HandlerContext) {
  const sample: { id: string; name: string }[] = [];
  let [read, bytes, checked, missing] = [0, 0, 0, 0];
  for (const where of filtersOf(rule.when)) {
    for (let after: Position | undefined; ; ) {
      const limit = Math.min(maxRecordsPerRead, maxRecords - read);
      if (limit === 0 || bytes >= maxBytes) return { missing, checked, complete: false, sample };
      const query: Query = { where, limit, maxBytes: maxBytesPerRead, ...(after && { after }) };
      const page = await storage.listJson(tenantId, rule.entity, query);
      const pageBytes = page.reduce((sum, json) => sum + Buffer.byteLength(json), 0);
      const records = page.map((json) => JSON.parse(json) as Listed);
      read += records.length;
      bytes += pageBytes;
      for (const each of records) {
        if (!applies(rule, each)) continue;
        checked++;
        if (checkRequiredFields([rule], each, undefined, { catalog: [], stageName: undefined }).length === 0) continue;
        missing++;
        if (sample.length < maxSample) sample.push({ id: each.id, name: nameOf(each) });
      }
      // SQLite reads in the event loop. Other requests run between two pages.
      await new Promise((resolve) => setImmediate(resolve));
      const last = records.at(-1);
      if (last === undefined || (records.length < limit && pageBytes <= maxBytesPerRead)) break;
      after = { updatedAt: Date.parse(last.updatedAt), id: last.id };
    }
  }
  return { missing, checked, complete: true, sample };
}

/** Returns the name of a record. A note has none, so this is the first line of its text. */
function nameOf({ name, title, body }: Listed): string {
  const [line = ""] = String(name ?? title ?? body)
    .trim()
    .split("\n", 1);
  return [...line].slice(0, 255).join("");
}

/** A record as JSON. */
type Listed = Readonly<Record<string, unknown>> & { readonly id: string; readonly updatedAt: string };

/** Returns filters that have an index and together select the records that the condition concerns. */
function filtersOf(when: Rule["when"]): readonly Readonly<Record<string, string>>[] {
  if (when?.stageIds !== undefined) return [...new Set(when.stageIds)].map((stageId) => ({ stageId }));
  if (when?.statuses !== undefined) return [...new Set(when.statuses)].map((status) => ({ status }));
  return [{}];
}

function applies({ when }: Rule, values: Listed): boolean {
  return when?.statuses === undefined || (when.statuses as readonly unknown[]).includes(values.status);
}
