import { read } from "../api.ts";
import { entities } from "../names.ts";
import type { CrmRecord } from "../records/record-columns.tsx";
import { type FieldSchema, schemaFields } from "../records/schema-fields.ts";
import { fieldLabel, texts } from "../texts.ts";
import { kindOptions, toOptions } from "../ui/choices.tsx";
import type { FieldSpec, Option } from "../ui/field-spec.ts";
import { byText, type Context, type Resource, readLists, textFor } from "./resource.ts";

const { labels, help } = texts.setUp;
const { open, won, lost } = texts.values;
const statuses = { open, won, lost };

type Condition = { readonly stageIds?: readonly string[]; readonly statuses?: readonly string[] };

export const rules: Resource = {
  name: "rules",
  route: ["rules"],
  parent: ["fields"],
  load: loadContext,
  nameOf: ({ entity, field }, context) => `${textFor(texts.kinds, entity)}: ${ruleFieldName(field, entity, context)}`,
  compare: byText("entity", "field"),
  columns: (context) => [
    { label: labels.when, render: ({ when }) => describeCondition(when as Condition | null, context) },
  ],
  fields(value, context) {
    const entity = String(value("/entity") ?? "");
    const selected = value("/when/stageIds");
    return [
      { path: "/entity", label: labels.entity, input: "select", required: true, options: kindOptions },
      {
        path: "/field",
        label: labels.field,
        input: "select",
        required: true,
        options: context.ruleFields[entity] ?? [],
      },
      ...(entity === "opportunity" ? conditionFields(Array.isArray(selected) ? selected : [], context) : []),
    ];
  },
  initial(query) {
    const stageId = query.get("stageId");
    return stageId === null
      ? { entity: query.get("entity") ?? "account" }
      : { entity: "opportunity", when: { stageIds: [stageId] } };
  },
  toBody({ when, ...body }, record) {
    if (record !== undefined && when === undefined && body.entity === undefined) return body;
    const entity = body.entity ?? record?.entity;
    const before = record?.entity === "opportunity" ? (record.when as Condition | null) : null;
    return { ...body, when: entity === "opportunity" ? toCondition({ ...before, ...(when as Condition) }) : null };
  },
  impactQuery(body, record) {
    const { entity, field, when } = { ...record, ...body } as {
      entity?: string;
      field?: string;
      when?: Condition | null;
    };
    if (!entity || !field) return undefined;
    return { entity, field, stageIds: when?.stageIds?.join(","), statuses: when?.statuses?.join(",") };
  },
};

/** An empty list means any stage or status, which the API expresses by no list. */
function toCondition({ stageIds = [], statuses = [] }: Condition): Condition | null {
  if (stageIds.length === 0 && statuses.length === 0) return null;
  return { ...(stageIds.length > 0 && { stageIds }), ...(statuses.length > 0 && { statuses }) };
}

function conditionFields(selected: readonly string[], context: Context): readonly FieldSpec[] {
  const stages = context.lists.stages ?? [];
  const shown = stages.filter(({ id, archivedAt }) => !archivedAt || selected.includes(id));
  return [
    {
      path: "/when/stageIds",
      label: labels.stages,
      help: help.stages,
      input: "multi-select",
      options: shown.map((stage) => ({ value: stage.id, label: stageName(stage, context) })),
    },
    {
      path: "/when/statuses",
      label: labels.statuses,
      help: help.statuses,
      input: "multi-select",
      options: toOptions(statuses),
    },
  ];
}

function stageName({ name, pipelineId, archivedAt }: CrmRecord, { lists }: Context): string {
  const pipeline = lists.pipelines?.find(({ id }) => id === pipelineId);
  return `${pipeline?.name ?? "–"}: ${name}${archivedAt ? ` ${texts.setUp.archivedSuffix}` : ""}`;
}

function describeCondition(when: Condition | null, context: Context): string {
  if (when === null) return texts.setUp.always;
  const names = when.stageIds?.map((id) => {
    const stage = context.lists.stages?.find((each) => each.id === id);
    return stage === undefined ? id : stageName(stage, context);
  });
  return [names, when.statuses?.map((status) => textFor(statuses, status))]
    .flatMap((list) => (list === undefined ? [] : [list.join(", ")]))
    .join("; ");
}

/** Returns the name of the field of a rule. */
export function ruleFieldName(field: unknown, entity: unknown, { ruleFields }: Context): string {
  const option = ruleFields[String(entity)]?.find(({ value }) => value === field);
  return option?.label ?? fieldLabel(String(field).replace(/^customFields\./, ""));
}

async function loadContext(signal: AbortSignal): Promise<Context> {
  const [context, ...schemas] = await Promise.all([
    readLists(["pipelines", "stages"], signal),
    ...entities.map((entity) => read<FieldSchema>(`api/v1/schema/${entity}`, { query: { for: "create" }, signal })),
  ]);
  const ruleFields = Object.fromEntries(entities.map((entity, index) => [entity, ruleOptions(schemas[index] ?? {})]));
  const position = (stage: CrmRecord): string => {
    const pipeline = context.lists.pipelines?.find(({ id }) => id === stage.pipelineId);
    return `${pipeline?.name} ${String(stage.order).padStart(10, "0")}`;
  };
  const stages = context.lists.stages?.toSorted((a, b) => (position(a) < position(b) ? -1 : 1)) ?? [];
  return { lists: { ...context.lists, stages }, ruleFields };
}

/** A rule requires a whole field, such as `address`, or one custom field. */
function ruleOptions(schema: FieldSchema): readonly Option[] {
  const options = new Map<string, string>();
  for (const { path, label } of schemaFields(schema)) {
    const [name = "", member = ""] = path.slice(1).split("/");
    if (name === "customFields") options.set(`${name}.${member}`, texts.setUp.customField(label));
    else if (!options.has(name)) options.set(name, fieldLabel(name));
  }
  return [...options].map(([value, label]) => ({ value, label }));
}
