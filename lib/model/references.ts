import type { Kind } from "./kinds.ts";
import { type FieldValues, type Model, polymorphic } from "./model.ts";

/** An ID in a body, and the kind of the record that it must refer to. */
export type IdReference = { readonly path: string; readonly kind: Kind; readonly id: string };

/** Returns the IDs in the given fields. Skips `null` in a list, which replaces an invalid entry. */
export function collectReferences(model: Model, values: FieldValues): IdReference[] {
  return Object.entries(model.fields).flatMap(([name, { reference }]) => {
    const value = values[name];
    if (reference === undefined || value === null || value === undefined) return [];
    if (reference === polymorphic) {
      const related = value as { type: Kind; id: string };
      return [{ path: `/${name}/id`, kind: related.type, id: related.id }];
    }
    const kind = reference as Kind;
    if (Array.isArray(value)) {
      const ids = value.map((id: string | null, index) => ({ path: `/${name}/${index}`, kind, id }));
      return ids.filter((each): each is IdReference => each.id !== null);
    }
    return [{ path: `/${name}`, kind, id: value as string }];
  });
}
