import type { Kind } from "./kinds.ts";
import { type FieldValues, type Model, polymorphic, type ReferenceKind } from "./model.ts";

/** An ID in a body, and the kind of the record that it must refer to. */
export type IdReference = { readonly path: string; readonly kind: Kind; readonly id: string };

const referencesByModel = new WeakMap<Model, readonly (readonly [name: string, reference: ReferenceKind])[]>();

/** Returns the IDs in the given fields. Skips `null` in a list, which replaces an invalid entry. */
export function collectReferences(model: Model, values: FieldValues): IdReference[] {
  const found: IdReference[] = [];
  for (const [name, reference] of referencesOf(model)) {
    const value = values[name];
    if (value === null || value === undefined) continue;
    if (reference === polymorphic) {
      const related = value as { type: Kind; id: string };
      found.push({ path: `/${name}/id`, kind: related.type, id: related.id });
    } else if (Array.isArray(value)) {
      for (const [index, id] of value.entries())
        if (id !== null) found.push({ path: `/${name}/${index}`, kind: reference as Kind, id });
    } else found.push({ path: `/${name}`, kind: reference as Kind, id: value as string });
  }
  return found;
}

/** Returns the fields with IDs. */
function referencesOf(model: Model) {
  let found = referencesByModel.get(model);
  if (found === undefined) {
    found = Object.entries(model.fields).flatMap(([name, { reference }]) =>
      reference === undefined ? [] : [[name, reference] as const],
    );
    referencesByModel.set(model, found);
  }
  return found;
}
