import type { ValidationIssue } from "../errors.ts";
import { type Kind, models } from "../records/kinds.ts";
import { type Model, polymorphic } from "../records/model.ts";
import type { Storage } from "../storage.ts";
import type { FieldValues } from "./record-diff.ts";

/** An id in a body, and the kind of record it must be of. */
export type IdReference = { readonly path: string; readonly kind: Kind; readonly id: string };

/** Every id that the given fields hold. */
export function collectReferences(model: Model, values: FieldValues): IdReference[] {
  return Object.entries(model.fields).flatMap(([name, { reference }]) => {
    const value = values[name];
    if (reference === undefined || value === null || value === undefined) return [];
    if (reference === polymorphic) {
      const related = value as { type: Kind; id: string };
      return [{ path: `/${name}/id`, kind: related.type, id: related.id }];
    }
    const kind = reference as Kind;
    if (Array.isArray(value)) return value.map((id: string, index) => ({ path: `/${name}/${index}`, kind, id }));
    return [{ path: `/${name}`, kind, id: value as string }];
  });
}

/**
 * What is wrong with these ids: no such record in the tenant (unknown, archived and foreign ones look the same), or
 * a user who is not active.
 */
export async function checkReferences(
  storage: Pick<Storage, "get">,
  tenantId: string,
  referrals: readonly IdReference[],
): Promise<ValidationIssue[]> {
  const found = await Promise.all(referrals.map(({ kind, id }) => storage.get(tenantId, kind, id)));
  return referrals.flatMap(({ path, kind }, index): ValidationIssue[] => {
    const record = found[index];
    const word = kind === "user" ? "user" : models[kind].kind;
    if (record === undefined || record.archivedAt !== null) {
      const message = `${path.slice(1).replaceAll("/", ".")} names no ${word} of this tenant.`;
      return [{ kind: "invalid_reference", problem: { path, code: "not_found", message } }];
    }
    if (kind !== "user" || (record as unknown as { active: boolean }).active) return [];
    const message = `${path.slice(1)} names a user who is not active; choose an active one (GET /users?active=true).`;
    return [{ kind: "invalid_reference", problem: { path, code: "inactive", message } }];
  });
}
