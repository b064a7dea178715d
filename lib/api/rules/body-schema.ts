import type { CustomField } from "../../model/custom-field.ts";
import { type JsonSchema, jsonSchemaOf } from "../../model/json-schema.ts";
import type { Kind } from "../../model/kinds.ts";
import type { Model } from "../../model/model.ts";
import type { Pipeline, Stage } from "../../model/pipeline.ts";
import { createSchema, updateSchema } from "../../model/schemas.ts";
import type { Rule } from "../../model/tenant.ts";
import { customFieldsSchema, oneOfValues } from "./custom-fields-schema.ts";

/** The request that a body is for. */
export type BodyPurpose = {
  readonly action: "create" | "update";
  /** The stage of the opportunity after the request. Undefined if it can be any stage. */
  readonly stage?: Stage | undefined;
  readonly pipeline?: Pipeline | undefined;
  /** The status of the opportunity after the request. Undefined if it can be any status. */
  readonly status?: string | undefined;
  /** The members that a create gets if the body omits them. */
  readonly defaults?: { readonly stageId: string | undefined; readonly status: string };
};

type Properties = Readonly<Record<string, JsonSchema>>;

/** A member that is allowed in every request body. */
export const tenantIdMember: JsonSchema = {
  type: "string",
  format: "uuid",
  description: "ID of the caller's tenant. Optional. Any other ID returns 422.",
};

/** Returns the JSON Schema (2020-12) of the bodies that a tenant with these custom fields and rules accepts. */
export function bodySchema(
  model: Model<Kind>,
  catalog: readonly CustomField[],
  rules: readonly Rule[],
  purpose: BodyPurpose,
): JsonSchema {
  const isCreate = purpose.action === "create";
  const { properties = {}, ...base } = jsonSchemaOf((isCreate ? createSchema : updateSchema)(model), "request");
  const possible = Object.entries(properties as Properties).filter(([, { not }]) => not === undefined);
  const members: Record<string, JsonSchema> = { ...Object.fromEntries(possible), tenantId: tenantIdMember };
  if (model.fields.customFields !== undefined) members.customFields = customFieldsSchema(catalog);
  let schema: JsonSchema = { ...base, properties: members };
  schema = withState(schema, purpose);
  const fields = catalog.filter(({ required }) => required).map(({ key }) => `customFields.${key}`);
  const ruled = rules.filter((rule) => applies(rule, purpose)).map(({ field }) => field);
  for (const field of [...fields, ...ruled]) {
    const [name = "", ...key] = field.split(/\.(.*)/).slice(0, 2);
    schema = withField(schema, [name, ...key], isCreate && !hasDefault(model, name));
  }
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema };
}

/** Fixes the stage, the pipeline and the status, and the members that depend on them. */
function withState(schema: JsonSchema, { action, stage, pipeline, status, defaults }: BodyPurpose): JsonSchema {
  const fixed = { stageId: stage?.id, pipelineId: stage?.pipelineId, status };
  const omissible = { stageId: defaults?.stageId, pipelineId: stage?.pipelineId, status: defaults?.status };
  let result = schema;
  for (const [name, value] of Object.entries(fixed)) {
    if (value === undefined) continue;
    result = withMember(result, name, { const: value }, value !== omissible[name as keyof typeof omissible]);
  }
  if (status === undefined) return result;
  if (status !== "lost") {
    result = withMember(result, "lostReason", oneOfValues([null, ""]));
    return action === "create" && status === "open" ? withMember(result, "closedAt", { type: "null" }) : result;
  }
  const { lostReasons = [], requireLostReason = false } = pipeline ?? {};
  if (lostReasons.length > 0) result = withMember(result, "lostReason", oneOfValues([...lostReasons, null, ""]));
  return requireLostReason ? withField(result, ["lostReason"], action === "create") : result;
}

/** Adds constraints to a member, and makes it required if `isRequired`. */
function withMember(schema: JsonSchema, name: string, constraint: JsonSchema, isRequired = false): JsonSchema {
  const { properties = {}, required = [] } = schema;
  const member = Object.hasOwn(properties, name) ? (properties[name] as JsonSchema) : {};
  const { default: _, enum: _values, ...about } = member;
  const isFixed = "const" in constraint || "enum" in constraint;
  return {
    ...schema,
    properties: { ...properties, [name]: { ...(isFixed ? about : member), ...constraint } },
    ...(isRequired ? { required: [...new Set([...required, name])] } : {}),
  };
}

/** Whether a rule applies to every body for this purpose. */
function applies({ when }: Rule, { stage, status }: BodyPurpose): boolean {
  const isIn = (values: readonly string[] | undefined, value: string | undefined) =>
    values === undefined || (value !== undefined && values.includes(value));
  return when === null || (isIn(when.stageIds, stage?.id) && isIn(when.statuses, status));
}

/**
 * Fields whose default depends on the tenant or the time: its oldest admin, the first stage of its default pipeline.
 */
const computedDefaults = ["ownerId", "pipelineId", "stageId", "occurredAt"];

/** Whether a new record gets a value for a field that the body omits. */
function hasDefault({ fields }: Model, name: string): boolean {
  return computedDefaults.includes(name) || typeof fields[name]?.default === "string";
}

/** Rejects bodies that remove the value of the field with this path, and those that omit it if `isRequired`. */
function withField(schema: JsonSchema, [name = "", key]: readonly string[], isRequired: boolean): JsonSchema {
  const { properties = {} } = schema;
  const member = Object.hasOwn(properties, name) ? (properties[name] as JsonSchema) : { not: {} };
  const value = key === undefined ? withValue(member) : withField(member, [key], isRequired);
  return withMember({ ...schema, properties: { ...properties, [name]: value } }, name, {}, isRequired);
}

/** Returns the schema without null, texts of only whitespace, empty lists and objects without a value. */
function withValue(schema: JsonSchema): JsonSchema {
  const { type, enum: values, anyOf, oneOf, ...rest } = schema;
  const isValue = (each: unknown): boolean => (each as JsonSchema).type !== "null";
  if (anyOf !== undefined)
    return { ...rest, anyOf: anyOf.filter(isValue).map((each) => withValue(each as JsonSchema)) };
  if (oneOf !== undefined) return { ...rest, oneOf: oneOf.filter(isValue) };
  if (values !== undefined) {
    const { default: _, ...about } = rest;
    return { ...about, ...oneOfValues((values as (string | null)[]).filter((each) => each !== null && each !== "")) };
  }
  const [first, ...others] = [type].flat().filter((each) => each !== "null");
  if (first === undefined || others.length > 0) return schema;
  const valued = { ...rest, type: first };
  if (first === "array") return { ...valued, minItems: 1 };
  if (first === "object") return valued.required === undefined ? withAnyMember(valued) : valued;
  return first === "string" ? { ...valued, minLength: 1, allOf: [{ pattern: "\\S" }] } : valued;
}

/** Requires that one member of an object has a value. */
function withAnyMember(schema: JsonSchema): JsonSchema {
  const names = Object.keys(schema.properties ?? {});
  const members = names.map((name): JsonSchema => {
    return { properties: { [name]: { type: "string", pattern: "\\S" } }, required: [name] };
  });
  return { ...schema, anyOf: members };
}
