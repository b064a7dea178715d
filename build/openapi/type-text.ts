export type Schema = {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
};

/** A property of an object type. */
export type Property = {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
  readonly comment: string;
};

/** Properties of the named object types, by name. */
export type NamedTypes = ReadonlyMap<string, readonly Property[]>;

const maxLineLength = 120;

/** Names of the lists of values that more than one type uses, or that don't fit on a line, by their first value. */
export const enumNames: Readonly<Record<string, string>> = {
  account: "EntityType",
  open: "OpportunityStatus",
  pending: "TaskStatus",
  low: "TaskPriority",
  "accounts:read": "Scope",
  bad_request: "ErrorCode",
  required: "FieldErrorCode",
};

/** Components that are the body of a response. */
export const envelopeName = /^(\w+)(Envelope|List|Page)$/;

/** Returns an object type as an intersection with other named types, so that no property is repeated. */
export function composedType(name: string, properties: readonly Property[], named: NamedTypes): string {
  const parts: string[] = [];
  let rest = properties;
  const includes = (base: readonly Property[], asPartial: boolean) =>
    base.every((each) => rest.some((own) => isSame(own, each) && own.optional === (asPartial || each.optional)));
  const bases = [...named].filter(([base, { length }]) => base !== name && length >= 3);
  for (const [base, members] of bases.sort(([, one], [, other]) => other.length - one.length)) {
    if (members.length === properties.length && !name.startsWith(base)) continue;
    const isWhole = includes(members, false);
    if (!isWhole && !includes(members, true)) continue;
    parts.push(isWhole ? base : `Partial<${base}>`);
    rest = rest.filter((own) => !members.some((each) => each.name === own.name));
  }
  const origin = name.replace(/^Active|Create$/, "");
  const original = origin === name ? [] : (named.get(origin) ?? []);
  const taken = rest.filter((own) => original.some((each) => isSame(own, each)));
  const required = taken.filter(({ optional }) => !optional);
  const optional = taken.filter((each) => each.optional);
  if (required.length > 0) parts.push(pick(origin, required));
  if (optional.length > 0) parts.push(`Partial<${pick(origin, optional)}>`);
  rest = rest.filter((own) => !taken.includes(own));
  const own = rest.length === 0 ? "" : objectType(rest, maxLineLength / 3);
  const line = parts.join(" & ");
  const origins = line.includes("\n") || line.length > maxLineLength / 2 ? `\n  ${parts.join(" &\n  ")}` : line;
  return origins === "" || own === "" ? origins + own : `${origins} & ${own}`;
}

function isSame(one: Property, other: Property): boolean {
  return one.name === other.name && one.type === other.type && one.comment === other.comment;
}

function pick(name: string, properties: readonly Property[]): string {
  return `Pick<${name},${literals(properties.map((property) => property.name))}>`;
}

/** Returns a union of literal types after a space, or on lines of its own if it is long. */
export function literals(values: readonly unknown[]): string {
  const lines = [""];
  for (const value of values) {
    const type = `| ${JSON.stringify(value)}`;
    const line = `${lines.at(-1)} ${type}`.trim();
    if (line.length <= maxLineLength - 20) lines[lines.length - 1] = line;
    else lines.push(type);
  }
  return lines.length === 1 ? (lines[0] ?? "").slice(1) : `\n  ${lines.join("\n  ")}`;
}

export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return referenceType(schema.$ref.split("/").at(-1) ?? "");
  if (schema.enum !== undefined) {
    const name = schema.enum.length > 1 ? enumNames[String(schema.enum[0])] : undefined;
    return name ?? literals(schema.enum).trim();
  }
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(" | ");
  switch (schema.type) {
    case "array":
      return arrayType(typeOf(schema.items ?? {}));
    case "object":
      return schema.properties === undefined ? recordType(schema) : objectType(propertiesOf(schema));
    case "integer":
      return "number";
    case "string":
    case "number":
    case "boolean":
    case "null":
      return schema.type;
    default:
      return "unknown";
  }
}

function referenceType(component: string): string {
  const [, name, kind] = envelopeName.exec(component) ?? [];
  if (kind === "Envelope") return `Envelope<${name}>`;
  if (kind === "List") return `Envelope<readonly ${name}[]>`;
  return kind === "Page" ? `PageBody<${name}>` : component;
}

function arrayType(item: string): string {
  return item.includes(" | ") ? `readonly (${item})[]` : `readonly ${item}[]`;
}

function recordType({ additionalProperties, description }: Schema): string {
  const isCustom = description?.startsWith("Values by key of the custom field") === true;
  const anyValue = isCustom ? "CustomFieldValue" : "unknown";
  const value = typeof additionalProperties === "object" ? typeOf(additionalProperties) : anyValue;
  return `Readonly<Record<string, ${value}>>`;
}

export function propertiesOf({ properties = {}, required = [] }: Schema): Property[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    type: typeOf(schema),
    optional: !required.includes(name),
    comment: schema.description === undefined ? "" : firstSentence(schema.description),
  }));
}

/** Returns an object type on one line if it fits next to `usedLength` characters, without comments. */
export function objectType(properties: readonly Property[], usedLength = 0): string {
  const members = properties.map(({ name, type, optional }) => `readonly ${name}${optional ? "?" : ""}: ${type}`);
  const line = `{ ${members.join("; ")} }`;
  if (properties.every(({ comment }) => comment === "") && line.length + usedLength <= maxLineLength) return line;
  const lines = properties.map(({ comment }, index) => {
    const line = `  ${indent(members[index] ?? "")};`;
    return comment === "" ? line : `  /** ${comment} */\n${line}`;
  });
  return `{\n${lines.join("\n")}\n}`;
}

export function indent(type: string): string {
  return type.replaceAll("\n", "\n  ");
}

export function firstSentence(text: string): string {
  return text.split(/(?<=\.)\s/)[0]?.replaceAll("*/", "* /") ?? "";
}
