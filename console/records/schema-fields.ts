import { read } from "../api.ts";
import { type Entity, referenceKinds } from "../names.ts";
import { fieldHelp, fieldLabel, texts, valueLabel } from "../texts.ts";
import type { FieldSpec, InputType, Option } from "../ui/field-spec.ts";

/** The parts of a JSON Schema that the API uses for the fields of a record. */
export type FieldSchema = {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly readOnly?: boolean;
  readonly maxLength?: number;
  readonly const?: string;
  readonly enum?: readonly (string | null)[];
  readonly oneOf?: readonly { readonly const?: string; readonly title?: string; readonly type?: string }[];
  readonly anyOf?: readonly FieldSchema[];
  readonly items?: FieldSchema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, FieldSchema>>;
};

const inputs: Readonly<Record<string, InputType>> = {
  email: "email",
  website: "url",
  phone: "tel",
  description: "textarea",
};

/** Set by the API, or not to be changed by people. */
const hidden = ["id", "tenantId", "createdAt", "updatedAt", "archivedAt", "closedAt", "stageChangedAt"];

type Group = keyof typeof texts.fieldGroups;

/** The groups of a form, in their order, with the fields that aren't in the first one. */
const groups: Readonly<Record<Group, readonly string[]>> = {
  general: [],
  contact: ["email", "phone", "website"],
  relations: ["accountId", "contactId", "contactIds", "relatedTo", "ownerId", "assignedTo"],
  custom: [],
  address: [],
  other: ["document", "externalId", "description"],
};
const groupNames = Object.keys(groups) as readonly Group[];

/** Length from which a text gets several lines. */
const longText = 1_000;

/** Reads the fields of the form of an entity, without those that have only one possible value. */
export async function readFields(entity: Entity, purpose: "create" | "update", signal: AbortSignal) {
  const schema = await read<FieldSchema>(`api/v1/schema/${entity}`, { query: { for: purpose }, signal });
  return schemaFields(schema).filter(({ isFixed }) => !isFixed);
}

/** Returns the fields of the form for a schema, by groups. Within a group, they have the order of the schema. */
export function schemaFields(schema: FieldSchema): readonly FieldSpec[] {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    if (hidden.includes(name) || property.readOnly) return [];
    const isRequired = schema.required?.includes(name) ?? false;
    if (name === "customFields") return membersOf(name, property);
    const object = name === "relatedTo" ? undefined : objectIn(property);
    return object === undefined ? [toField(`/${name}`, name, property, isRequired)] : membersOf(name, object);
  });
  return groupNames.flatMap((group) => {
    return fields
      .filter(({ path }) => groupOf(path) === group)
      .map((field) => ({ ...field, group: texts.fieldGroups[group] }));
  });
}

function groupOf(path: string): Group {
  const [, first = ""] = path.split("/");
  if (first === "customFields") return "custom";
  if (first === "address") return "address";
  return groupNames.find((group) => groups[group].includes(first)) ?? "general";
}

function objectIn(schema: FieldSchema): FieldSchema | undefined {
  return [schema, ...(schema.anyOf ?? [])].find(
    ({ type, properties }) => type === "object" && properties !== undefined,
  );
}

function membersOf(name: string, { properties = {}, required = [] }: FieldSchema): readonly FieldSpec[] {
  return Object.entries(properties).map(([member, schema]) =>
    toField(`/${name}/${member}`, member, schema, required.includes(member)),
  );
}

function toField(path: string, name: string, schema: FieldSchema, required: boolean): FieldSpec {
  const nullable = isNullable(schema);
  const isCustom = path.startsWith("/customFields/");
  const options = optionsOf(schema.items ?? schema, isCustom);
  const kind = isCustom ? undefined : referenceKinds[name];
  return {
    path,
    label: schema.title && isCustom ? schema.title : fieldLabel(name),
    help: isCustom ? schema.description : fieldHelp(name),
    input: inputOf(name, schema, options, isCustom),
    required,
    nullable,
    isFixed: kind === undefined && (schema.const !== undefined || options?.length === 0),
    ...(options && { options }),
    ...(kind && { kind }),
  };
}

function isNullable(schema: FieldSchema): boolean {
  const types = [schema.type].flat();
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return types.includes("null") || parts.some(({ type }) => type === "null") || (schema.enum?.includes(null) ?? false);
}

function optionsOf({ oneOf, enum: values }: FieldSchema, isCustom: boolean): readonly Option[] | undefined {
  if (oneOf !== undefined)
    return oneOf.flatMap((each) =>
      each.const === undefined ? [] : [{ value: each.const, label: each.title ?? each.const }],
    );
  // No value is the option that each select has.
  return values?.flatMap((value) => (value ? [{ value, label: isCustom ? value : valueLabel(value) }] : []));
}

function inputOf(
  name: string,
  schema: FieldSchema,
  options: readonly Option[] | undefined,
  isCustom: boolean,
): InputType {
  const types = [schema.type].flat();
  if (name === "relatedTo" && !isCustom) return "related-to";
  if (types.includes("array")) return options === undefined ? "references" : "multi-select";
  if (options !== undefined) return "select";
  if (!isCustom && referenceKinds[name] !== undefined) return "reference";
  if (schema.anyOf?.some(({ properties }) => properties?.amount !== undefined)) return "currency";
  if (schema.format === "date") return "date";
  if (schema.format === "date-time") return "date-time";
  if (types.includes("number") || types.includes("integer")) return "number";
  if (!isCustom && inputs[name] !== undefined) return inputs[name];
  return (schema.maxLength ?? 0) > longText ? "textarea" : "text";
}
