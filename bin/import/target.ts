import { type Field, models } from "#lib";

export const entities = ["account", "contact", "opportunity", "task"] as const;
export type Entity = (typeof entities)[number];

/** The part of the catalogue that columns need. */
export type CatalogEntry = { readonly key: string; readonly type: string };

/** How the cell of a column is read and written. `service`: the API sets it, so a file can only show it. */
export type Form = "text" | "word" | "number" | "currency" | "options" | "reference" | "references" | "service";

/** One value of a record that a column can lead to: a field, a member of one, or a custom field. */
export type Target = {
  /** As columns are called: `name`, `address.city`, `customFields.segment`. */
  readonly name: string;
  /** What else a column may be called where nothing else is called so. */
  readonly alias?: string;
  readonly field: string;
  readonly member?: string;
  readonly form: Form;
  /** The kind that a reference names; undefined where `relatedTo.type` says it. */
  readonly kind?: string;
  readonly required?: boolean;
  /** Whether an empty cell can clear it. */
  readonly nullable: boolean;
};

/** An object's members, which the models know as one value. */
const members: Readonly<Record<string, readonly string[]>> = {
  address: ["street", "city", "state", "postalCode", "country"],
};

/** Texts around which blanks mean nothing. */
const words = ["email", "status", "priority", "currency", "expectedCloseDate", "dueDate"];

const customForms: Readonly<Record<string, Form>> = {
  text: "text",
  number: "number",
  currency: "currency",
  date: "word",
  list: "text",
  multi_list: "options",
};

/** Everything that a file of this entity can have columns for, in the order of an export. */
export function targetsOf(entity: Entity, catalog: readonly CatalogEntry[]): readonly Target[] {
  const fields = Object.entries<Field>(models[entity].fields).flatMap(([name, field]) => {
    return name === "customFields" ? customTargets(catalog) : fieldTargets(name, field);
  });
  return [service("id"), ...fields, service("createdAt"), service("updatedAt"), service("archivedAt")];
}

function fieldTargets(name: string, field: Field): Target[] {
  const { schema, column, readOnly, reference, required } = field;
  if (readOnly === true) return [service(name)];
  const nullable = schema.type === "nullable";
  const base = { name, field: name, nullable, required: required === true };
  const inner = members[name];
  if (inner !== undefined) return inner.map((member) => memberOf(name, member, "text", member));
  if (reference === "type") {
    return [memberOf(name, "type", "word"), memberOf(name, "id", "reference", name.replace(/To$/, ""))];
  }
  if (typeof reference === "string") {
    const form = column === "links" ? "references" : "reference";
    const alias = name.replace(/Id(s?)$/, "$1");
    return [{ ...base, nullable: nullable || form === "references", form, kind: reference, alias }];
  }
  return [{ ...base, form: column === "real" ? "number" : words.includes(name) ? "word" : "text" }];
}

function customTargets(catalog: readonly CatalogEntry[]): Target[] {
  return catalog.map(({ key, type }) => memberOf("customFields", key, customForms[type] ?? "text", key));
}

function memberOf(field: string, member: string, form: Form, alias?: string): Target {
  const target = { name: `${field}.${member}`, field, member, form, nullable: true };
  return alias === undefined ? target : { ...target, alias };
}

function service(name: string): Target {
  return { name, field: name, form: "service", nullable: false };
}
